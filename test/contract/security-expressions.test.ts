/* Every regular expression of the product against texts made to make it slow. The expressions are read from the source
   by a parser, so a new one is tested without being named here. A text is a prefix, one or two characters many times,
   and an end that spoils the match; time that grows with the square of its length shows as seconds. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { isOwnTool } from '../../host/acp/own-tools.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A square of this takes tens of milliseconds, a line tenths of one. */
const length = 4_000
/** Collecting garbage may take a moment away from anything; a square takes as long each time. */
const maxMs = 8
const tries = 6

interface Expression {
  place: string
  expression: RegExp
}

function expressionsOf(file: string): Expression[] {
  const found: Expression[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node && 'value' in node && node.value instanceof RegExp) {
      found.push({ place: `${file}: ${String(node.value)}`, expression: node.value })
    }
    for (const member of Object.values(node)) visit(member)
  }
  visit(parseSync(file, readFileSync(join(root, file), 'utf8')).program)
  return found
}

const files = ['shared', 'machines', 'host', 'web'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
)
const expressions = files.flatMap(expressionsOf)

/** Of every class of characters one that it may hold, and whatever the expression itself spells out. */
const classes = ['a', 'Z', '7', ' ', '\t', '\n', '\r', '-', '_', '.', '\u0001', '\u00a0', '\u2028', '字', '́']

function pumps({ source }: RegExp): string[] {
  const own = source.replaceAll(/\\u[0-9a-f]{4}|\\[pP]\{\w+\}|\\[bBdDsSwW]/g, '').match(/[^\\()[\]{}^$*+?|A-Za-z0-9]/g)
  const single = [...new Set([...classes, ...(own ?? [])])]
  const pairs = (own ?? []).flatMap((character) => [`${character} `, ` ${character}`, `${character}a`, `a${character}`])
  return [...single, ...new Set(pairs)]
}

/** What an expression wants to see before it begins to repeat: the words that it spells out. */
function prefixes({ source }: RegExp): string[] {
  const words = source.replaceAll(/\\(.)/g, '$1').match(/[A-Za-z0-9:/"'`#;=_.-]+ ?/g) ?? []
  return [...new Set(['', 'a', '- ', '\u001b[', '\u001b]', ...words])]
}

const endings = ['', '\u2028!', '\u0000x', 'a\n']

/** Replacing every match is the slowest of the ways in which texts are asked. */
function replacing({ source, flags }: RegExp): (text: string) => unknown {
  const everywhere = new RegExp(source, [...new Set(`${flags}g`)].join('').replace('y', ''))
  return (text) => text.replaceAll(everywhere, '')
}

/** The shape of a text that it is slow with; null where none was found. */
function slowText(expression: RegExp, ask = replacing(expression)): string | null {
  for (const pump of pumps(expression)) {
    const many = pump.repeat(length / pump.length)
    for (const prefix of prefixes(expression)) {
      for (const end of endings) if (isSlow(ask, prefix + many + end)) return `${prefix}(${pump})*${end}`
    }
  }
  return null
}

function isSlow(ask: (text: string) => unknown, text: string): boolean {
  for (let round = 0; round < tries; round += 1) {
    // Of this process alone: others may keep the machine busy.
    const begun = process.cpuUsage()
    ask(text)
    if (process.cpuUsage(begun).user < maxMs * 1_000) return false
  }
  return true
}

it('no-slow-text: the parser finds the expressions, and the ones that are built at run time are known', () => {
  expect(expressions.length).toBeGreaterThan(80)
  const built = files.filter((file) => /\bRegExp\(/.test(readFileSync(join(root, file), 'utf8')))
  expect(built).toEqual(['host/acp/own-tools.ts'])
})

it('no-slow-text: no text makes any expression of the product slow', () => {
  const slow = expressions.flatMap(({ place, expression }) => {
    const text = slowText(expression)
    return text === null ? [] : [`${place} on ${JSON.stringify(text)}`]
  })
  expect(slow).toEqual([])
  expect(slowText(/Tool: mcp task-surface show_task_surface \(/, (name) => isOwnTool({ name }))).toBeNull()
})

it.each([/\n+$/, /^_+|_+$/g, /^- (.*?):(?: (.*))?$/, /(\s|x)*;/])(
  'no-slow-text: %s is found to be slow',
  (expression) => {
    expect(slowText(expression)).not.toBeNull()
  },
)
