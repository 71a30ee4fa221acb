/* A Task Surface as a form of the client (SPEC 11): flat, of strings, switches and numbers. Pure. What a person must see
   as a table or a diff to answer does not fit and stays in the browser. An order is asked for as one rank per option. */
import { z } from 'zod'
import { jsonObjectSchema, type Json, type JsonObject } from '../../shared/json.ts'
import type { TaskSurfaceBlock, TaskSurfaceField, TaskSurfaceModelV1 } from '../../shared/surface/model.ts'

type Choice = { const: string; title: string }

/** The members of a form that clients know. */
export type ElicitationProperty =
  | { type: 'string'; title: string; default?: string; minLength?: number }
  | { type: 'string'; title: string; oneOf: Choice[]; default?: string }
  | { type: 'array'; title: string; items: { anyOf: Choice[] }; default?: string[] }
  | { type: 'boolean'; title: string; default: boolean }
  | { type: 'integer'; title: string; minimum: number; maximum: number; default?: number }

export interface ElicitationForm {
  message: string
  requestedSchema: { type: 'object'; properties: Record<string, ElicitationProperty>; required?: string[] }
}

/** What fits into a dialog of a terminal. More is answered in the browser. */
const maxMessageLength = 4_000
const maxProperties = 24

/** `problem`: why an earlier answer did not do. Null: this surface does not fit. */
export function elicitationForm(model: TaskSurfaceModelV1, problem: string | null): ElicitationForm | null {
  const fields = model.fields ?? []
  const properties = Object.fromEntries(fields.flatMap(propertiesOf))
  const count = Object.keys(properties).length
  const message = messageOf(model, problem)
  if (count === 0 || count > maxProperties || message === null || message.length > maxMessageLength) return null
  const required = fields.flatMap(requiredOf)
  return { message, requestedSchema: { type: 'object', properties, ...(required.length > 0 && { required }) } }
}

/** The values of a submission; null where ranks make no order. They are judged like those of any other door. */
export function elicitedValues(model: TaskSurfaceModelV1, content: unknown): JsonObject | null {
  const given = jsonObjectSchema.safeParse(content)
  if (!given.success) return null
  const values: JsonObject = {}
  for (const field of model.fields ?? []) {
    const value = field.kind === 'order' ? orderOf(field, given.data) : given.data[field.id]
    if (value === null) return null
    if (value !== undefined) values[field.id] = value
  }
  return values
}

/** `#` stands in no id. */
const rankKey = (fieldId: string, optionId: string): string => `${fieldId}#${optionId}`

function propertiesOf(field: TaskSurfaceField): [string, ElicitationProperty][] {
  const { id, label: title } = field
  switch (field.kind) {
    case 'text': {
      const { initial, required } = field
      const more = { ...(initial !== undefined && { default: initial }), ...(required === true && { minLength: 1 }) }
      return [[id, { type: 'string', title, ...more }]]
    }
    case 'choice': {
      const { initial } = field
      return [
        [id, { type: 'string', title, oneOf: choices(field), ...(initial !== undefined && { default: initial }) }],
      ]
    }
    case 'multi-choice':
      return [[id, { type: 'array', title, items: { anyOf: choices(field) }, default: field.initial ?? [] }]]
    case 'toggle':
      return [[id, { type: 'boolean', title, default: field.initial ?? false }]]
    case 'order': {
      const { options, initial = options.map((option) => option.id) } = field
      return options.map((option) => [
        rankKey(id, option.id),
        {
          type: 'integer',
          title: `${title}: rank of ${option.label}`,
          minimum: 1,
          maximum: options.length,
          default: initial.indexOf(option.id) + 1,
        },
      ])
    }
  }
}

function requiredOf(field: TaskSurfaceField): string[] {
  switch (field.kind) {
    case 'text':
      return field.required === true ? [field.id] : []
    case 'choice':
      return []
    case 'multi-choice':
    case 'toggle':
      return [field.id]
    case 'order':
      return field.options.map((option) => rankKey(field.id, option.id))
  }
}

function choices({ options }: Extract<TaskSurfaceField, { kind: 'choice' | 'multi-choice' }>): Choice[] {
  return options.map(({ id, label, detail }) => ({
    const: id,
    title: detail === undefined ? label : `${label} (${detail})`,
  }))
}

/** Null: two options have one rank, or one has none. */
function orderOf({ id, options }: Extract<TaskSurfaceField, { kind: 'order' }>, given: JsonObject): Json {
  const ranked = options.map((option) => ({
    id: option.id,
    rank: z.int().safeParse(given[rankKey(id, option.id)]).data,
  }))
  if (ranked.some(({ rank }) => rank === undefined)) return null
  if (new Set(ranked.map(({ rank }) => rank)).size < ranked.length) return null
  return ranked.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0)).map((option) => option.id)
}

function messageOf({ title, description, sections }: TaskSurfaceModelV1, problem: string | null): string | null {
  const texts = [...(problem === null ? [] : [problem]), title, ...(description === undefined ? [] : [description])]
  for (const section of sections) {
    if (section.title !== undefined) texts.push(section.title)
    for (const block of section.blocks) {
      const text = textOf(block)
      if (text === null) return null
      texts.push(text)
    }
  }
  return texts.join('\n\n')
}

function textOf(block: TaskSurfaceBlock): string | null {
  switch (block.kind) {
    case 'markdown':
    case 'notice':
      return block.text
    case 'metrics':
      return block.items
        .map(({ label, value, detail }) => `${label}: ${value}${detail === undefined ? '' : ` (${detail})`}`)
        .join('\n')
    case 'table':
    case 'diff':
      return null
  }
}
