/* The parsers that stand at the borders, on anything: they end, throw nothing, answer the same twice, and what they have
   made normal stays as it is (SPEC 6.1, 6.4, 9). */
import { afterAll, expect, test } from 'vitest'
import { parseEvent } from '../../shared/event.ts'
import { foldLog, type FoldedLog } from '../../shared/fold.ts'
import { checkSurface } from '../../shared/surface/check.ts'
import { defaultTaskSurfaceLimits as limits } from '../../shared/surface/limits.ts'
import { submissionText } from '../../shared/surface/message-text.ts'
import { parseModel, parseModelText, parseStoredModel, type ParsedModel } from '../../shared/surface/parse.ts'
import { validateSubmission } from '../../shared/surface/submission.ts'
import { linkTarget } from '../../web/markdown/link-target.ts'
import { parseMarkdown, type ParsedMarkdown } from '../../web/markdown/parse.ts'
import { maxDepth, type MarkdownNode } from '../../web/markdown/tree.ts'
import { fc } from '../harness/property.ts'
import { arbitraryLog } from '../unit/projections/arbitrary-log.ts'
import { foldLive } from '../unit/projections/fold-live.ts'
import { arbitraryModel } from '../unit/surface/arbitrary-model.ts'
import { hostileStrings } from '../unit/surface/hostile-strings.ts'
import { leaveFigures } from './figures.ts'
import { garbage, mutated } from './mutate.ts'
import { Random } from './random.ts'
import { log, model, values } from './samples.ts'
import { replayHint, seedsOf } from './seeds.ts'

const [seed = 0] = seedsOf(1, 1)
const totals = { models: 0, submissions: 0, markdown: 0, logs: 0 }
afterAll(() => leaveFigures('parsers', totals))

/** Runs `check` on this many texts drawn from the seed. */
function many(runs: number, make: (random: Random) => string, check: (text: string) => void): void {
  const random = new Random(seed)
  for (let run = 0; run < runs; run += 1) {
    const text = make(random)
    try {
      check(text)
    } catch (cause) {
      throw new Error(`${replayHint(seed)}\n${text.slice(0, 4000)}`, { cause })
    }
  }
}

function checkModel(parsed: ParsedModel): void {
  totals.models += 1
  if (!parsed.ok) {
    expect(parsed.issues.length).toBeGreaterThan(0)
    for (const { path, message } of parsed.issues) expect(`${path}: ${message}`).toMatch(/^(\/.*)?: ./su)
    return
  }
  const again = parseStoredModel(JSON.parse(parsed.canonical))
  expect(again).toStrictEqual(parsed)
  expect(Buffer.byteLength(parsed.canonical)).toBe(parsed.bytes)
}

test('6.1 any JSON in the place of a model is normalised once and for all, or refused with its problems', () => {
  many(
    4000,
    (random) => mutated(random, model),
    (text) => {
      const input: unknown = JSON.parse(text)
      const parsed = parseModel(input, limits)
      checkModel(parsed)
      expect(parseModel(input, limits)).toStrictEqual(parsed)
      checkModel(parseStoredModel(input))
      expect(JSON.stringify(input)).toBe(JSON.stringify(JSON.parse(text)))
    },
  )
})

test('6.1 any text in the place of a model is answered', () => {
  many(
    4000,
    (random) => garbage(random, model),
    (text) => {
      checkModel(parseModelText(text, limits))
      const { exitCode, output } = checkSurface(text, text, limits)
      if (exitCode === 1) for (const line of output.split('\n')) expect(JSON.parse(line)).toHaveProperty('path')
    },
  )
})

test('6.1 legal models in any spelling have one normal form', () => {
  fc.assert(
    fc.property(arbitraryModel, (input) => {
      const parsed = parseModel(input, { ...limits, modelBytes: 1_000_000 })
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
      checkModel(parsed)
    }),
    { numRuns: 3000, seed },
  )
})

test('6.4 any JSON in the place of values is normalised once and for all, or refused with its issues', () => {
  const parsed = parseModel(model, limits)
  if (!parsed.ok) throw new Error('the sample is no model')
  many(
    5000,
    (random) => mutated(random, { values, note: 'a\nnote' }),
    (text) => {
      totals.submissions += 1
      const sent: unknown = JSON.parse(text)
      const given = typeof sent === 'object' && sent !== null ? sent : {}
      const checked = validateSubmission(
        parsed.model,
        'values' in given ? given.values : undefined,
        'note' in given ? given.note : undefined,
        limits,
      )
      if (!checked.ok) return expect(checked.issues.length).toBeGreaterThan(0)
      expect(validateSubmission(parsed.model, checked.values, checked.note, limits)).toStrictEqual(checked)
      const lines = submissionText(parsed.model, checked.values, checked.note).split('\n')
      const labels = (parsed.model.fields ?? []).map(({ label }) => label)
      // No value makes a line that looks like another field's.
      expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(labels.length)
      expect(lines.filter((line) => line === 'Note:').length).toBe(checked.note === undefined ? 0 : 1)
    },
  )
})

const pieces = [
  '*',
  '**',
  '_',
  '`',
  '```',
  '~~',
  '[',
  ']',
  '(',
  ')',
  '](',
  '![',
  '<',
  '>',
  '<b>',
  '<!--',
  '&amp;',
  '|',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '# ',
  '---',
  '- [x] ',
  '    ',
  '\t',
  'http://a.example',
  'javascript:x',
  'data:text/html,x',
  '[a]: x',
  '\\',
  'word ',
  '\u0000',
  '\u202e',
  '|-|\n',
  '|a|b|\n',
]

function kindsOf(nodes: readonly MarkdownNode[], depth = 0): string[] {
  if (depth > maxDepth + 2) throw new Error(`a depth of ${depth}`)
  return nodes.flatMap((node) => ['children' in node ? kindsOf(node.children, depth + 1) : [], node.kind].flat())
}

const drawn = new Set([
  'container',
  'heading',
  'ordered',
  'item',
  'cell',
  'link',
  'text',
  'break',
  'rule',
  'inline-code',
  'code',
  'image',
])

test('MD-HTML, MD-LINK, MD-GROW: any text is drawn with what there is to draw, at once as while it grows', () => {
  many(
    3000,
    (random) =>
      Array.from(
        { length: random.below(60) },
        () => (random.chance(0.9) ? random.pick(pieces) : random.pick(hostileStrings)) ?? '',
      ).join(''),
    (text) => {
      totals.markdown += 1
      const whole = parseMarkdown(text, null)
      expect(kindsOf(whole.blocks.flatMap(({ nodes }) => nodes)).filter((kind) => !drawn.has(kind))).toEqual([])
      for (const address of addressesIn(whole.blocks.flatMap(({ nodes }) => nodes))) {
        if (!/^(https?|mailto):/.test(linkTarget(address) ?? 'http:')) throw new Error(`a link to ${address}`)
      }
      let growing: ParsedMarkdown | null = null
      for (let end = 0; end <= text.length; end += 17) growing = parseMarkdown(text.slice(0, end), growing)
      expect(parseMarkdown(text, growing).blocks.map(({ nodes }) => nodes)).toStrictEqual(
        whole.blocks.map(({ nodes }) => nodes),
      )
    },
  )
})

function addressesIn(nodes: readonly MarkdownNode[]): string[] {
  return nodes.flatMap((node) => [
    ...('address' in node ? [node.address] : []),
    ...('children' in node ? addressesIn(node.children) : []),
  ])
}

/** Text of a log, some of whose records say something else. */
const foldOf = (text: string): FoldedLog => {
  const records: unknown = JSON.parse(text)
  return foldLog((Array.isArray(records) ? records : [records]).map(parseEvent))
}

test('3 any log is folded, the same every time, or refused at the record that cannot follow', () => {
  many(
    3000,
    (random) => mutated(random, log),
    (text) => {
      totals.logs += 1
      const folded = foldOf(text)
      expect(foldOf(text)).toStrictEqual(folded)
      if (folded.ok) expect(JSON.stringify(JSON.parse(JSON.stringify(folded.state)))).toBe(JSON.stringify(folded.state))
      else expect(folded.message).not.toBe('')
    },
  )
})

test('3 folding a log cold gives what folding it live gave', () => {
  fc.assert(
    fc.property(arbitraryLog, (events) => {
      totals.logs += 1
      const folded = foldLog(events)
      if (!folded.ok) throw new Error(folded.message)
      expect(JSON.stringify(foldLive(events))).toBe(JSON.stringify(folded.state))
    }),
    { numRuns: 2000, seed },
  )
})
