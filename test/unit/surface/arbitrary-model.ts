/* Arbitrary models as a call may send them: legal, and not in normal form. */
import { fc } from '../../harness/property.ts'

const piece = fc.constantFrom(
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\u2028',
  '\u2029',
  '\u00a0',
  '\ufeff',
  '- a: b',
  'Note:',
  '  | ',
  '; ',
  '(none)',
  '1) ',
  ' [a]',
  '\u202e',
  '\u200f',
  '\u200b',
  '$&',
  '`',
  '<b>',
  '{{x}}',
  '成本',
  '👩‍👩‍👧',
  'é',
  'word',
)
const words = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))

/** A single line after normalisation, never blank. */
export const arbitraryLine = words.map((text) => `${text}x${text}`)
const optionalLine = fc.option(fc.oneof(words, fc.constant(' \t\n ')), { nil: undefined })
/** Text that may hold control characters, as long text may. */
export const arbitraryLongText = fc.oneof(
  words,
  words.map((text) => `${text}\u0000\u001b[1m${text}`),
)

/** What a person may type into a multi-line field. */
export const arbitraryLines = words
/** What a person may type into a single-line field. */
export const arbitraryAnswer = words.map((text) => text.replace(/[\n\r\u2028\u2029]/g, ' '))

const id = fc.oneof(
  fc.constantFrom(
    '0',
    '10',
    '2',
    'a',
    'b',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'a.b:c-d_',
    'Constructor',
    '__a'.slice(2),
  ),
  fc
    .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,8}$/)
    .filter((value) => value !== 'constructor' && value !== 'prototype'),
)
const ids = (min: number, max: number) => fc.uniqueArray(id, { minLength: min, maxLength: max })

const defined = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const cell = fc.oneof(
  words,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant(-0),
)

const table = ids(1, 4).chain((columns) =>
  fc.record({
    kind: fc.constant('table'),
    columns: fc.tuple(...columns.map((column) => arbitraryLine.map((label) => ({ label, id: column })))),
    rows: fc.array(
      fc.subarray(columns).chain((some) => fc.record(Object.fromEntries(some.map((column) => [column, cell])))),
      { maxLength: 4 },
    ),
  }),
)

const block = fc.oneof(
  fc.record({ text: arbitraryLongText.map((text) => `${text}.`), kind: fc.constant('markdown') }),
  fc.record({
    kind: fc.constant('metrics'),
    items: fc.array(fc.record({ value: arbitraryLine, label: arbitraryLine, detail: optionalLine }).map(defined), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  table,
  fc
    .record({
      kind: fc.constant('diff'),
      after: arbitraryLongText,
      before: fc.option(arbitraryLongText),
      path: optionalLine,
      language: optionalLine,
    })
    .map(defined),
  fc.record({ kind: fc.constant('notice'), tone: fc.constantFrom('neutral', 'info', 'warning'), text: arbitraryLine }),
)

const layout = fc.constantFrom(undefined, { kind: 'stack' }, { columns: 2, kind: 'grid' }, { kind: 'grid', columns: 3 })

const options = ids(1, 5).chain((all) =>
  fc.tuple(
    ...all.map((option) =>
      fc.record({ detail: optionalLine, label: arbitraryLine }).map((rest) => defined({ ...rest, id: option })),
    ),
  ),
)
const optionIds = (all: readonly Record<string, unknown>[]): string[] => all.map((option) => String(option.id))
const initially = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const field = fc.oneof(
  fc
    .record({
      initial: initially(arbitraryAnswer),
      required: initially(fc.boolean()),
      multiline: initially(fc.boolean()),
      kind: fc.constant('text'),
    })
    .map(defined),
  fc.record({ kind: fc.constant('toggle'), initial: initially(fc.boolean()) }).map(defined),
  options.chain((all) =>
    fc
      .record({
        options: fc.constant(all),
        kind: fc.constant('choice'),
        initial: initially(fc.constantFrom(...optionIds(all))),
      })
      .map(defined),
  ),
  options.chain((all) =>
    fc
      .record({
        options: fc.constant(all),
        kind: fc.constant('multi-choice'),
        initial: initially(fc.shuffledSubarray(optionIds(all))),
      })
      .map(defined),
  ),
  options.chain((all) =>
    fc
      .record({
        options: fc.constant(all),
        kind: fc.constant('order'),
        initial: initially(fc.shuffledSubarray(optionIds(all), { minLength: all.length })),
      })
      .map(defined),
  ),
)

export const arbitraryModel: fc.Arbitrary<Record<string, unknown>> = ids(1, 8).chain((names) =>
  fc.integer({ min: 0, max: names.length }).chain((sections) =>
    fc
      .record({
        submit: fc.record({ label: arbitraryLine }),
        description: initially(arbitraryLongText),
        fields: fc.tuple(
          ...names
            .slice(sections)
            .map((name) => fc.tuple(field, arbitraryLine).map(([rest, label]) => ({ ...rest, label, id: name }))),
        ),
        title: arbitraryLine,
        sections: fc.tuple(
          ...names
            .slice(0, sections)
            .map((name) =>
              fc
                .record({ blocks: fc.array(block, { minLength: 1, maxLength: 3 }), layout, title: optionalLine })
                .map((rest) => defined({ ...rest, id: name })),
            ),
        ),
        version: fc.constant(1),
      })
      .map(defined),
  ),
)
