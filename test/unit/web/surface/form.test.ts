/* The values of an open form and what is sent of them. */
import { fc } from '../../../harness/property.ts'
import { expect, test } from 'vitest'
import type { TaskSurfaceModelV1 } from '../../../../shared/surface/model.ts'
import { validateSubmission } from '../../../../shared/surface/submission.ts'
import { answersOf, createForm, noteKey } from '../../../../web/plugins/task-surface/form.ts'
import { issueKey, issueWords } from '../../../../web/plugins/task-surface/issue-words.ts'
import { surfaceTexts } from '../../../../web/plugins/task-surface/strings.ts'
import { everyField } from '../../../e2e/surface-models.ts'

const unlimited = { submissionBytes: Number.POSITIVE_INFINITY }

test('F-ONE a change tells the listeners of its field alone', () => {
  const form = createForm(everyField, null)
  const told: string[] = []
  for (const key of ['ticket', 'stop', noteKey]) form.subscribe(key, () => told.push(key))
  form.set('ticket', 'a')
  form.set('ticket', 'a')
  form.set(noteKey, 'b')
  expect(told).toEqual(['ticket', noteKey])
})

test('F-ONE lists with the same rows are the same value', () => {
  const form = createForm(everyField, null)
  let told = 0
  form.subscribe('steps', () => (told += 1))
  form.set('steps', ['a', 'b', 'c', 'd'])
  expect(told).toBe(0)
})

test('FI-FALSY false, an empty list and an order nobody touched are sent, an empty text is not', () => {
  expect(answersOf(createForm(everyField, null))).toEqual({
    values: { pre: [], freeze: false, steps: ['a', 'b', 'c', 'd'] },
  })
})

test('FI-FALSY a choice that was cleared stays cleared after a reload, whatever the model proposes', () => {
  const model: TaskSurfaceModelV1 = {
    ...everyField,
    fields: [{ kind: 'choice', id: 'c', label: 'C', options: [{ id: 'x', label: 'X' }], initial: 'x' }],
  }
  expect(createForm(model, null).get('c')).toBe('x')
  expect(createForm(model, { values: new Map(), note: '' }).get('c')).toBeUndefined()
})

test('FI-FALSY the texts 0 and false are answers', () => {
  const form = createForm(everyField, null)
  form.set('ticket', '0')
  form.set('stop', 'false')
  expect(answersOf(form).values).toMatchObject({ ticket: '0', stop: 'false' })
})

test('F-CHECK what storage holds is taken only where the model allows it', () => {
  const stored = new Map<string, string | boolean | string[]>([
    ['on', 'gone'],
    ['ticket', ['x']],
    ['pre', ['pause', 'gone', 'snapshot']],
    ['freeze', 'true'],
    ['steps', ['a', 'a', 'b', 'c']],
    ['unknown', 'x'],
  ])
  const form = createForm(everyField, { values: stored, note: 'n' })
  expect(answersOf(form)).toEqual({
    values: { pre: ['snapshot', 'pause'], freeze: false, steps: ['a', 'b', 'c', 'd'] },
    note: 'n',
  })
})

test('F-CHECK whatever storage holds, what is sent has the shape of the model', () => {
  const value = fc.oneof(fc.string(), fc.boolean(), fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'replica', 'x')))
  const stored = fc.dictionary(fc.constantFrom('on', 'ticket', 'stop', 'pre', 'freeze', 'steps', 'toString'), value)
  fc.assert(
    fc.property(stored, (values) => {
      const answers = answersOf(createForm(everyField, { values: new Map(Object.entries(values)), note: '' }))
      const checked = validateSubmission(everyField, answers.values, undefined, unlimited)
      const wrong = checked.ok ? [] : checked.issues.map(({ path }) => path)
      // Only what a person typed may still be wrong.
      expect(wrong.every((path) => path === '/values/ticket' || path === '/values/stop')).toBe(true)
    }),
    { seed: 7 },
  )
})

test('FI-NAME an issue finds its field, the note, or the whole', () => {
  const keyOf = (path: string) => issueKey(everyField, { path, message: '' })
  expect(['/values/ticket', '/values/pre/1', '/note', '', '/values/none'].map(keyOf)).toEqual([
    'ticket',
    'pre',
    noteKey,
    null,
    null,
  ])
})

test('FI-NAME the words for an issue follow from field and value, not from the message', () => {
  const t = surfaceTexts.text
  const words = (id: string, value: string | undefined) => {
    const field = everyField.fields?.find((one) => one.id === id) ?? null
    return issueWords(field, value, { path: '', message: 'any' }, t)
  }
  expect(words('ticket', '')).toBe('Enter “Change ticket”.')
  expect(words('ticket', 'a\nb')).toBe('Keep “Change ticket” to one line.')
  expect(words('ticket', 'a\u0007')).toContain('characters that cannot be sent')
  expect(words('on', 'gone')).toContain('no longer one of the options')
  expect(words('ticket', 'fine')).toBe('The host says: any.')
})
