/* `npm run test:crash`: the crash tests, and one line of figures. Names of machines as arguments (`session`, `turn`, `surface`,
   `question`, `approval`, `task`) walk those alone. Every kill is a line while it runs, and in `test/output/crash.log`. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const figuresFile = fileURLToPath(new URL('../output/crash-figures.json', import.meta.url))
const machines = process.argv.slice(2)

rmSync(figuresFile, { force: true })
const env = { ...process.env, ...(machines.length > 0 && { TASK_SURFACE_CRASH_PARTS: machines.join(',') }) }
const began = performance.now()
const runFile = fileURLToPath(new URL('../run.js', import.meta.url))
const { status } = spawnSync(process.execPath, [runFile, 'crash'], { stdio: 'inherit', env })
if (existsSync(figuresFile)) process.stdout.write(`${summary(JSON.parse(readFileSync(figuresFile, 'utf8')))}\n`)
process.exit(status ?? 1)

function summary(figures) {
  const total = (count) => figures.reduce((sum, each) => sum + count(each), 0)
  const kills = {}
  for (const each of figures)
    for (const [point, count] of Object.entries(each.kills)) kills[point] = (kills[point] ?? 0) + count
  const byPoint = Object.entries(kills).map(([point, count]) => `${point} ${count}`)
  const all = Object.values(kills).reduce((sum, count) => sum + count, 0)
  const folders = total(({ verified }) => verified.length)
  const failed = total(({ failures, missed }) => failures.length + missed.length)
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  return `crash matrix: ${all} kills (${byPoint.join(', ')}) on ${total(({ paths }) => paths)} paths, ${total(({ moves }) => moves)} moves of ${figures.map(({ machine }) => machine).join(', ')}; ${folders} data folders verified, ${failed} failed, ${minutes} minutes`
}
