/* `npm run bench [--json] [row …]`: builds where nothing is built, then runs each row in a process of its own, one after
   another, and shows what came of it (SPEC 15). Every row measures its floor in the same run on the same machine; nothing
   here fails because a goal is missed. Words select rows by file name: `npm run bench -- submit open`. */
import { existsSync, readdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureBuilt, ensureInstalled, root, run } from '../../host/bin/prepare.js'

const folder = fileURLToPath(new URL('.', import.meta.url))

const words = process.argv.slice(2).filter((argument) => argument !== '--json')
const asJson = process.argv.includes('--json')

ensureInstalled()
ensureBuilt()
// A development build of the page alone leaves out the compressed copies.
if (!existsSync(`${root}/dist/web/index.html.br`)) run('npm', ['run', 'build'])

const files = readdirSync(folder)
  .filter((name) => name.startsWith('row-'))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
const rows = files.flatMap((name) => {
  if (!asJson) process.stderr.write(`${name}\n`)
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', `${folder}${name}`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) {
    process.stderr.write(`${name} ended with ${status}\n`)
    process.exitCode = 1
    return []
  }
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
})
process.stdout.write(`${asJson ? jsonOf(rows) : tableOf(rows)}\n`)

function jsonOf(measured) {
  return JSON.stringify({
    rows: measured.map(({ name, floor, value, ratio, goal, met }) => ({ name, floor, value, ratio, goal, met })),
  })
}

function tableOf(measured) {
  const head = ['what', 'floor', 'value', 'ratio', 'goal', 'met']
  const figure = (value) =>
    value === null ? '–' : value.toLocaleString('en', { maximumSignificantDigits: value < 1000 ? 3 : 4 })
  const lines = measured.map(({ name, unit, floor, value, ratio, goal, atLeast, judges, met }) => [
    name,
    floor === null ? '–' : `${figure(floor)} ${unit}`,
    `${figure(value)} ${unit}`,
    figure(ratio),
    `${atLeast ? '≥' : '≤'} ${goal}${judges === 'value' ? ` ${unit}` : ''}`,
    met ? 'yes' : 'no',
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n')
}
