import { fc } from '../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { defaultTaskSurfaceLimits as limits } from '../../../shared/surface/limits.ts'
import { submissionText } from '../../../shared/surface/message-text.ts'
import type { TaskSurfaceField, TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import { parseModel } from '../../../shared/surface/parse.ts'
import type { CheckedSubmission } from '../../../shared/surface/submission.ts'
import { samePayload, validateSubmission } from '../../../shared/surface/submission.ts'
import { utf8Length } from '../../../shared/utf8.ts'
import { arbitraryAnswer, arbitraryLines, arbitraryModel } from './arbitrary-model.ts'
import { hostileStrings } from './hostile-strings.ts'

const form = (...fields: TaskSurfaceField[]): TaskSurfaceModelV1 => ({
  version: 1,
  title: 'Form',
  sections: [],
  fields,
  submit: { label: 'Go' },
})
const line: TaskSurfaceField = { kind: 'text', id: 't', label: 'Text' }
const lines: TaskSurfaceField = { ...line, multiline: true }
const issuesOf = (checked: CheckedSubmission): string[] => (checked.ok ? [] : checked.issues.map((issue) => issue.path))

/** A legal model with legal values, as sent. */
const arbitrarySubmission = arbitraryModel.chain((input) => {
  const parsed = parseModel(input, limits)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  const fields = parsed.model.fields ?? []
  return fc.record({
    model: fc.constant(parsed.model),
    values: fc
      .tuple(...fields.map(arbitraryValue))
      .map((answers) =>
        Object.fromEntries(
          fields
            .flatMap((field, index) => (answers[index] === undefined ? [] : [[field.id, answers[index]]]))
            .toReversed(),
        ),
      ),
    note: fc.option(arbitraryLines, { nil: undefined }),
  })
})

function arbitraryValue(field: TaskSurfaceField): fc.Arbitrary<unknown> {
  const absent = fc.constant(undefined)
  switch (field.kind) {
    case 'text':
      if (field.required === true)
        return (field.multiline === true ? arbitraryLines : arbitraryAnswer).map((text) => `${text}.`)
      return fc.oneof(field.multiline === true ? arbitraryLines : arbitraryAnswer, absent)
    case 'choice':
      return fc.oneof(fc.constantFrom(...field.options.map((option) => option.id)), absent)
    case 'multi-choice':
      return fc.shuffledSubarray(field.options.map((option) => option.id))
    case 'toggle':
      return fc.boolean()
    case 'order':
      return fc.shuffledSubarray(
        field.options.map((option) => option.id),
        { minLength: field.options.length },
      )
  }
}

describe('6.4 values', () => {
  it('any legal answer is taken, and its normal form is a legal answer with the same payload', () => {
    fc.assert(
      fc.property(arbitrarySubmission, ({ model, values, note }) => {
        const first = validateSubmission(model, values, note, limits)
        if (!first.ok) throw new Error(JSON.stringify(first.issues))
        const again = validateSubmission(model, JSON.parse(JSON.stringify(first.values)), first.note, limits)
        if (!again.ok) throw new Error(JSON.stringify(again.issues))
        expect(again.canonical).toBe(first.canonical)
        const payload = (checked: typeof first) => ({
          surfaceId: 's',
          values: checked.values,
          text: submissionText(model, checked.values, checked.note),
        })
        expect(samePayload(payload(first), payload(again))).toBe(true)
        expect(samePayload(payload(first), { ...payload(again), surfaceId: 'other' })).toBe(false)
        expect(samePayload(payload(first), { ...payload(again), text: `${payload(again).text} ` })).toBe(false)
        expect(samePayload(payload(first), { ...payload(again), values: { ...again.values, more: true } })).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('any input is answered, never thrown at, with pointers into {values, note}', () => {
    fc.assert(
      fc.property(
        arbitraryModel,
        fc.oneof(fc.jsonValue(), fc.anything()),
        fc.oneof(fc.constant(undefined), fc.anything()),
        (input, values, note) => {
          const parsed = parseModel(input, limits)
          if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
          const checked = validateSubmission(parsed.model, values, note, limits)
          for (const path of issuesOf(checked)) expect(path).toMatch(/^(\/values(\/.*)?|\/note)$/s)
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['  a\n b \t', 'a\n b'],
    ['\u2028a\r\nb\ufeff', 'a\nb'],
    [' \r\n ', undefined],
  ])('a note %j is trimmed at its ends alone', (note, kept) => {
    const checked = validateSubmission(form(line), {}, note, limits)
    expect(checked).toMatchObject({ ok: true })
    expect(checked.ok && checked.note).toBe(kept)
  })

  it('every problem is reported at its place', () => {
    const options = [
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B' },
    ]
    const model = form(
      { ...line, id: '0', required: true },
      { ...lines, id: '1' },
      { kind: 'choice', id: '2', label: 'L', options },
      { kind: 'multi-choice', id: '3', label: 'L', options },
      { kind: 'toggle', id: '4', label: 'L' },
      { kind: 'order', id: '5', label: 'L', options },
    )
    const values = { 0: '\u2028', 1: '\u0085', 2: null, 3: ['a', 'a', 'z', 1], 5: ['a'], '6/~': 1 }
    expect(issuesOf(validateSubmission(model, values, '\u0000', limits)).toSorted()).toStrictEqual(
      [
        '/values/0',
        '/values/1',
        '/values/2',
        '/values/3/1',
        '/values/3/2',
        '/values/3/3',
        '/values/4',
        '/values/5',
        '/values/6~1~0',
        '/note',
      ].toSorted(),
    )
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('a key %s is unknown', (key) => {
    const values: unknown = JSON.parse(`{${JSON.stringify(key)}:{"t":"x"}}`)
    expect(issuesOf(validateSubmission(form(line), values, undefined, limits))).toStrictEqual([`/values/${key}`])
  })

  it('inherited members are no answers', () => {
    const values: unknown = Object.create({ t: 'x', g: true })
    const model = form({ ...line, required: true }, { kind: 'toggle', id: 'g', label: 'L' })
    expect(issuesOf(validateSubmission(model, values, undefined, limits))).toStrictEqual(['/values/t', '/values/g'])
  })

  it('32 KiB exactly pass, one byte more does not, whatever a character takes', () => {
    const overhead = utf8Length('{"values":{"t":""}}')
    for (const [unit, bytes] of [
      ['x', 1],
      ['é', 2],
      ['成', 3],
      ['🚀', 4],
      ['"', 2],
      ['\\', 2],
    ] as const) {
      const most = Math.floor((limits.submissionBytes - overhead) / bytes)
      const rest = 'x'.repeat(limits.submissionBytes - overhead - most * bytes)
      const exact = validateSubmission(form(line), { t: unit.repeat(most) + rest }, undefined, limits)
      expect(exact.ok && utf8Length(exact.canonical)).toBe(limits.submissionBytes)
      expect(
        issuesOf(validateSubmission(form(line), { t: `${unit.repeat(most)}${rest}x` }, undefined, limits)),
      ).toStrictEqual([''])
    }
  })
})

/** The lines of a message that no prefix marks as quoted, as a reader who knows the format sees them. */
const structure = (text: string): string[] =>
  text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((part) => !part.startsWith('  | '))

describe('6.4 message text', () => {
  it('of any answers has the lines the model asks for and no other', () => {
    fc.assert(
      fc.property(arbitrarySubmission, ({ model, values, note }) => {
        const checked = validateSubmission(model, values, note, limits)
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
        const found = structure(submissionText(model, checked.values, checked.note))
        const fields = model.fields ?? []
        expect(found).toHaveLength(1 + fields.length + (checked.note === undefined ? 0 : 2))
        expect(found[0]).toBe(model.title)
        for (const [index, field] of fields.entries())
          expect(found[index + 1]?.startsWith(`- ${field.label}:`)).toBe(true)
        if (checked.note !== undefined) expect(found.slice(-2)).toStrictEqual(['', 'Note:'])
      }),
      { numRuns: 300 },
    )
  })

  it('quotes every line of every hostile string, and says each one whole', () => {
    const model = form(lines, { ...line, id: 'g', label: 'Go' })
    let taken = 0
    for (const hostile of hostileStrings) {
      const checked = validateSubmission(model, { t: hostile, g: 'yes' }, hostile, limits)
      if (!checked.ok) continue
      taken++
      const text = submissionText(model, checked.values, checked.note)
      expect(structure(text).filter((part) => part !== '')).toStrictEqual([
        'Form',
        checked.values.t === undefined ? '- Text: (no answer)' : '- Text:',
        '- Go: yes',
        ...(checked.note === undefined ? [] : ['Note:']),
      ])
      const answer = hostile.replace(/\r\n?/g, '\n')
      const quoted = text
        .split('\n')
        .filter((part) => part.startsWith('  | '))
        .map((part) => part.slice(4))
      const expected = [
        ...(answer === '' ? [] : answer.split(/[\n\u2028\u2029]/)),
        ...(checked.note?.split(/[\n\u2028\u2029]/) ?? []),
      ]
      expect(quoted).toStrictEqual(expected)
    }
    expect(taken).toBeGreaterThan(450)
  })

  it('takes a hostile string in a single line whole or not at all', () => {
    const answers = hostileStrings.filter((hostile) => hostile !== '')
    const written = answers.map((hostile) => {
      const checked = validateSubmission(form(line), { t: hostile }, undefined, limits)
      return checked.ok ? submissionText(form(line), checked.values) : null
    })
    expect(written).toStrictEqual(
      answers.map((hostile) =>
        /(?!\t)\p{Cc}|\p{Surrogate}|[\u2028\u2029]/u.test(hostile) ? null : `Form\n- Text: ${hostile}`,
      ),
    )
  })

  it('says an answer that reads like none apart from none by its own rules only', () => {
    expect(submissionText(form(line), { t: '(no answer)' })).toBe('Form\n- Text: (no answer)')
    expect(submissionText(form(lines), { t: '(no answer)' })).toBe('Form\n- Text:\n  | (no answer)')
  })
})
