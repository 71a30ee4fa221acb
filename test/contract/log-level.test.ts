/* What LevelDB adds to the log contract (SPEC 2, 12): damage, losses, locks, versions, private files, failed writes. */
import { ClassicLevel } from 'classic-level'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkpointKey, eventKey, formatKey, headerKey, journalKey } from '../../host/log/keys.ts'
import { openLevelDatabase, WriteFailed } from '../../host/log/level-database.ts'
import { createLevelStore, openLevelStore } from '../../host/log/level-store.ts'
import type { LogStore } from '../../host/log/port.ts'
import { appendOf, bodiesOf, levelMedium, owned, session, wholeLog } from './log-backends.ts'

const a = session('a')
const b = session('b')
const database = (folder: string) => join(folder, 'db')

let medium: Awaited<ReturnType<typeof levelMedium>>
let store: LogStore

beforeEach(async () => {
  medium = await levelMedium()
  store = await medium.open()
})
afterEach(async () => {
  await store.close()
  await medium.dispose()
})

async function fill() {
  for (const sessionId of [a, b]) {
    const checkpoint = { seq: 9, body: 'values' }
    const append = appendOf(await owned(store, sessionId), 0, bodiesOf(sessionId, 0, 10), { checkpoint })
    expect(await store.appendGroup([append])).toEqual([{ kind: 'durable' }])
  }
}

/** Changes records behind the back of the closed store. */
async function tamper(change: (level: ClassicLevel) => Promise<void>) {
  await store.close()
  const level = new ClassicLevel(database(medium.folder))
  await change(level)
  await level.close()
}

async function files(suffix: string) {
  const names = await readdir(database(medium.folder))
  return names.filter((name) => name.endsWith(suffix)).map((name) => join(database(medium.folder), name))
}

async function flip(path: string, at: number) {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  await writeFile(path, bytes)
}

describe('log/damage', () => {
  const damages = [
    { name: 'torn', change: (level: ClassicLevel) => level.put(eventKey(a, 4), '1234567') },
    { name: 'empty', change: (level: ClassicLevel) => level.put(eventKey(a, 4), '') },
    { name: 'missing', change: (level: ClassicLevel) => level.del(eventKey(a, 4)) },
    {
      name: 'changed in one character',
      change: async (level: ClassicLevel) => {
        const value = (await level.get(eventKey(a, 4))) ?? ''
        await level.put(eventKey(a, 4), value.replace('#4', '#5'))
      },
    },
    {
      name: 'that of another place',
      change: async (level: ClassicLevel) => {
        await level.put(`${eventKey(a, 4)}x`, (await level.get(eventKey(a, 4))) ?? '')
        await level.del(eventKey(a, 4))
      },
    },
  ]
  it.each(damages)('log/damage: a record that is $name is named, and its session alone refused', async ({ change }) => {
    await fill()
    await tamper(change)
    store = await medium.open()
    const corrupt = { code: 'corrupt', key: eventKey(a, 4) }
    await expect(store.read(a, wholeLog)).rejects.toMatchObject(corrupt)
    await expect(store.read(a, { ...wholeLog, direction: 'backward' })).rejects.toMatchObject(corrupt)
    for (const direction of ['forward', 'backward'] as const) {
      await expect(store.read(a, { ...wholeLog, direction, from: 4, to: 4 })).rejects.toMatchObject(corrupt)
      await expect(store.read(a, { ...wholeLog, direction, from: 2, to: 4 })).rejects.toMatchObject(corrupt)
      await expect(store.read(a, { ...wholeLog, direction, from: 4, to: 6 })).rejects.toMatchObject(corrupt)
    }
    expect(await store.read(a, { ...wholeLog, to: 3 })).toHaveLength(4)
    expect(await store.read(a, { ...wholeLog, from: 5 })).toHaveLength(5)
    expect(await store.read(b, wholeLog)).toHaveLength(10)
    expect(await store.header(a)).toBe('header of 10')
  })

  it('log/damage: a damaged header is listed as such and refused with its key', async () => {
    await fill()
    await tamper((level) => level.put(headerKey(a), 'header of 11'))
    store = await medium.open()
    expect(await store.headers({ limit: 5 })).toEqual([
      { sessionId: a, body: null },
      { sessionId: b, body: 'header of 10' },
    ])
    await expect(store.header(a)).rejects.toMatchObject({ code: 'corrupt', key: headerKey(a) })
  })

  it('log/damage: a damaged checkpoint is none, because it can be made again', async () => {
    await fill()
    await tamper((level) => level.put(checkpointKey(a), '9!other'))
    store = await medium.open()
    expect(await store.checkpoint(a)).toBeNull()
    expect(await store.checkpoint(b)).toEqual({ seq: 9, body: 'values' })
  })

  it('log/damage: a flipped bit spoils the record it lies in and no other', async () => {
    const ownership = await owned(store, a)
    const written = Array.from({ length: 400 }, (_, seq) => `{"seq":${seq},"text":"${'lorem '.repeat(20)}"}`)
    await store.appendGroup([appendOf(ownership, 0, written)])
    // Opening again turns the write-ahead file into a table.
    await store.close()
    store = await medium.open()
    await store.close()
    const [table = ''] = await files('.ldb')
    await flip(table, (await readFile(table)).indexOf('{"seq":123,'))
    store = await medium.open()
    const damaged: number[] = []
    for (let seq = 0; seq < written.length; seq += 1) {
      await store.read(a, { ...wholeLog, from: seq, to: seq }).catch(() => damaged.push(seq))
    }
    expect(damaged).toEqual([123])
    await expect(store.read(a, wholeLog)).rejects.toMatchObject({ code: 'corrupt', key: eventKey(a, 123) })
  })

  it('log/damage: no flipped bit of a table file is ever read as what was written', async () => {
    const ownership = await owned(store, a)
    const written = Array.from({ length: 400 }, (_, seq) => `{"seq":${seq},"text":"${'lorem '.repeat(20)}"}`)
    await store.appendGroup([appendOf(ownership, 0, written)])
    await tamper((level) => level.compactRange('', '~'))
    const [table] = await files('.ldb')
    if (table === undefined) throw new Error('there is no table')
    const intact = await readFile(table)
    let refused = 0
    for (let at = 100; at < intact.length; at += Math.floor(intact.length / 40)) {
      await writeFile(table, intact)
      await flip(table, at)
      const opened = await openLevelStore({ folder: medium.folder }).catch(() => null)
      if (opened === null) {
        refused += 1
        continue
      }
      for (let seq = 0; seq < written.length; seq += 1) {
        const read = await opened.read(a, { ...wholeLog, from: seq, to: seq }).catch(() => null)
        if (read === null) refused += 1
        else expect(read).toEqual([{ seq, body: written[seq] }])
      }
      await opened.close()
    }
    expect(refused).toBeGreaterThan(0)
    await writeFile(table, intact)
    store = await medium.open()
  })
})

describe('log/loss', () => {
  async function loseSomething() {
    await fill()
    await store.close()
    const [wal] = await files('.log')
    if (wal === undefined) throw new Error('there is no write-ahead file')
    await flip(wal, Math.floor((await stat(wal)).size / 2))
  }

  it('log/loss: what LevelDB dropped refuses every opening until the loss is accepted, and then none', async () => {
    await loseSomething()
    const message: unknown = expect.stringMatching(/dropping \d+ bytes/)
    const dropped = { code: 'dropped', message }
    await expect(medium.open()).rejects.toMatchObject(dropped)
    await expect(medium.open()).rejects.toMatchObject(dropped)
    await expect(medium.open()).rejects.toMatchObject(dropped)
    store = await openLevelStore({ folder: medium.folder, acceptLoss: true })
    await store.close()
    store = await medium.open()
    await store.close()
    store = await medium.open()
    expect(await store.header(b)).toBeNull()
  })

  it('log/loss: one that an earlier opening had no time to remember is still seen', async () => {
    await loseSomething()
    // What is left of a host that was killed right after LevelDB had opened.
    const level = new ClassicLevel(database(medium.folder))
    await level.open()
    await level.close()
    await expect(medium.open()).rejects.toMatchObject({ code: 'dropped' })
    store = await openLevelStore({ folder: medium.folder, acceptLoss: true })
  })

  it('log/loss: a second loss is not covered by accepting the first', async () => {
    await loseSomething()
    store = await openLevelStore({ folder: medium.folder, acceptLoss: true })
    await store.appendGroup([appendOf(await owned(store, session('c')), 0, bodiesOf(a, 0, 20))])
    await store.close()
    const [wal] = await files('.log')
    if (wal === undefined) throw new Error('there is no write-ahead file')
    await flip(wal, Math.floor((await stat(wal)).size / 2))
    await expect(medium.open()).rejects.toMatchObject({ code: 'dropped' })
    store = await openLevelStore({ folder: medium.folder, acceptLoss: true })
  })

  it('log/loss: nothing dropped, nothing said, also after many openings', async () => {
    await fill()
    for (let count = 0; count < 3; count += 1) {
      await store.close()
      store = await medium.open()
    }
    expect(await store.read(a, wholeLog)).toHaveLength(10)
  })
})

describe('log/open', () => {
  it('log/open: a second process or store on the folder is refused as locked', async () => {
    await expect(medium.open()).rejects.toMatchObject({ code: 'locked' })
  })

  it('log/open: a newer store format is refused, an unreadable one is damage', async () => {
    await tamper((level) => level.put(formatKey, '2'))
    await expect(medium.open()).rejects.toMatchObject({ code: 'format' })
    await tamper((level) => level.put(formatKey, 'two'))
    await expect(medium.open()).rejects.toMatchObject({ code: 'corrupt', key: formatKey })
    await tamper((level) => level.put(formatKey, '1'))
    store = await medium.open()
  })

  it('log/open: a folder that cannot hold a database is unavailable, with the reason', async () => {
    const path = join(medium.folder, 'file')
    await writeFile(path, '')
    await expect(openLevelStore({ folder: path })).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('log/private: folders are 0700, also ones that were there; under the umask of the host files are 0600', async () => {
    await store.close()
    await medium.dispose()
    await mkdir(database(medium.folder), { recursive: true })
    for (const folder of [medium.folder, database(medium.folder)]) await chmod(folder, 0o755)
    const before = process.umask(0o077)
    try {
      store = await medium.open()
      await fill()
      for (const folder of [medium.folder, database(medium.folder)])
        expect((await stat(folder)).mode & 0o777).toBe(0o700)
      const paths = await files('')
      expect(paths.length).toBeGreaterThan(3)
      for (const path of paths) expect((await stat(path)).mode & 0o777).toBe(0o600)
    } finally {
      process.umask(before)
    }
  })
})

describe('log/carry', () => {
  it('log/carry: goes along with the next write, is lost without one, and is removed with its session', async () => {
    await store.close()
    const inner = await openLevelDatabase(medium.folder)
    store = await createLevelStore(inner)
    const key = journalKey(a, 1)
    const ownership = await owned(store, a)
    inner.carry([{ type: 'put', key, value: 'entry' }])
    expect(await inner.get(key)).toBeUndefined()
    await store.appendGroup([appendOf(ownership, 0, ['x'])])
    expect(await inner.get(key)).toBe('entry')
    inner.carry(Array.from({ length: 10_000 }, (_, n) => ({ type: 'put', key: journalKey(a, 10 + n), value: '' })))
    await inner.write([])
    expect(await inner.get(journalKey(a, 10))).toBeUndefined()
    expect(await inner.get(journalKey(a, 10_009))).toBe('')
    await store.remove(ownership)
    expect(await inner.scan({ gte: 's', lt: 't', limit: 10, maxBytes: 1000 })).toEqual([])
    await store.close()
    await inner.close()
    store = await medium.open()
  })
})

describe('log/unknown', () => {
  it('log/unknown: a write that was given up keeps the store shut until its fate is known', async () => {
    const ownership = await owned(store, a)
    const abort = new AbortController()
    const writing = store.appendGroup([appendOf(ownership, 0, ['x'])], { signal: abort.signal })
    abort.abort()
    expect(await writing).toMatchObject([{ kind: 'unknown' }])
    expect(await store.appendGroup([appendOf(ownership, 1, ['y'])])).toMatchObject([{ kind: 'unavailable' }])
    expect(await store.acquire(a)).toMatchObject({ kind: 'unavailable' })
    await expect(store.read(a, wholeLog)).rejects.toMatchObject({ code: 'unavailable' })
    const again = await vi.waitFor(() => owned(store, a))
    // It was written after all, so the session goes on behind it, and the old ownership is worth nothing.
    expect((await store.read(a, wholeLog)).map(({ body }) => body)).toEqual(['x'])
    expect(await store.appendGroup([appendOf(ownership, 1, ['y'])])).toEqual([{ kind: 'refused', why: 'owner' }])
    expect(await store.appendGroup([appendOf(again, 1, ['y'])])).toEqual([{ kind: 'durable' }])
  })

  it('log/unknown: a failed write is unknown for its whole group and spends its ownerships, and no others', async () => {
    await store.close()
    const inner = await openLevelDatabase(medium.folder)
    let fails = false
    const write: typeof inner.write = (operations) =>
      fails ? Promise.reject(new WriteFailed(new Error('no space'))) : inner.write(operations)
    store = await createLevelStore({ ...inner, write })
    const [first, second, third] = [await owned(store, a), await owned(store, b), await owned(store, session('c'))]
    fails = true
    const group = [appendOf(first, 0, ['x']), appendOf(second, 5, ['y']), appendOf(second, 0, ['y'])]
    expect(await store.appendGroup(group)).toMatchObject([
      { kind: 'unknown' },
      { why: 'position' },
      { kind: 'unknown' },
    ])
    fails = false
    expect(await store.appendGroup(group)).toMatchObject([{ why: 'owner' }, { why: 'owner' }, { why: 'owner' }])
    expect(await store.appendGroup([appendOf(third, 0, ['z'])])).toEqual([{ kind: 'durable' }])
    expect(await store.appendGroup([appendOf(await owned(store, a), 0, ['x'])])).toEqual([{ kind: 'durable' }])
    await store.close()
    await inner.close()
    store = await medium.open()
  })

  it('log/unknown: on a full disk the store reopens by itself and goes on', async () => {
    await store.close()
    // A limit on the size of a file stands for the disk: LevelDB begins a new file when it is opened again.
    const { lines, exit } = child('full', ['bash', '-c', 'ulimit -f 1024; exec "$0" "$@"', process.execPath])
    expect(await exit).toEqual({ code: 0, signal: null })
    const [begun, failed, again, afterwards] = lines
    expect(begun).toEqual({ kind: 'durable' })
    const aNumber: unknown = expect.any(Number)
    expect(failed).toEqual({ failedAt: aNumber, kind: 'unknown', stale: 'unavailable' })
    expect(again).toEqual({ lastSeq: aNumber, whole: true })
    expect(afterwards).toEqual({ afterwards: 'durable', bystander: 'durable' })
    store = await medium.open()
    expect(await store.read(b, wholeLog)).toHaveLength(2)
  })
})

describe('log/durable', () => {
  it('log/durable: every batch is flushed to disk before it resolves', async () => {
    const scratch = new ClassicLevel(join(medium.folder, 'scratch'))
    await scratch.open()
    const batch = scratch.batch()
    // No test can cut the power, so this one looks at what the binding is asked for.
    const write = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(batch)), 'write')
    try {
      const ownership = await owned(store, a)
      await store.appendGroup([appendOf(ownership, 0, ['x'])])
      await store.remove(ownership)
      expect(write.mock.calls).toEqual([[{ sync: true }], [{ sync: true }], [{ sync: true }]])
    } finally {
      write.mockRestore()
      await batch.close()
      await scratch.close()
    }
  })

  it('log/durable: what resolved is there after SIGKILL right behind it', async () => {
    await store.close()
    const { process: victim, lines, exit } = child('endless', [process.execPath])
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(20), { timeout: 15_000, interval: 1 })
    victim.kill('SIGKILL')
    expect(await exit).toEqual({ code: null, signal: 'SIGKILL' })
    const durable = lines.length
    expect(lines).toEqual(lines.map((_, seq) => ({ seq, kind: 'durable' })))
    store = await medium.open()
    const found = await store.read(a, wholeLog)
    expect(found.length).toBeGreaterThanOrEqual(durable)
    expect(found.map(({ body }) => body)).toEqual(found.map((_, seq) => `${seq}:${'x'.repeat(200)}`))
    expect(await store.header(a)).toBe(`header ${found.length - 1}`)
  })
})

const childFile = fileURLToPath(new URL('log-child.js', import.meta.url))

/** The lines a child says, as they come, and how it ends. */
function child(mode: string, [command = '', ...before]: string[]) {
  const process = spawn(command, [...before, childFile, mode, medium.folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: unknown[] = []
  const reader = createInterface({ input: process.stdout })
  reader.on('line', (line) => lines.push(JSON.parse(line)))
  const exit = new Promise((resolve) => {
    process.on('close', (code, signal) => resolve({ code, signal }))
  })
  return { process, lines, exit }
}
