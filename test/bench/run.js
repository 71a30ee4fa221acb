/* `npm run bench [-- --json] [-- word …]`: builds where nothing is built, then runs each row in a process of its own, one after
   another, and shows what came of it (SPEC 15). Every row measures its floor in the same run on the same machine; nothing
   here fails because a goal is missed. Words select rows by name or file: `npm run bench -- submit open`. Ratios are compared
   with `baseline.json`, and a warning says which are worse by half; `--save` makes this run the baseline. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureBuilt, ensureInstalled, root, run } from '../../host/bin/prepare.js'
import { baselineOf, machineFacts, ratioOf, warningsOf } from './baseline.mjs'
import { rowsByFile } from './rows.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
const baselineFile = `${folder}baseline.json`

const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const asJson = process.argv.includes('--json')
const saves = process.argv.includes('--save')
const say = (text) => process.stderr.write(`${text}\n`)

ensureInstalled()
ensureBuilt()
// A development build of the page alone leaves out the compressed copies.
if (!existsSync(`${root}/dist/web/index.html.br`)) run('npm', ['run', 'build'])

const rows = selected().flatMap(([file, names]) => measure(file, names))
const baseline = existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, 'utf8')) : { machine: {}, ratios: {} }
process.stdout.write(`${asJson ? jsonOf(rows) : tableOf(rows)}\n`)
if (saves) saveBaseline()
else for (const warning of warningsOf(rows, baseline)) say(`warning: ${warning}`)
if (rows.length === 0) {
  say(`no row is called ${words.join(' or ')}`)
  process.exitCode = 1
}

/** Files with the names of their rows; all of them where no word is given. */
function selected() {
  const isMeant = (text) => words.some((word) => text.includes(word))
  return Object.entries(rowsByFile).filter(
    ([file, names]) => words.length === 0 || isMeant(file) || names.some((name) => isMeant(name)),
  )
}

function measure(file, names) {
  if (!asJson) say(names.join('; '))
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', `${folder}${file}`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed =
    status === 0
      ? stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  if (status === 0 && printed.map(({ name }) => name).join() === names.join()) return printed
  say(`${file} ended with ${status} and ${printed.length} rows`)
  process.exitCode = 1
  return printed
}

/** Rows that did not run keep what they had. */
function saveBaseline() {
  const { machine, ratios } = baselineOf(rows, machineFacts())
  const known = new Set(Object.values(rowsByFile).flat())
  const kept = Object.entries({ ...baseline.ratios, ...ratios }).filter(([name]) => known.has(name))
  writeFileSync(baselineFile, `${JSON.stringify({ machine, ratios: Object.fromEntries(kept) }, null, 2)}\n`)
}

function jsonOf(measured) {
  return JSON.stringify({
    rows: measured.map(({ name, floor, value, ratio, goal, met }) => ({ name, floor, value, ratio, goal, met })),
  })
}

function tableOf(measured) {
  const head = ['what', 'floor', 'value', 'ratio', 'goal', 'met', 'baseline']
  const figure = (value) =>
    value === null ? '–' : value.toLocaleString('en', { maximumSignificantDigits: value < 1000 ? 3 : 4 })
  const lines = measured.map((row) => [
    row.name,
    row.floor === null ? '–' : `${figure(row.floor)} ${row.unit}`,
    `${figure(row.value)} ${row.unit}`,
    row.ratio === null ? `${figure(ratioOf(row))} of goal` : figure(row.ratio),
    `${row.atLeast ? '≥' : '≤'} ${row.goal}${row.floor === null || row.judges === 'value' ? ` ${row.unit}` : ''}`,
    row.met ? 'yes' : 'no',
    figure(baseline.ratios[row.name] ?? null),
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n')
}
