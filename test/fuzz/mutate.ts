/* Wrong in one place or in a few: a legal JSON value with members taken out, put in, doubled or exchanged for something
   else; and texts that are no JSON at all. What comes out is JSON text, so that it can hold what no object can: a
   `__proto__` member, a key twice, a lone surrogate. */
import { hostileStrings } from '../unit/surface/hostile-strings.ts'
import type { Random } from './random.ts'

type Member = { key: string; text: string }
type Tree = { kind: 'object'; members: { key: string; value: Tree }[] } | { kind: 'array'; items: Tree[] } | Leaf
type Leaf = { kind: 'leaf'; text: string }

/** A text of this length is not made longer; the borders end below it. */
const longestText = 300_000

const leaf = (text: string): Leaf => ({ kind: 'leaf', text })

/** `value` is JSON. */
export function mutated(random: Random, value: unknown): string {
  let tree = treeOf(value)
  let text = ''
  for (let times = random.one(1, 1, 1, 2, 4); times > 0 && text.length < longestText; times -= 1) {
    tree = mutateSomewhere(random, tree)
    text = textOf(tree)
  }
  return text
}

/** No JSON, or JSON that nobody means. */
export function garbage(random: Random, value: unknown): string {
  const text = JSON.stringify(value)
  const make = random.weighted<() => string>([
    [3, () => text.slice(0, random.below(text.length))],
    [3, () => flipped(random, text)],
    [1, () => `${text}${text}`],
    [1, () => ''],
    [1, () => '['.repeat(random.one(10, 1000, 50_000))],
    [1, () => '{"a":'.repeat(random.one(10, 1000, 20_000))],
    [1, () => `[${text}]`],
    [1, () => random.one('null', 'true', '0', '-0', '1e999', '"text"', '[]', '{}', 'NaN', '\u0000', '\ufeff{}')],
    [1, () => (random.pick(hostileStrings) ?? '').repeat(random.one(1, 100))],
    [1, () => bytes(random, random.below(2000))],
  ])
  return make?.() ?? ''
}

function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(treeOf) }
  if (typeof value !== 'object' || value === null) return leaf(JSON.stringify(value) ?? 'null')
  return { kind: 'object', members: Object.entries(value).map(([key, member]) => ({ key, value: treeOf(member) })) }
}

function textOf(tree: Tree): string {
  if (tree.kind === 'leaf') return tree.text
  if (tree.kind === 'array') return `[${tree.items.map(textOf).join(',')}]`
  const members = tree.members.map(({ key, value }): Member => ({ key, text: textOf(value) }))
  return `{${members.map(({ key, text }) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}

/** Here, or in one of those inside. */
function mutateSomewhere(random: Random, tree: Tree): Tree {
  if (tree.kind === 'object' && tree.members.length > 0 && random.chance(0.75)) {
    const at = random.below(tree.members.length)
    const members = tree.members.map((member, index) =>
      index === at ? { key: member.key, value: mutateSomewhere(random, member.value) } : member,
    )
    return { kind: 'object', members }
  }
  if (tree.kind === 'array' && tree.items.length > 0 && random.chance(0.75)) {
    const at = random.below(tree.items.length)
    return {
      kind: 'array',
      items: tree.items.map((item, index) => (index === at ? mutateSomewhere(random, item) : item)),
    }
  }
  return mutateHere(random, tree)
}

function mutateHere(random: Random, tree: Tree): Tree {
  if (random.chance(0.45)) return leaf(strangeText(random))
  if (tree.kind === 'object') {
    const at = random.below(tree.members.length)
    const [member] = tree.members.slice(at)
    const key = random.one('__proto__', 'constructor', 'prototype', 'toString', '', 'x', 'type', 'kind', 'id', '0')
    return (
      random.weighted<Tree>([
        [4, { kind: 'object', members: tree.members.filter((_, index) => index !== at) }],
        [3, { kind: 'object', members: [...tree.members, { key, value: leaf(strangeText(random)) }] }],
        [1, { kind: 'object', members: tree.members.toReversed() }],
        [1, { kind: 'object', members: member === undefined ? [] : [...tree.members, member] }],
        [1, { kind: 'array', items: [tree] }],
      ]) ?? tree
    )
  }
  if (tree.kind === 'array') {
    const some = random.pick(tree.items)
    const many =
      some === undefined
        ? []
        : Array.from({ length: random.one(1, 2, 70, textOf(some).length > 500 ? 2 : 600) }, () => some)
    return random.one<Tree>(
      { kind: 'array', items: tree.items.slice(1) },
      { kind: 'array', items: [...tree.items, ...many] },
      { kind: 'array', items: tree.items.toReversed() },
      { kind: 'array', items: [...tree.items, leaf(strangeText(random))] },
    )
  }
  return tree.text.startsWith('"') ? leaf(changedString(random, tree.text)) : leaf(strangeText(random))
}

function changedString(random: Random, text: string): string {
  const inner: unknown = JSON.parse(text)
  const string = String(inner)
  return random.one(
    JSON.stringify(string + (random.pick(hostileStrings) ?? '')),
    JSON.stringify(string.slice(0, -1)),
    JSON.stringify(string.toUpperCase()),
    JSON.stringify(string.length > 1000 ? string : string.repeat(300)),
    JSON.stringify(`${string}\u0000`),
    `${JSON.stringify(string).slice(0, -1)}\\ud800"`,
  )
}

function strangeText(random: Random): string {
  return random.one(
    'null',
    'true',
    '0',
    '-1',
    '1.5',
    '1e308',
    '-0',
    '9007199254740993',
    '""',
    '[]',
    '{}',
    '[[]]',
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '"__proto__"',
    '"\\ud800"',
    JSON.stringify(random.pick(hostileStrings) ?? ''),
    JSON.stringify('x'.repeat(random.one(65, 129, 5000))),
    `${'['.repeat(600)}${']'.repeat(600)}`,
    `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
  )
}

function flipped(random: Random, text: string): string {
  const at = random.below(text.length)
  return `${text.slice(0, at)}${String.fromCharCode(random.below(0x250))}${text.slice(at + 1)}`
}

function bytes(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.below(256))).join('')
}
