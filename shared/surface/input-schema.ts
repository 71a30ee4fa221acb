/* The input of `show_task_surface` as an agent sees it: one JSON Schema, byte-stable for given limits, whatever is shown.
   It describes a good surface; `parse.ts` decides. Only keywords that every model provider takes: `enum` rather than `const`,
   `anyOf` rather than `oneOf`, no `$ref`. */
import type { Json, JsonObject } from '../json.ts'
import type { TaskSurfaceLimits } from './limits.ts'
import { defaultTaskSurfaceLimits } from './limits.ts'

const line = (description: string): JsonObject => ({
  type: 'string',
  description: `${description} One line, plain text.`,
})
const text = (description: string): JsonObject => ({ type: 'string', description })
const id = (description: string): JsonObject => ({
  type: 'string',
  description: `${description} 1 to 64 characters out of A-Z a-z 0-9 . _ : - beginning with a letter or a digit.`,
})
const list = (items: JsonObject, description: string, minItems = 1): JsonObject => ({
  type: 'array',
  description,
  minItems,
  items,
})
const kind = (name: string): JsonObject => ({ type: 'string', enum: [name] })

function object(properties: JsonObject, required: string[], description?: string): JsonObject {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    required,
    additionalProperties: false,
  }
}

export function showTaskSurfaceSchema(limits: TaskSurfaceLimits): JsonObject {
  return object({ model: modelSchema(limits) }, ['model'])
}

/** For the default limits. */
export const showTaskSurfaceInputSchema: JsonObject = showTaskSurfaceSchema(defaultTaskSurfaceLimits)

function modelSchema(limits: TaskSurfaceLimits): JsonObject {
  return object(
    {
      version: { type: 'integer', enum: [1] },
      title: line('What the person is asked to decide or to look at.'),
      description: text('A sentence or two of context below the title. Leave it out if the title says enough.'),
      sections: list(
        sectionSchema(limits),
        `What to read before answering, in order; may be empty when there are fields. At most ${limits.sections} sections, ${limits.blocks} blocks and ${limits.rows} table rows in all.`,
        0,
      ),
      fields: list(
        { anyOf: fieldSchemas(limits) },
        `What to answer, in order, below the sections; leave it out when there is nothing to answer. At most ${limits.fields}; ask only for what you need.`,
        0,
      ),
      submit: object({ label: line('What the button does, such as "Start the release".') }, ['label']),
    },
    ['version', 'title', 'sections', 'submit'],
    `One bounded form, at most ${limits.modelBytes} bytes of JSON. Leave optional members out instead of sending null. Ids are unique: sections and fields together, options in their field, columns in their table.`,
  )
}

function sectionSchema(limits: TaskSurfaceLimits): JsonObject {
  return object(
    {
      id: id('Names the section.'),
      title: line('A heading.'),
      layout: {
        description: 'Blocks below each other unless a grid is asked for; a grid collapses on narrow screens.',
        anyOf: [
          object({ kind: kind('stack') }, ['kind']),
          object({ kind: kind('grid'), columns: { type: 'integer', enum: [2, 3] } }, ['kind', 'columns']),
        ],
      },
      blocks: list({ anyOf: blockSchemas(limits) }, 'At least one.'),
    },
    ['id', 'blocks'],
  )
}

function blockSchemas(limits: TaskSurfaceLimits): Json[] {
  const metric = object(
    {
      label: line('What is measured.'),
      value: line('As it should be read, unit included.'),
      detail: line('A short remark.'),
    },
    ['label', 'value'],
  )
  const column = object({ id: id('The key of its cells.'), label: line('The heading.') }, ['id', 'label'])
  return [
    object(
      {
        kind: kind('markdown'),
        text: text('GitHub-flavoured Markdown. Raw HTML is left out and images show their alternative text.'),
      },
      ['kind', 'text'],
    ),
    object(
      { kind: kind('metrics'), items: list(metric, `At most ${limits.metrics}.`) },
      ['kind', 'items'],
      'Figures side by side.',
    ),
    object(
      {
        kind: kind('table'),
        columns: list(column, `At most ${limits.columns}.`),
        rows: {
          type: 'array',
          description: 'Cells by column id; a missing cell is empty.',
          items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
        },
      },
      ['kind', 'columns', 'rows'],
    ),
    object(
      {
        kind: kind('diff'),
        path: line('The file.'),
        before: { type: ['string', 'null'], description: 'The old text; null for a new file.' },
        after: text('The new text.'),
        language: line('For highlighting, such as "ts".'),
      },
      ['kind', 'before', 'after'],
    ),
    object(
      { kind: kind('notice'), tone: { type: 'string', enum: ['neutral', 'info', 'warning'] }, text: text('Markdown.') },
      ['kind', 'tone', 'text'],
    ),
  ]
}

function fieldSchemas(limits: TaskSurfaceLimits): Json[] {
  const named = (name: string): JsonObject => ({
    kind: kind(name),
    id: id('The key of the answer.'),
    label: line('The question, as the person reads it and as you read it back with the answer.'),
  })
  const option = object(
    { id: id('The answer.'), label: line('The option.'), detail: line('What choosing it means.') },
    ['id', 'label'],
  )
  const options = list(option, `At most ${limits.options}.`)
  const ids = (description: string): JsonObject => ({ type: 'array', description, items: { type: 'string' } })
  const needed = ['kind', 'id', 'label']
  return [
    object(
      {
        ...named('text'),
        multiline: { type: 'boolean' },
        required: { type: 'boolean', description: 'True: may not be left blank.' },
        initial: text('What stands in it at first.'),
      },
      needed,
      'Free text.',
    ),
    object(
      { ...named('choice'), options, initial: text('The id of the option chosen at first.') },
      [...needed, 'options'],
      'One option or none.',
    ),
    object(
      { ...named('multi-choice'), options, initial: ids('Ids chosen at first.') },
      [...needed, 'options'],
      'Any number of options.',
    ),
    object({ ...named('toggle'), initial: { type: 'boolean' } }, needed, 'Yes or no.'),
    object(
      { ...named('order'), options, initial: ids('Every option id once, in the order shown at first.') },
      [...needed, 'options'],
      'The person puts the options into an order.',
    ),
  ]
}
