/* Programs of others, installed from the npm registry into a cache outside of this repository: they are large, some
   need their own install scripts, and nothing of this product depends on them. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const cache =
  process.env['TASK_SURFACE_PEERS'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'task-surface-peers')

export interface Peer {
  /** As people call it. */
  label: string
  /** As on the registry. */
  package: string
  version: string
  /** The command that it installs. */
  command: string
  /** What npm would run after installing, relative to the package; left out where the program runs without. */
  afterInstall?: string
}

/** The installed command. Installing takes minutes the first time. */
export function installed({ package: name, version, command, afterInstall }: Peer): string {
  const folder = join(cache, `${name.replace('/', '+')}@${version}`)
  const file = join(folder, 'node_modules/.bin', command)
  if (existsSync(join(folder, 'ready'))) return file
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const options = { cwd: folder, stdio: 'ignore' } as const
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`], options)
  if (afterInstall !== undefined) {
    execFileSync(process.execPath, [join('node_modules', name, afterInstall)], options)
  }
  writeFileSync(join(folder, 'ready'), '')
  return file
}
