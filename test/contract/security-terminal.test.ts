/* What commands and the log say of texts from outside (SPEC 12, 13): no name, path or record gives an order to the
   terminal, and none makes a line of its own that the program seems to have said. */
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HostFolder } from '../harness/host-process.ts'
import { temporaryFolder } from './host-harness.ts'

/** Clears the screen, colours it by a control of one byte, hides in a direction mark, and then claims a success. */
const hostile = 'x\u001b[2J\u009b31m\u202e\r\ntask-surface: all is well'
const folder = temporaryFolder()
const data = join(folder, 'data')
const main = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))

beforeAll(() => {
  mkdirSync(join(data, 'db'), { recursive: true })
  writeFileSync(join(folder, 'events.jsonl'), JSON.stringify({ type: hostile, seq: 0, time: 1, data: {} }))
})
afterAll(() => rmSync(folder, { recursive: true }))

function run(...args: string[]): Promise<{ code: number | null; said: string }> {
  const env = { PATH: process.env['PATH'], HOME: folder }
  const child = spawn(process.execPath, [main, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
}

const plain = /^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u

it.each<[string, string[]]>([
  ['the type of an imported event', ['import', '--data', data, join(folder, 'events.jsonl')]],
  ['the id of a session to export', ['export', '--data', data, hostile]],
  ['a folder', ['verify', '--data', join(folder, hostile)]],
  ['an agent', ['serve', '--data', data, '--port', '0', '--agent', hostile]],
])('plain-terminal: %s is told on one line that shows all of it', async (_, args) => {
  const { code, said } = await run(...args)
  expect(code).toBe(1)
  const [line = '', ...more] = said.split('\n')
  expect(more).toEqual([''])
  expect(line).toMatch(/^task-surface: /)
  expect(line).toMatch(plain)
})

it('plain-log: an entry is one line of JSON, says what it means, and gives no orders', async () => {
  const host = new HostFolder()
  mkdirSync(host.dataDir, { mode: 0o700 })
  writeFileSync(join(host.dataDir, 'settings.json'), JSON.stringify({ [hostile]: 1 }), { mode: 0o600 })
  const { stderr } = await host
    .start()
    .then(async (running) => {
      await running.kill('SIGTERM')
      return running
    })
    .finally(() => host.remove())
  const lines = stderr.trimEnd().split('\n')
  for (const line of lines) expect(line).toMatch(plain)
  expect(lines.map((line) => String(JSON.parse(line).msg)).filter((text) => text.includes(hostile))).toHaveLength(1)
})
