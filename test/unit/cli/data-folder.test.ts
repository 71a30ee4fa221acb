import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CommandError } from '../../../host/cli/command-error.ts'
import {
  announceHost,
  defaultDataFolder,
  findRunningHost,
  keptToken,
  prepareDataFolder,
} from '../../../host/cli/data-folder.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const host = { pid: 4242, port: 4380, token: 'secret', url: 'http://127.0.0.1:4380' }
const alive = () => true

it('data/private: the folder is 0700 and its files 0600, whatever was there before', () => {
  const folder = join(temporary(), 'deep', 'data')
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  chmodSync(folder, 0o755)
  expect(prepareDataFolder(folder)).toBe(folder)
  keptToken(folder, () => 'a-token-of-24-characters')
  announceHost(folder, host)
  expect(modeOf(folder)).toBe('700')
  expect(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))])).toEqual([
    ['running.json', '600'],
    ['token', '600'],
  ])
})

it('data/private: a path that cannot be a folder is one sentence', () => {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  expect(() => prepareDataFolder(file)).toThrow(CommandError)
})

it.each([
  [{ XDG_DATA_HOME: '/x' }, '/x/task-surface'],
  [{ XDG_DATA_HOME: 'relative' }, join(homedir(), '.local/share/task-surface')],
  [{}, join(homedir(), '.local/share/task-surface')],
])('data/place: with %j it is %s', (environment, place) => {
  expect(defaultDataFolder(environment)).toBe(place)
})

it('data/token: is made once and kept', () => {
  const folder = temporary()
  expect(keptToken(folder, () => 'the-first-token-made')).toBe('the-first-token-made')
  expect(keptToken(folder, () => 'another-token-made')).toBe('the-first-token-made')
})

it('data/private: a token that others may read is closed to them', () => {
  const folder = temporary()
  writeFileSync(join(folder, 'token'), 'a-token-of-24-characters', { mode: 0o644 })
  expect(keptToken(folder, () => 'another-token-made')).toBe('a-token-of-24-characters')
  expect(modeOf(join(folder, 'token'))).toBe('600')
})

it.each(['', 'short', 'has a space in the middle of it', 'ü'.repeat(20), 'x'.repeat(257)])(
  'data/token: a file with %j is replaced',
  (text) => {
    const folder = temporary()
    writeFileSync(join(folder, 'token'), text)
    expect(keptToken(folder, () => 'the-first-token-made')).toBe('the-first-token-made')
  },
)

it('data/running: the host is found while it runs, and not after', () => {
  const folder = temporary()
  expect(findRunningHost(folder, alive)).toBeNull()
  const withdraw = announceHost(folder, host)
  expect(findRunningHost(folder, alive)).toEqual(host)
  withdraw()
  withdraw()
  expect(findRunningHost(folder, alive)).toBeNull()
})

it('data/running: a host that was killed is not found', () => {
  const folder = temporary()
  announceHost(folder, host)
  expect(findRunningHost(folder, (pid) => pid !== host.pid)).toBeNull()
})

it('data/running: a process is asked whether it lives', () => {
  const folder = temporary()
  announceHost(folder, { ...host, pid: process.pid })
  expect(findRunningHost(folder)?.pid).toBe(process.pid)
})

it('data/running: an older host does not take back the note of a later one', () => {
  const folder = temporary()
  const withdraw = announceHost(folder, host)
  announceHost(folder, { ...host, pid: 4343 })
  withdraw()
  expect(findRunningHost(folder, alive)?.pid).toBe(4343)
})

it.each(['', '{', '{}', '[]', '{"pid":-1,"port":1,"token":"x","url":"x"}'])(
  'data/running: a note of %j is none',
  (text) => {
    const folder = temporary()
    writeFileSync(join(folder, 'running.json'), text)
    expect(findRunningHost(folder, alive)).toBeNull()
  },
)
