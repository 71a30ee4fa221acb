/* `npm test`: installs what a bare machine lacks, builds, runs every vitest project and ends with one line
   `N passed, N failed`. Names of projects as arguments run those alone.
   Two lanes of about the same length: browser tests, then the models', beside all others in turn. All wait for processes and
   pages more than they work, so that neither lane keeps two cores busy by itself. What the second says comes at its end. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { spawn, spawnSync } from 'node:child_process'
import { delimiter, join, relative } from 'node:path'
import { ensureInstalled, root, run } from '../host/bin/prepare.js'

const allProjects = ['unit', 'web', 'contract', 'e2e', 'model']
const shellName = 'chromium-headless-shell'
const browserNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const output = join(root, 'test/output')
const nothing = { passed: 0, failed: 0, failures: [] }

const projects = process.argv.slice(2).length > 0 ? process.argv.slice(2) : allProjects
ensureInstalled()
const environment = { ...process.env, CHROMIUM_PATH: await findBrowser() }
run('npm', ['run', 'build'])
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })

const besides = new Set(['e2e', 'model'])
const lanes = [projects.filter((project) => !besides.has(project)), projects.filter((project) => besides.has(project))]
const totals = (await Promise.all(lanes.map((lane, index) => runLane(lane, index === 0 ? 'inherit' : 'pipe')))).flat()
const sum = (key) => totals.reduce((total, each) => total + each[key], 0)
const [passed, failed] = [sum('passed'), sum('failed')]
// Once more at the end, where whoever sees the last lines alone finds it.
for (const { failures } of totals) for (const failure of failures) process.stdout.write(`failed: ${failure}\n`)
if (passed + failed === 0) process.stdout.write('no tests were found\n')
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

async function runLane(lane, stdio) {
  const counts = []
  for (const project of lane) counts.push(await runProject(project, stdio))
  return counts
}

/** Counts from vitest's own report. A file that cannot be loaded, a skipped test and a crash count as failures. */
async function runProject(project, stdio) {
  const report = join(output, `${project}.json`)
  const args = [
    'vitest',
    'run',
    '--project',
    project,
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const status = await runVitest(args, stdio)
  if (!existsSync(report)) return status === 0 ? nothing : broken(project, 'wrote no report', nothing)
  const {
    numPassedTests: passed,
    numFailedTests,
    numPendingTests,
    numTodoTests,
    testResults,
  } = JSON.parse(readFileSync(report, 'utf8'))
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failures = [
    ...unloaded.map((file) => `${relative(root, file.name)}: ${file.message}`),
    ...testResults.flatMap((file) =>
      file.assertionResults
        .filter(({ status: how }) => how !== 'passed')
        .map(({ status: how, fullName }) => `${relative(root, file.name)}: ${fullName} (${how})`),
    ),
  ]
  const totals = { passed, failed: numFailedTests + numPendingTests + numTodoTests + unloaded.length, failures }
  return status !== 0 && totals.failed === 0
    ? broken(project, `ended with ${status} although no test failed`, totals)
    : totals
}

/** The exit code. With `pipe` what is said is kept until the end. */
function runVitest(args, stdio) {
  const options = { cwd: root, env: environment, shell: process.platform === 'win32' }
  const child = spawn('npx', ['--no-install', ...args], { ...options, stdio: ['ignore', stdio, stdio] })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said))
      resolve(code)
    })
  })
}

function broken(project, how, { passed, failed, failures }) {
  return { passed, failed: failed + 1, failures: [...failures, `vitest ${how} (project ${project})`] }
}

/**
 * A Chromium: named by the environment, the system's, Playwright's own, or Debian's, installed as root. The headless shell
 * comes first: the same engine without the windows of a desktop, at a third of the work for each page.
 */
async function findBrowser() {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    fail(`CHROMIUM_PATH is ${named}, which does not exist`)
  }
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const found =
    onPath(shellName) ??
    (mayInstall ? installed(shellName) : undefined) ??
    browserNames.map(onPath).find((path) => path !== undefined) ??
    (await playwrightBrowser()) ??
    (mayInstall ? installed('chromium') : undefined)
  return found ?? fail('the browser tests need Chromium: install it or set CHROMIUM_PATH')
}

/** Undefined where Debian does not give it. */
function installed(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = ['install', '-y', '-q', '--no-install-recommends', name]
  for (const args of [install, ['update', '-q'], install]) {
    spawnSync('apt-get', args, { stdio: 'inherit', env })
    const path = onPath(name)
    if (path !== undefined) return path
  }
  return undefined
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

async function playwrightBrowser() {
  const { chromium } = await import('playwright-core')
  const path = chromium.executablePath()
  return existsSync(path) ? path : undefined
}

function fail(message) {
  process.stderr.write(`npm test: ${message}\n`)
  process.exit(1)
}
