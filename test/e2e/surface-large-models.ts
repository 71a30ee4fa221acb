/* The largest models that the limits allow, each heavy in another way. Every one is checked against the parser. */
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { TaskSurfaceField, TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { parseModel } from '../../shared/surface/parse.ts'

function checked(model: TaskSurfaceModelV1): TaskSurfaceModelV1 {
  const parsed = parseModel(model, defaultTaskSurfaceLimits)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues[0]))
  return parsed.model
}

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))
const line: TaskSurfaceField = { kind: 'text', id: 'line', label: 'Line' }
const submit = { label: 'Send' }

/** 64 blocks of every kind, 32 fields of every kind, 200 rows, close to 64 KiB. */
export const largestMixed = checked({
  version: 1,
  title: 'Everything at once',
  sections: many(32, (section) => ({
    id: `s${section}`,
    title: `Section ${section}`,
    blocks: [
      {
        kind: 'markdown',
        text: many(
          6,
          (index) => `- **Point ${index}** about _${section}_ with \`code\` and [a link](https://a.example/${index}).`,
        ).join('\n'),
      },
      section % 4 === 0
        ? {
            kind: 'table',
            columns: [
              { id: 'a', label: 'A' },
              { id: 'b', label: 'B' },
            ],
            rows: many(25, (index) => ({ a: index, b: `row ${index}` })),
          }
        : section % 4 === 1
          ? {
              kind: 'diff',
              before: many(20, (index) => `line ${index}`).join('\n'),
              after: many(20, (index) => `line ${index % 5 === 0 ? -index : index}`).join('\n'),
            }
          : section % 4 === 2
            ? { kind: 'metrics', items: many(6, (index) => ({ label: `Metric ${index}`, value: `${index} ms` })) }
            : { kind: 'notice', tone: 'warning', text: 'Mind this.'.repeat(10) },
    ],
  })),
  fields: [
    line,
    ...many(31, (index): TaskSurfaceField => {
      const options = many(8, (option) => ({ id: `o${option}`, label: `Option ${option}`, detail: 'What it means' }))
      const id = `f${index}`
      const label = `Field ${index}`
      if (index % 5 === 0) return { kind: 'order', id, label, options }
      if (index % 5 === 1) return { kind: 'choice', id, label, options }
      if (index % 5 === 2) return { kind: 'multi-choice', id, label, options }
      return index % 5 === 3 ? { kind: 'toggle', id, label } : { kind: 'text', id, label, multiline: true }
    }),
  ],
  submit,
})

/** 31 lists of 56 rows each, all to be put in order. */
export const largestOrders = checked({
  version: 1,
  title: 'Put it all in order',
  sections: [],
  fields: [
    line,
    ...many(31, (index): TaskSurfaceField => ({
      kind: 'order',
      id: `f${index}`,
      label: `L${index}`,
      options: many(56, (option) => ({ id: `${option}`, label: `${option}` })),
    })),
  ],
  submit,
})

export const largestChoices = checked({
  version: 1,
  title: 'Choose',
  sections: [],
  fields: [
    line,
    ...many(31, (index): TaskSurfaceField => ({
      kind: index % 2 === 0 ? 'choice' : 'multi-choice',
      id: `f${index}`,
      label: `L${index}`,
      options: many(56, (option) => ({ id: `${option}`, label: `${option}` })),
    })),
  ],
  submit,
})

/** One text of Markdown as long as a model can be. */
export const largestText = checked({
  version: 1,
  title: 'A long text',
  sections: [
    {
      id: 's',
      blocks: [
        {
          kind: 'markdown',
          text: 'Every path ends with the **same** schema, see `docs` and [this](https://a.example).\n\n- one\n- two\n\n'.repeat(
            590,
          ),
        },
      ],
    },
  ],
  fields: [line],
  submit,
})

/** 200 rows of 24 columns. */
export const largestTable = checked({
  version: 1,
  title: 'A wide table',
  sections: [
    {
      id: 's',
      blocks: [
        {
          kind: 'table',
          columns: many(24, (index) => ({ id: `${index}`, label: `C${index}` })),
          rows: many(200, (row) => Object.fromEntries(many(24, (column) => [`${column}`, row]))),
        },
      ],
    },
  ],
  fields: [line],
  submit,
})

/** Two texts of one-letter lines with nothing in common. */
export const largestDiff = checked({
  version: 1,
  title: 'Another file altogether',
  sections: [{ id: 's', blocks: [{ kind: 'diff', before: 'a\n'.repeat(9_000), after: 'b\n'.repeat(9_000) }] }],
  fields: [line],
  submit,
})

/** One line on each side, 30 KiB each. */
export const longestLine = checked({
  version: 1,
  title: 'One line',
  sections: [{ id: 's', blocks: [{ kind: 'diff', before: 'x'.repeat(30_000), after: `${'x'.repeat(29_999)}y` }] }],
  fields: [line],
  submit,
})
