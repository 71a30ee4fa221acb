/* Nothing that reads what others have written takes more than linear time: see `growth.ts` for how that is told. */
import { expect, test, afterAll } from 'vitest'
import { parseEvent, type ParsedEvent } from '../../shared/event.ts'
import { foldLog } from '../../shared/fold.ts'
import { defaultTaskSurfaceLimits as limits } from '../../shared/surface/limits.ts'
import { submissionText } from '../../shared/surface/message-text.ts'
import { parseModel, parseStoredModel } from '../../shared/surface/parse.ts'
import { validateSubmission } from '../../shared/surface/submission.ts'
import { parseMarkdown } from '../../web/markdown/parse.ts'
import { leaveFigures } from './figures.ts'
import { growsLikeALine } from './growth.ts'
import { log } from './samples.ts'

const totals = { measured: 0 }
let steepest = { name: '', times: 0 }
afterAll(() =>
  leaveFigures('growth', { ...totals, 'times as long at 8 times the size, at most': steepest.times.toFixed(1) }),
)

function measure<Input>(name: string, parts: Parameters<typeof growsLikeALine<Input>>[1]): void {
  const { times } = growsLikeALine(name, parts)
  totals.measured += 1
  if (times > steepest.times) steepest = { name, times }
}

/** Model text in a conversation can be a million units long. */
const textSizes = { from: 500, most: 150_000 }

test.for([
  '[',
  ']',
  '![',
  '[a](',
  '[a](<',
  '*a ',
  '**a ',
  '_a*',
  '*a_ ',
  '~~a ',
  '`',
  '`a``',
  '<',
  '<a ',
  '<!--',
  '<?',
  '&',
  '&amp;',
  '\\',
  '> ',
  '- ',
  '1. ',
  '# ',
  '|a',
  '|-',
  'a\n|-|\n',
  '|a|b|\n',
  '```\n',
  'http://',
  'http://a.b/(',
  'a@b.c ',
  '[a]: x\n',
  '[a]\n',
  ' ',
  '\n',
  '\t',
  '\u0000',
  'a\r',
  '(((',
  '"',
  "''",
])('9 markdown: %j again and again', (piece) => {
  measure(`markdown ${JSON.stringify(piece)}`, {
    ...textSizes,
    make: (size) => piece.repeat(Math.ceil(size / piece.length)),
    work: (text) => parseMarkdown(text, null),
  })
  expect(totals.measured).toBeGreaterThan(0)
})

const field = (index: number) => ({ kind: 'toggle', id: `f${index}`, label: 'L' })
const counted = (size: number, make: (index: number) => unknown) =>
  Array.from({ length: size }, (_, index) => make(index))
const modelOf = (parts: object) => ({
  version: 1,
  title: 'T',
  sections: [],
  fields: [field(0)],
  submit: { label: 'S' },
  ...parts,
})
const sectionOf = (blocks: unknown) => [{ id: 's', blocks }]

const models: Readonly<Record<string, (size: number) => object>> = {
  'white space in a line': (size) => modelOf({ title: ` ${' \t'.repeat(size)}x` }),
  'line ends in long text': (size) => modelOf({ description: '\r\n\r'.repeat(size) }),
  surrogates: (size) => modelOf({ description: '\ud83d\ude00'.repeat(size) }),
  fields: (size) => modelOf({ fields: counted(size, field) }),
  'fields of one id': (size) => modelOf({ fields: counted(size, () => field(1)) }),
  options: (size) =>
    modelOf({
      fields: [
        {
          kind: 'order',
          id: 'f',
          label: 'L',
          options: counted(size, (n) => ({ id: `o${n}`, label: 'O' })),
          initial: counted(size, (n) => `o${n}`),
        },
      ],
    }),
  'unknown keys': (size) =>
    modelOf(
      Object.fromEntries(
        counted(size, (n) => [`k${n}`, n]).map((entry) =>
          Array.isArray(entry) ? [String(entry[0]), entry[1]] : ['', 0],
        ),
      ),
    ),
  rows: (size) =>
    modelOf({
      sections: sectionOf([
        { kind: 'table', columns: [{ id: 'c', label: 'C' }], rows: counted(size, () => ({ c: 1 })) },
      ]),
    }),
  sections: (size) =>
    modelOf({ sections: counted(size, (n) => ({ id: `s${n}`, blocks: [{ kind: 'markdown', text: 'x' }] })) }),
}

test.for(Object.keys(models))('6.1 model: %s', (name) => {
  const make = models[name] ?? (() => modelOf({}))
  measure(`model ${name}`, {
    from: 200,
    most: 80_000,
    make: (size: number) => make(size),
    work: (input) => [parseModel(input, limits), parseStoredModel(input)],
  })
  expect(totals.measured).toBeGreaterThan(0)
})

const answers: Readonly<Record<string, (size: number) => { values: object; note?: string }>> = {
  text: (size) => ({ values: { text: 'a\r\n- x: y\n'.repeat(size) } }),
  'unknown keys': (size) => ({ values: Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, 1])) }),
  choices: (size) => ({ values: { some: counted(size, () => 'a') } }),
  note: (size) => ({ values: {}, note: ' \n'.repeat(size) }),
}

test.for(Object.keys(answers))('6.4 submission: %s', (name) => {
  const options = [{ id: 'a', label: 'A' }]
  const parsed = parseModel(
    modelOf({
      fields: [
        { kind: 'text', id: 'text', label: 'T', multiline: true },
        { kind: 'multi-choice', id: 'some', label: 'S', options },
      ],
    }),
    limits,
  )
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  const make = answers[name] ?? answers.note ?? (() => ({ values: {}, note: '' }))
  measure(`submission ${name}`, {
    from: 200,
    most: 80_000,
    make,
    work: ({ values, note }) => {
      const checked = validateSubmission(parsed.model, values, note, { submissionBytes: 100_000_000 })
      return checked.ok ? submissionText(parsed.model, checked.values, checked.note) : checked.issues
    },
  })
  expect(totals.measured).toBeGreaterThan(0)
})

/** `make` gives the type and data of each record behind the first. */
function logOf(size: number, make: (index: number) => { type: string; data: object }): ParsedEvent[] {
  const records = [log[0], ...counted(size, (index) => make(index))]
  return records.map((record, seq) => parseEvent({ ...Object(record), seq, time: seq }))
}

const message = (n: number) => ({
  id: `m${n}`,
  role: 'user',
  source: { kind: 'user', rpcId: 'r' },
  content: [{ type: 'text', text: 'x' }],
})
const call = { turn: 1, step: 0, name: 'bash' }
const logs: Readonly<Record<string, (index: number) => { type: string; data: object }>> = {
  titles: (n) => ({ type: 'session/title', data: { title: `t${n}` } }),
  turns: (n) =>
    [
      { type: 'turn/start', data: { turn: Math.floor(n / 3) + 1 } },
      { type: 'user/message', data: { message: message(n) } },
      { type: 'turn/end', data: { turn: Math.floor(n / 3) + 1, reason: 'completed' } },
    ][n % 3] ?? { type: '', data: {} },
  'calls with results': (n) =>
    n === 0
      ? { type: 'turn/start', data: { turn: 1 } }
      : n % 2 === 1
        ? { type: 'tool/call', data: { ...call, callId: `c${n}`, arguments: {} } }
        : { type: 'tool/result', data: { ...call, callId: `c${n - 1}`, content: [] } },
  rewinds: (n) =>
    n % 2 === 0 ? { type: 'session/title', data: { title: `t${n}` } } : { type: 'session/rewound', data: { toSeq: 0 } },
  'rewinds of one event each': (n) =>
    n % 3 === 2
      ? { type: 'session/rewound', data: { toSeq: n - 1 } }
      : { type: 'session/title', data: { title: `t${n}` } },
}

test.for(Object.keys(logs))('3 fold: %s', (name) => {
  const make = logs[name]
  if (make === undefined) throw new Error(name)
  measure(`fold ${name}`, { from: 200, most: 60_000, make: (size: number) => logOf(size, make), work: foldLog })
  expect(totals.measured).toBeGreaterThan(0)
})
