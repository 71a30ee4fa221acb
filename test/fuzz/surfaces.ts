/* Surfaces that the scripted model shows, and what a person sends for one: right, or wrong in one place. */
import type { Json, JsonObject } from '../../shared/json.ts'
import type { TaskSurfaceField, TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import type { Random } from './random.ts'

const options = ['a', 'b', 'c'].map((id) => ({ id, label: `Option ${id}` }))
const fields: readonly JsonObject[] = [
  { kind: 'text', id: 'name', label: 'Name' },
  { kind: 'text', id: 'why', label: 'Why', multiline: true },
  { kind: 'toggle', id: 'ship', label: 'Ship' },
  { kind: 'choice', id: 'one', label: 'One', options },
  { kind: 'multi-choice', id: 'some', label: 'Some', options },
  { kind: 'order', id: 'order', label: 'Order', options },
]

/** Of one to six fields, or none at all. */
export function randomModel(random: Random, title: string): JsonObject {
  const chosen = fields.filter(() => random.chance(0.5))
  const sections = [{ id: 'look', blocks: [{ kind: 'markdown', text: '**Look**' }] }]
  return {
    version: 1,
    title,
    sections: chosen.length > 0 && random.chance(0.5) ? [] : sections,
    ...(chosen.length > 0 && { fields: chosen }),
    submit: { label: 'Send' },
  }
}

export function rightValues(random: Random, { fields: asked = [] }: TaskSurfaceModelV1): JsonObject {
  return Object.fromEntries(
    asked.flatMap((field) => {
      const value = rightValue(random, field)
      return value === undefined ? [] : [[field.id, value]]
    }),
  )
}

export function wrongValues(random: Random, model: TaskSurfaceModelV1): JsonObject {
  const values = rightValues(random, model)
  const field = random.pick(model.fields ?? [])
  if (field === undefined || random.chance(0.3)) return { ...values, unknown: true }
  return { ...values, [field.id]: field.kind === 'toggle' ? 'yes' : { nested: [] } }
}

function rightValue(random: Random, field: TaskSurfaceField): Json | undefined {
  switch (field.kind) {
    case 'text':
      return random.chance(0.2) && field.required !== true ? undefined : random.one('Ada', 'Bo: x', 'a  b')
    case 'toggle':
      return random.chance(0.5)
    case 'choice':
      return random.chance(0.2) ? undefined : random.pick(field.options)?.id
    case 'multi-choice':
      return field.options.filter(() => random.chance(0.5)).map(({ id }) => id)
    case 'order': {
      const ids = field.options.map(({ id }) => id)
      return random.chance(0.5) ? ids : ids.toReversed()
    }
  }
}
