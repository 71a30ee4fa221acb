/* What a checkout needs before it can run: packages and a build. Plain JavaScript without dependencies, because it
   runs first on a fresh clone. What npm and the compilers say goes to stderr; stdout belongs to the product. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

const sources = ['host', 'machines', 'shared', 'web', 'package-lock.json', 'tsconfig.json', 'vite.config.ts']
/** Written last by a build. */
const builtFile = join(root, 'dist/web/index.html')

/** Runs `npm ci` where packages are missing or older than the lock file. */
export function ensureInstalled() {
  requireNode()
  const installed = modified(join(root, 'node_modules/.package-lock.json'))
  if (installed === null || installed < (modified(join(root, 'package-lock.json')) ?? 0))
    run('npm', ['ci', '--include=dev'])
}

/** Builds where there is no build or a source is newer. */
export function ensureBuilt() {
  const built = existsSync(join(root, 'dist/run/main.js')) ? modified(builtFile) : null
  if (built === null || sources.some((source) => newest(join(root, source)) > built)) run('npm', ['run', 'build'])
}

/** Runs a program to its end; anything but success ends this process with the same code. */
export function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    ...options,
  })
  if (result.status === 0) return
  process.stderr.write(`task-surface: "${[program, ...args].join(' ')}" failed\n`)
  process.exit(result.status ?? 1)
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  process.stderr.write(`task-surface: Node 20.19 or newer is needed; this is ${process.version}\n`)
  process.exit(1)
}

/** Epoch milliseconds; null where there is no such file. */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
}

/** Newest change under a path. A folder's own time tells of removed files. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((time, name) => Math.max(time, newest(join(path, name))), stat.mtimeMs)
}
