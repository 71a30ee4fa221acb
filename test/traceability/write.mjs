/* Writes `README.md` beside this file from `task-surface.json` and `planted.json`: which test would fail if a rule of Task
   Surface were broken, and which faults were planted to see it. `--check` writes nothing and fails when it is stale. */
import { readFileSync, writeFileSync } from 'node:fs'

const file = (name) => new URL(name, import.meta.url)
const json = (name) => JSON.parse(readFileSync(file(name), 'utf8'))

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
const code = (text) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``
const row = (...cells) => `| ${cells.join(' | ')} |`

function namedTests(tests) {
  return Object.entries(tests)
    .map(([path, names]) => `${path.replace(/^test\//, '')}: ${names.map(code).join(', ')}`)
    .join('<br>')
}

function section({ title, texts }) {
  const rows = texts.flatMap(({ text, clauses }) =>
    clauses.map(({ clause, tests }, index) => row(index === 0 ? cell(text) : '', cell(clause), namedTests(tests))),
  )
  return [`## ${title}`, '', row('contract', 'what can break', 'tests'), row('---', '---', '---'), ...rows, '']
}

function planted(faults) {
  const rows = faults.map((fault) =>
    row(
      cell(fault.rule),
      `${code(fault.file)}: ${cell(fault.fault)}`,
      `${fault.red} of ${fault.ran}`,
      cell(fault.caught),
    ),
  )
  return [
    '## Planted and caught',
    '',
    row('rule', 'fault', 'red tests', 'which'),
    row('---', '---', '---', '---'),
    ...rows,
  ]
}

const { sources } = json('task-surface.json')
const rules = sources.flatMap(({ texts }) => texts)
const introduction = [
  '# Which test holds which promise of Task Surface',
  '',
  'Written by `node test/traceability/write.mjs`; edit `task-surface.json` and `planted.json` instead. A name is that of',
  'a test, a rule of a transition table, or a case of a fixture file.',
  `${rules.length} texts of the contract, ${rules.flatMap(({ clauses }) => clauses).length} ways to break them.`,
  '',
]
const written = [...introduction, ...sources.flatMap(section), ...planted(json('planted.json')), ''].join('\n')

if (!process.argv.includes('--check')) writeFileSync(file('README.md'), written)
else if (readFileSync(file('README.md'), 'utf8') !== written) {
  process.stderr.write('test/traceability/README.md is stale: run node test/traceability/write.mjs\n')
  process.exit(1)
}
