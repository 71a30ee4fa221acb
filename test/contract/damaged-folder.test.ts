/* A data folder whose database lost or tore one of its files (SPEC 2): nothing is served as if it had never been there, a
   person is told what is wrong and what to do, `doctor` gets back what is readable and says of the rest what it is. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { doctor, exportSession, importSession, verifySessions, type Output } from '../../host/cli/data-commands.ts'
import { eventKey, headerKey } from '../../host/log/keys.ts'
import { openLevelDatabase } from '../../host/log/level-database.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import { HostFolder } from '../harness/host-process.ts'

/** In the order of their making: the first ones have a table each, the last lies in the write-ahead file alone. */
const turnsBySession = { 's-one': 100, 's-two': 100, 's-new': 3 }
type Id = keyof typeof turnsBySession

let root: string
let whole: string
const logs = new Map<string, string>()

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'task-surface-damaged-'))
  whole = join(root, 'whole')
  for (const [session, turns] of Object.entries(turnsBySession)) {
    const log = logOf(turns)
    logs.set(session, log)
    const { output } = said()
    await importSession({ dataDir: whole, file: undefined, session }, Readable.from([log]), output)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function logOf(turns: number): string {
  const created = { type: 'session/created', data: { agent: 'demo', cwd: '/' } }
  const events = Array.from({ length: turns }, (_, index) => [
    { type: 'turn/start', data: { turn: index + 1 } },
    { type: 'user/message', data: { message: messageOf(index) } },
    { type: 'turn/end', data: { turn: index + 1, reason: 'completed' } },
  ])
  return [created, ...events.flat()]
    .map(({ type, data }, seq) => `${JSON.stringify({ type, seq, time: 1, data })}\n`)
    .join('')
}

const messageOf = (index: number) => ({
  id: `m${index}`,
  role: 'user',
  source: { kind: 'user', rpcId: '1' },
  content: [{ type: 'text', text: 'lorem ipsum '.repeat(25) }],
})

function said(): { lines: string[]; warnings: string[]; output: Output } {
  const [lines, warnings]: [string[], string[]] = [[], []]
  const output = {
    line: async (text: string) => void lines.push(text),
    warn: (text: string) => void warnings.push(text),
  }
  return { lines, warnings, output }
}

/** A copy of the whole folder for one test. */
function copy(name: string): string {
  const dataDir = join(root, name.replaceAll(/\W+/g, '-'))
  cpSync(whole, dataDir, { recursive: true })
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

const filesOf = (dataDir: string, kind: RegExp): string[] =>
  readdirSync(join(dataDir, 'db'))
    .filter((name) => kind.test(name))
    .map((name) => join(dataDir, 'db', name))
const firstOf = (dataDir: string, kind: RegExp): string => filesOf(dataDir, kind)[0] ?? ''
const halve = (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))
const flip = (path: string) => {
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}
const manifest = /^MANIFEST/
const table = /\.ldb$/
const log = /\.log$/

async function saved(dataDir: string, session: string): Promise<string> {
  const { lines, output } = said()
  await exportSession({ dataDir, session, salvage: true }, output)
  return lines.map((line) => `${line}\n`).join('')
}

interface Damage {
  name: string
  change(dataDir: string): void
  says: RegExp
  /** Sessions that are not whole afterwards. */
  ill?: readonly Id[]
}

/** What keeps the database from being opened at all. */
const damages: Damage[] = [
  { name: 'CURRENT is gone', change: (dir) => unlinkSync(firstOf(dir, /^CURRENT/)), says: /CURRENT is missing/ },
  { name: 'CURRENT is empty', change: (dir) => truncateSync(firstOf(dir, /^CURRENT/), 0), says: /CURRENT/ },
  {
    name: 'CURRENT is garbage',
    change: (dir) => writeFileSync(firstOf(dir, /^CURRENT/), 'MANIFEST-9\0\n'),
    says: /CURRENT/,
  },
  {
    name: 'CURRENT names another manifest',
    change: (dir) => writeFileSync(firstOf(dir, /^CURRENT/), 'MANIFEST-999999\n'),
    says: /MANIFEST-999999 is missing/,
  },
  {
    name: 'the manifest is gone',
    change: (dir) => unlinkSync(firstOf(dir, manifest)),
    says: /MANIFEST-\d+ is missing/,
  },
  { name: 'the manifest is truncated', change: (dir) => halve(firstOf(dir, manifest)), says: /damaged/ },
  { name: 'the manifest is empty', change: (dir) => truncateSync(firstOf(dir, manifest), 0), says: /damaged/ },
  { name: 'a bit of the manifest is flipped', change: (dir) => flip(firstOf(dir, manifest)), says: /checksum/ },
  {
    name: 'all but the tables is gone',
    change: (dir) => filesOf(dir, /^(MANIFEST|CURRENT|LOG)|\.log$/).forEach((path) => unlinkSync(path)),
    says: /CURRENT is missing/,
    ill: ['s-new'],
  },
  {
    name: 'a table is gone',
    change: (dir) => unlinkSync(firstOf(dir, table)),
    says: /missing files/,
    ill: ['s-one', 's-two'],
  },
  {
    name: 'the write-ahead file is gone',
    change: (dir) => unlinkSync(firstOf(dir, log)),
    says: /write-ahead file/,
    ill: ['s-new'],
  },
]

test.each(damages)(
  'log/files: $name: refused with words, rebuilt on demand, and nothing thrown away',
  async ({ name, change, says, ill = [] }) => {
    const dataDir = copy(name)
    change(dataDir)
    const before = readdirSync(join(dataDir, 'db')).toSorted()
    const command = verifySessions({ dataDir, session: undefined }, said().output)
    await expect(command).rejects.toMatchObject({ code: 'damaged', message: expect.stringMatching(says) })
    await expect(command).rejects.toThrow(/task-surface doctor/)
    const first = said()
    expect(await doctor({ dataDir, acceptLoss: false, rebuild: false }, first.output)).toBe(1)
    expect(first.lines.join('\n')).toMatch(/--accept-loss/)
    // Looking has changed nothing that could still be read.
    expect(readdirSync(join(dataDir, 'db')).toSorted()).toEqual(
      expect.arrayContaining(before.filter((file) => !file.startsWith('LOG'))),
    )

    const second = said()
    await doctor({ dataDir, acceptLoss: true, rebuild: true }, second.output)
    const kept = /kept in (.+)$/.exec(second.lines[0] ?? '')?.[1] ?? ''
    expect(readdirSync(kept).toSorted()).toEqual(
      expect.arrayContaining(before.filter((file) => !file.startsWith('LOG'))),
    )
    for (const session of ['s-one', 's-two', 's-new'] as const) {
      if (ill.includes(session)) continue
      expect(await saved(dataDir, session)).toBe(logs.get(session))
    }
    const third = said()
    const code = await verifySessions({ dataDir, session: undefined }, third.output)
    const named = new Set(third.lines.flatMap((line) => /^(s-\w+) /.exec(line)?.[1] ?? []))
    for (const session of named) expect(ill).toContain(session)
    expect(code).toBe(named.size > 0 ? 1 : 0)
  },
)

test('log/files: of a lost table what the others hold is there, and its session is named', async () => {
  const dataDir = copy('half')
  const sessionId = sessionIdSchema.parse('s-one')
  const keys = [headerKey(sessionId), ...[4, 5, 6].map((seq) => eventKey(sessionId, seq))]
  // Some of the session lies in the write-ahead file as well.
  const database = await openLevelDatabase(dataDir)
  const values = await Promise.all(keys.map((key) => database.get(key)))
  await database.write(keys.map((key, index) => ({ type: 'put', key, value: values[index] ?? '' })))
  await database.close()
  unlinkSync(firstOf(dataDir, table))
  const { lines, output } = said()
  expect(await doctor({ dataDir, acceptLoss: true, rebuild: true }, output)).toBe(1)
  expect(lines.join('\n')).toMatch(/^s-one {2}seq 0 {2}readable: /m)
  expect(lines.join('\n')).toMatch(/export s-one --salvage/)
  expect(await saved(dataDir, 's-one')).toBe(`${(logs.get('s-one') ?? '').split('\n').slice(4, 7).join('\n')}\n`)
})

test.each([
  { name: 'truncated', change: halve },
  { name: 'flipped', change: flip },
])('log/files: a table that is $name spoils what lies in it and no other session', async ({ name, change }) => {
  const dataDir = copy(`table ${name}`)
  change(firstOf(dataDir, table))
  const { lines, output } = said()
  const code = await verifySessions({ dataDir, session: undefined }, output).catch((cause: unknown) => {
    expect(cause).toMatchObject({ message: expect.stringMatching(/task-surface doctor|run doctor/) })
    return null
  })
  if (code === null) await doctor({ dataDir, acceptLoss: true, rebuild: true }, output)
  else expect(code).toBe(1)
  expect(lines.join('\n')).toMatch(/^s-one {2}|kept in/m)
  expect(await saved(dataDir, 's-new')).toBe(logs.get('s-new'))
})

test('log/files: a session whose header was lost with a table is listed again', async () => {
  const dataDir = copy('headerless')
  const database = await openLevelDatabase(dataDir)
  await database.write([{ type: 'del', key: headerKey(sessionIdSchema.parse('s-two')) }])
  await database.close()
  unlinkSync(firstOf(dataDir, /^CURRENT/))
  const { lines, output } = said()
  await doctor({ dataDir, acceptLoss: true, rebuild: true }, output)
  expect(lines.at(-1)).toMatch(/^3 sessions/)
  expect(await saved(dataDir, 's-two')).toBe(logs.get('s-two'))
  expect(await verifySessions({ dataDir, session: undefined }, output)).toBe(0)
})

test('log/files: a folder whose making was cut off is no damage', async () => {
  const dataDir = join(root, 'fresh')
  await (await openLevelDatabase(dataDir)).close()
  for (const path of filesOf(dataDir, /^CURRENT|\.log$/)) unlinkSync(path)
  await (await openLevelDatabase(dataDir)).close()
  expect(existsSync(join(dataDir, 'db', 'CURRENT'))).toBe(true)
})

test('log/files: a host says it in one line and ends, and the folder is as it was', async () => {
  const dataDir = copy('host')
  unlinkSync(firstOf(dataDir, /^CURRENT/))
  const folder = new HostFolder({}, undefined, dataDir)
  try {
    const before = filesOf(folder.dataDir, table)
    const exit = await folder.startToEnd()
    expect(exit).toMatchObject({ code: 1, signal: null })
    expect(exit.stderr).toMatch(
      /^task-surface: the database in .* is damaged: its file CURRENT is missing; run .*doctor.*\n$/,
    )
    expect(filesOf(folder.dataDir, table)).toEqual(before)
  } finally {
    await folder.remove()
  }
})
