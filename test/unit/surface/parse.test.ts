import { fc } from '../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { defaultTaskSurfaceLimits as limits, maxTableCells, rawModelBytes } from '../../../shared/surface/limits.ts'
import type { ParsedModel } from '../../../shared/surface/parse.ts'
import { parseModel, parseModelText, parseStoredModel } from '../../../shared/surface/parse.ts'
import { utf8Length } from '../../../shared/utf8.ts'
import { arbitraryModel } from './arbitrary-model.ts'

const small = {
  version: 1,
  title: 'T',
  sections: [],
  fields: [{ kind: 'toggle', id: 'f', label: 'L' }],
  submit: { label: 'Go' },
}
const withSection = (block: unknown) => ({ ...small, sections: [{ id: 's', blocks: [block] }] })
const paths = (parsed: ParsedModel): string[] => (parsed.ok ? [] : parsed.issues.map((issue) => issue.path))

describe('6.1 normal form', () => {
  it('of any legal model parses to the same bytes again, in a call and from a log', () => {
    fc.assert(
      fc.property(arbitraryModel, (input) => {
        const first = parseModel(input, limits)
        if (!first.ok) throw new Error(JSON.stringify(first.issues))
        expect(first.canonical).toBe(JSON.stringify(first.model))
        expect(first.bytes).toBe(utf8Length(first.canonical))
        const json: unknown = JSON.parse(first.canonical)
        expect(parseModel(json, limits)).toStrictEqual(first)
        expect(parseStoredModel(json)).toStrictEqual(first)
        expect(parseModelText(JSON.stringify(input), limits)).toStrictEqual(first)
      }),
      { numRuns: 300 },
    )
  })

  it('holds no line break in a single line and no carriage return anywhere', () => {
    fc.assert(
      fc.property(arbitraryModel, (input) => {
        const parsed = parseModel(input, limits)
        if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
        expect(parsed.canonical).not.toMatch(/\\r/)
        const lines = [
          parsed.model.title,
          parsed.model.submit.label,
          ...(parsed.model.fields ?? []).map((field) => field.label),
        ]
        for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]|^\s|\s$|\s\s/u)
      }),
    )
  })
})

describe('6.1 what a value may be', () => {
  it.each(['', ' ', '\n', ' \r\n\t\u2028\ufeff'])('a blank description %j is dropped', (description) => {
    const parsed = parseModel({ ...small, description }, limits)
    expect(parsed.ok && parsed.canonical).toBe(JSON.stringify(small))
  })

  it('a number that JSON cannot write is no cell', () => {
    const table = '{"kind":"table","columns":[{"id":"c","label":"C"}],"rows":[{"c":1e999},{"c":-1e999},{"c":1e308}]}'
    const text = `{"version":1,"title":"T","sections":[{"id":"s","blocks":[${table}]}],"submit":{"label":"Go"}}`
    expect(paths(parseModelText(text, limits))).toStrictEqual([
      '/sections/0/blocks/0/rows/0/c',
      '/sections/0/blocks/0/rows/1/c',
    ])
    expect(
      parseStoredModel(withSection({ kind: 'table', columns: [{ id: 'c', label: 'C' }], rows: [{ c: Number.NaN }] }))
        .ok,
    ).toBe(false)
  })
})

describe('6.1 any input', () => {
  it('is answered, never thrown at, with pointers for paths', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.anything()), (input) => {
        for (const parsed of [parseModel(input, limits), parseStoredModel(input)]) {
          if (parsed.ok) continue
          expect(parsed.issues.length).toBeGreaterThan(0)
          for (const path of paths(parsed)) expect(path).toMatch(/^(\/.*)?$/s)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('one member changed to anything: the rest is still judged, the problem is at or below it', () => {
    fc.assert(
      fc.property(arbitraryModel, fc.nat(), fc.jsonValue(), (input, at, value) => {
        const places = placesOf(input)
        const place = places[at % places.length]
        if (place === undefined) return
        const changed: unknown = structuredClone(input)
        setAt(changed, place, value)
        const path = `/${place.join('/')}`
        // Ids and options are looked at from elsewhere, and an emptied list may be the last one.
        if (/\/(id|options|columns|kind|multiline|blocks|sections|fields)(\/|$)/.test(path)) return
        expect(paths(parseModel(changed, limits)).filter((found) => !found.startsWith(path))).toStrictEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it.each([100_000])('nested %i deep is refused without overflowing', (depth) => {
    const deep = '{"a":'.repeat(depth / 2) + '['.repeat(depth / 2) + ']'.repeat(depth / 2) + '}'.repeat(depth / 2)
    const nested: unknown = JSON.parse(deep)
    for (const input of [
      nested,
      { ...small, title: nested },
      { ...small, sections: [nested] },
      { ...small, fields: nested },
      withSection(nested),
    ]) {
      expect(parseModel(input, limits).ok).toBe(false)
      expect(parseStoredModel(input).ok).toBe(false)
    }
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'an own key %s is unknown everywhere',
    (key) => {
      const evil = `${JSON.stringify(key)}:{"label":"x"}`
      const text = `{"version":1,"title":"T",${evil},"sections":[{"id":"s","blocks":[{"kind":"markdown","text":"x",${evil}}],${evil}}],"submit":{"label":"Go",${evil}}}`
      expect(paths(parseModelText(text, limits)).toSorted()).toStrictEqual(
        [`/${key}`, `/sections/0/${key}`, `/sections/0/blocks/0/${key}`, `/submit/${key}`].toSorted(),
      )
      expect({}).not.toHaveProperty('label')
    },
  )

  it('members a prototype has are missing, not inherited', () => {
    const inherited: unknown = Object.create(small)
    expect(paths(parseModel(inherited, limits))).toStrictEqual(['/version', '/title', '/sections', '/submit'])
  })
})

describe('6.1 every problem', () => {
  it('of a model with a fault in every place is reported once', () => {
    const faulty = {
      version: 2,
      title: ' ',
      extra: 1,
      description: 7,
      sections: [
        { id: ' s', title: 'a\u0000', layout: { kind: 'grid', columns: 4 }, blocks: [] },
        {
          id: 'dup',
          layout: { kind: 'stack', columns: 2 },
          blocks: [
            { kind: 'markdown', text: '\n' },
            { kind: 'chart' },
            null,
            { kind: 'notice', tone: 'bad', text: '' },
          ],
        },
        {
          id: 'dup',
          blocks: [
            { kind: 'diff', after: null, language: null },
            { kind: 'metrics', items: [{ label: '', value: 1 }, 'x'] },
            {
              kind: 'table',
              columns: [
                { id: 'c', label: 'C' },
                { id: 'c', label: 'D' },
              ],
              rows: [{ c: {} }, 1, { d: 1 }, { c: '\ud800' }],
            },
          ],
        },
      ],
      fields: [
        { kind: 'text', id: 'dup', label: 'L', required: 'yes', initial: 'a\nb' },
        { kind: 'slider', id: 'x', label: '' },
        {
          kind: 'choice',
          id: 'c1',
          label: 'L',
          options: [
            { id: 'a', label: 'A' },
            { id: 'a', label: '' },
          ],
          initial: 'z',
        },
        {
          kind: 'order',
          id: 'o1',
          label: 'L',
          options: [
            { id: 'a', label: 'A' },
            { id: 'b', label: 'B' },
          ],
          initial: ['b', 'b'],
        },
        { kind: 'toggle', id: 'g1', label: 'L', initial: null, options: [] },
      ],
      submit: {},
    }
    expect(paths(parseModel(faulty, limits)).toSorted()).toStrictEqual(
      [
        '/version',
        '/title',
        '/extra',
        '/description',
        '/submit/label',
        '/sections/0/id',
        '/sections/0/title',
        '/sections/0/layout/columns',
        '/sections/0/blocks',
        '/sections/1/layout/columns',
        '/sections/1/blocks/0/text',
        '/sections/1/blocks/1/kind',
        '/sections/1/blocks/2',
        '/sections/1/blocks/3/tone',
        '/sections/1/blocks/3/text',
        '/sections/2/id',
        '/sections/2/blocks/0/after',
        '/sections/2/blocks/0/before',
        '/sections/2/blocks/0/language',
        '/sections/2/blocks/1/items/0/label',
        '/sections/2/blocks/1/items/0/value',
        '/sections/2/blocks/1/items/1',
        '/sections/2/blocks/2/columns/1/id',
        '/sections/2/blocks/2/rows/0/c',
        '/sections/2/blocks/2/rows/1',
        '/sections/2/blocks/2/rows/2/d',
        '/sections/2/blocks/2/rows/3/c',
        '/fields/0/id',
        '/fields/0/required',
        '/fields/0/initial',
        '/fields/1/kind',
        '/fields/1/label',
        '/fields/2/options/1/id',
        '/fields/2/options/1/label',
        '/fields/2/initial',
        '/fields/3/initial/1',
        '/fields/3/initial',
        '/fields/4/initial',
        '/fields/4/options',
      ].toSorted(),
    )
  })

  it.each<[string, unknown, string]>([
    [
      'options that cannot be read do not make a second problem of initial',
      {
        ...small,
        fields: [
          {
            kind: 'multi-choice',
            id: 'm',
            label: 'L',
            options: [{ label: 'A' }, { id: 'b', label: 'B' }],
            initial: ['a', 'b'],
          },
        ],
      },
      '/fields/0/options/0/id',
    ],
    [
      'a flag that cannot be read does not either',
      { ...small, fields: [{ kind: 'text', id: 't', label: 'L', multiline: 'yes', initial: 'a\nb' }] },
      '/fields/0/multiline',
    ],
    [
      'a column that cannot be read does not make problems of its cells',
      withSection({ kind: 'table', columns: [{ label: 'A' }, { id: 'b', label: 'B' }], rows: [{ a: 1, b: 2 }] }),
      '/sections/0/blocks/0/columns/0/id',
    ],
  ])('%s', (_, model, path) => {
    expect(paths(parseModel(model, limits))).toStrictEqual([path])
  })
})

describe('6.1 limits', () => {
  const toggles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ kind: 'toggle', id: `f${index}`, label: 'L' }))
  const options = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `o${index}`, label: 'L' }))
  const columns = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `c${index}`, label: 'L' }))
  const items = (count: number) => Array.from({ length: count }, () => ({ label: 'L', value: '1' }))
  const markdown = { kind: 'markdown', text: 'x' }
  const sized: [keyof typeof limits, (count: number) => unknown, string][] = [
    ['fields', (count) => ({ ...small, fields: toggles(count) }), '/fields'],
    [
      'sections',
      (count) => ({ ...small, sections: toggles(count).map(({ id }) => ({ id: `s${id}`, blocks: [markdown] })) }),
      '/sections',
    ],
    ['blocks', (count) => ({ ...small, sections: [{ id: 's', blocks: Array(count).fill(markdown) }] }), '/sections'],
    ['rows', (count) => withSection({ kind: 'table', columns: columns(1), rows: Array(count).fill({}) }), '/sections'],
    [
      'columns',
      (count) => withSection({ kind: 'table', columns: columns(count), rows: [] }),
      '/sections/0/blocks/0/columns',
    ],
    ['metrics', (count) => withSection({ kind: 'metrics', items: items(count) }), '/sections/0/blocks/0/items'],
    [
      'options',
      (count) => ({ ...small, fields: [{ kind: 'order', id: 'o', label: 'L', options: options(count) }] }),
      '/fields/0/options',
    ],
  ]

  it.each(sized)('%s are inclusive, configurable and not applied to a stored model', (name, build, path) => {
    expect(paths(parseModel(build(limits[name]), limits))).toStrictEqual([])
    expect(paths(parseModel(build(limits[name] + 1), limits))).toStrictEqual([path])
    expect(paths(parseModel(build(limits[name] + 1), { ...limits, [name]: limits[name] + 1 }))).toStrictEqual([])
    expect(paths(parseStoredModel(build(limits[name] + 1)))).toStrictEqual([])
  })

  it('raw text is judged as received, before it is parsed', () => {
    const text = JSON.stringify(small)
    const padded = (bytes: number) => ' '.repeat(bytes - utf8Length(text)) + text
    expect(parseModelText(padded(rawModelBytes(limits)), limits).ok).toBe(true)
    expect(paths(parseModelText(padded(rawModelBytes(limits) + 1), limits))).toStrictEqual([''])
    // Bytes count, not characters: this one would fall away when normalised.
    const blanks = (count: number) => JSON.stringify({ ...small, title: `T${'\u00a0'.repeat(count)}` })
    expect(parseModelText(blanks(100_000), limits).ok).toBe(true)
    expect(paths(parseModelText(blanks(150_000), limits))).toStrictEqual([''])
    expect(paths(parseModelText('{"a":', limits))).toStrictEqual([''])
    expect(paths(parseModelText('', limits))).toStrictEqual([''])
  })

  it('a stored model may ask for 100,000 cells over all its tables and no more', () => {
    const table = (rows: number) => ({ kind: 'table', columns: columns(10), rows: Array(rows).fill({}) })
    const model = (rows: number) => ({ ...small, sections: [{ id: 's', blocks: [table(5000), table(rows)] }] })
    const most = parseStoredModel(model(maxTableCells / 10 - 5000))
    expect(most.ok).toBe(true)
    expect(paths(parseStoredModel(model(maxTableCells / 10 - 4999)))).toStrictEqual(['/sections'])
  })

  it('a small input cannot make the parser fill in millions of cells', () => {
    const model = withSection({ kind: 'table', columns: columns(6000), rows: Array(40_000).fill({}) })
    // Filling in 240 million of them would run out of memory or of this test's time.
    expect(parseModel(model, limits).ok).toBe(false)
    expect(parseStoredModel(model).ok).toBe(false)
  })
})

/** Every place of a JSON value that holds one, the whole left out. */
function placesOf(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [[...at, key], ...placesOf(member, [...at, key])])
}

function setAt(root: unknown, place: readonly string[], value: unknown): void {
  let holder: unknown = root
  for (const key of place.slice(0, -1))
    holder = typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined
  const last = place.at(-1)
  if (typeof holder === 'object' && holder !== null && last !== undefined) Reflect.set(holder, last, value)
}
