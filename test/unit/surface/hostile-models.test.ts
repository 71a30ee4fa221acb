import { expect, it } from 'vitest'
import { defaultTaskSurfaceLimits as limits } from '../../../shared/surface/limits.ts'
import { parseModel, parseStoredModel } from '../../../shared/surface/parse.ts'
import { hostileStrings } from './hostile-strings.ts'

const modelOf = (text: string) => ({
  version: 1,
  title: `T ${text}`,
  description: text,
  sections: [
    {
      id: 's',
      title: text,
      blocks: [
        { kind: 'markdown', text: `.${text}` },
        { kind: 'metrics', items: [{ label: `L ${text}`, value: `V ${text}`, detail: text }] },
        { kind: 'table', columns: [{ id: 'c', label: `C ${text}` }], rows: [{ c: text }] },
        { kind: 'diff', path: text, before: text, after: text, language: text },
        { kind: 'notice', tone: 'info', text: `.${text}` },
      ],
    },
  ],
  fields: [{ kind: 'choice', id: 'f', label: `F ${text}`, options: [{ id: 'a', label: `O ${text}`, detail: text }] }],
  submit: { label: `S ${text}` },
})

it('6.1 hostile text in every place is normalised once and for all, or refused for what it holds', () => {
  for (const text of hostileStrings) {
    const parsed = parseModel(modelOf(text), limits)
    if (parsed.ok) {
      expect(parseStoredModel(JSON.parse(parsed.canonical))).toStrictEqual(parsed)
      expect(parsed.model.sections[0]?.blocks[0]).toStrictEqual({
        kind: 'markdown',
        text: `.${text.replace(/\r\n?/g, '\n')}`,
      })
      expect(parsed.model.title).toBe(`T ${text}`.replace(/\s+/g, ' ').trim())
    } else expect(text).toMatch(/\p{Cc}|\p{Surrogate}/u)
  }
})

it('6.1 hostile ids are refused, not trimmed or escaped', () => {
  const legal = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/
  for (const id of hostileStrings) {
    const parsed = parseModel({ ...modelOf('x'), fields: [{ kind: 'toggle', id, label: 'L' }] }, limits)
    expect(parsed.ok).toBe(legal.test(id) && id !== 'constructor' && id !== 'prototype')
  }
})
