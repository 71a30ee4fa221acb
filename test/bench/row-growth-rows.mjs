/* What a larger form costs: reading and checking a model with many rows or fields against one with few, and the answers to it,
   for each row or field. More than the same for each would mean that time grows faster than the form. */
import { defaultTaskSurfaceLimits as limits } from '../../dist/shared/surface/limits.js'
import { submissionText } from '../../dist/shared/surface/message-text.js'
import { parseModelText } from '../../dist/shared/surface/parse.js'
import { validateSubmission } from '../../dist/shared/surface/submission.js'
import { inTurn, medianPair, printRow } from './figures.mjs'

/** Of one sample. */
const parts = 3_200

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index))
const columns = many(4, (index) => ({ id: `c${index}`, label: `Column ${index}` }))
const row = (index) => ({ c0: index, c1: `row ${index}`, c2: 'costs less in the first year', c3: null })
const options = many(8, (index) => ({ id: `o${index}`, label: `Option ${index}` }))
const fieldKinds = [
  { kind: 'text', multiline: true },
  { kind: 'choice', options },
  { kind: 'multi-choice', options },
  { kind: 'order', options },
]
const field = (index) => ({ id: `f${index}`, label: `Field ${index}`, ...fieldKinds[index % fieldKinds.length] })
const answers = [
  'Because of the first year.\nAnd the third.',
  'o3',
  ['o1', 'o2'],
  options.map(({ id }) => id).toReversed(),
]

const modelText = ({ rows = 1, fields = 1 }) =>
  JSON.stringify({
    version: 1,
    title: 'Plans',
    sections: [{ id: 's', title: 'Costs', blocks: [{ kind: 'table', columns, rows: many(rows, row) }] }],
    fields: many(fields, field),
    submit: { label: 'Send' },
  })

function read(text) {
  const parsed = parseModelText(text, limits)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  return parsed.model
}

function answer({ model, values }) {
  const checked = validateSubmission(model, values, undefined, limits)
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return submissionText(model, checked.values)
}

function submissionOf(fields) {
  const values = Object.fromEntries(many(fields, (index) => [`f${index}`, answers[index % answers.length]]))
  return { model: read(modelText({ fields })), values }
}

/** Microseconds for each part. */
function timing(count, work, input) {
  return async () => {
    const begun = performance.now()
    for (let left = parts; left > 0; left -= count) work(input)
    return ((performance.now() - begun) / parts) * 1000
  }
}

async function measure(name, value, floor) {
  const samples = await inTurn({ rounds: 21, warmUp: 3, value, floor })
  printRow({ name, unit: 'µs', ...medianPair(samples), goal: 1.5 })
}

await measure(
  'checking a table of 200 rows, for each of them, against 20',
  timing(200, read, modelText({ rows: 200 })),
  timing(20, read, modelText({ rows: 20 })),
)
await measure(
  'checking a form of 32 fields, for each of them, against 4',
  timing(32, read, modelText({ fields: 32 })),
  timing(4, read, modelText({ fields: 4 })),
)
await measure(
  'reading answers to 32 fields, for each of them, against 4',
  timing(32, answer, submissionOf(32)),
  timing(4, answer, submissionOf(4)),
)
