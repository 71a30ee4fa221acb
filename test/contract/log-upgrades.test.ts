/* Logs over time (SPEC 2): what an earlier version wrote is read, what a newer one wrote is refused with words and nothing
   else with it, and a log that leaves and comes back is the same to the byte. `log-1.jsonl` and `store-1.json` are a log
   with every type of event and all its records as format 1 keeps them; neither is ever written anew. */
import { ClassicLevel } from 'classic-level'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { doctor, exportSession, importSession, verifySessions, type Output } from '../../host/cli/data-commands.ts'
import { withOwnLog } from '../../host/cli/session-data.ts'
import { seal } from '../../host/log/checksum.ts'
import { eventKey, formatKey, headerKey } from '../../host/log/keys.ts'
import { sessionEventSchema } from '../../shared/event.ts'
import { sessionIdSchema } from '../../shared/ids.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const log = readFileSync(fixture('log-1.jsonl'), 'utf8')
const records = z
  .array(z.tuple([z.string(), z.string()]))
  .parse(JSON.parse(readFileSync(fixture('store-1.json'), 'utf8')))
const kept = sessionIdSchema.parse('kept')

let root: string
let dataDir: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'task-surface-upgrade-'))
  dataDir = join(root, 'data')
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
})

async function raw<Value>(work: (level: ClassicLevel) => Promise<Value>): Promise<Value> {
  mkdirSync(join(dataDir, 'db'), { recursive: true })
  const level = new ClassicLevel(join(dataDir, 'db'), { compression: false })
  try {
    return await work(level)
  } finally {
    await level.close()
  }
}

const put = (entries: readonly [string, string][]) =>
  raw((level) => level.batch(entries.map(([key, value]) => ({ type: 'put', key, value }))))

function said(): { lines: string[]; output: Output } {
  const lines: string[] = []
  return { lines, output: { line: async (text) => void lines.push(text), warn: (text) => void lines.push(text) } }
}

async function exported(session: string): Promise<string> {
  const { lines, output } = said()
  await exportSession({ dataDir, session, salvage: false }, output)
  return lines.map((line) => `${line}\n`).join('')
}

async function verified(): Promise<{ code: number; lines: string[] }> {
  const { lines, output } = said()
  return { code: await verifySessions({ dataDir, session: undefined }, output), lines }
}

const importAs = (session: string, text: string) =>
  importSession({ dataDir, file: undefined, session }, Readable.from([text]), said().output)

test('log/upgrade: the kept log has every type of event', () => {
  const types = new Set(log.split('\n').flatMap((line) => /"type":"([^"]+)"/.exec(line)?.[1] ?? []))
  for (const { shape } of sessionEventSchema.options) expect([...types]).toContain(shape.type.value)
})

test('log/upgrade: a database of format 1 is read as it was written', async () => {
  await put(records)
  expect(await verified()).toEqual({ code: 0, lines: [`1 sessions, 105 events, nothing broken`] })
  expect(await exported('kept')).toBe(log)
  const state = await withOwnLog(dataDir, {}, (own) => own.readState(kept))
  expect(state.projections).toMatchObject({
    title: { title: 'New' },
    usage: { inputTokens: 14, outputTokens: 6 },
    taskSurface: { active: null },
    taskSurfaceOutcomes: {
      outcomes: [
        { surfaceId: 'f1', reason: 'submitted' },
        { surfaceId: 'f3', reason: 'dismissed' },
      ],
    },
    subagents: { children: [{ sessionId: 'child', status: 'completed' }] },
  })
})

test('log/upgrade: the same log is stored today as it was then, record by record', async () => {
  await importAs('kept', log)
  const stored = await raw((level) => level.iterator().all())
  expect(stored).toEqual(records)
})

test('log/upgrade: out, in, out: the same to the byte, whatever was in it', async () => {
  await importAs('once', log)
  const first = await exported('once')
  expect(first).toBe(log)
  await importAs('twice', first)
  expect(await exported('twice')).toBe(log)
})

test('log/upgrade: a database of a newer format is refused with words by every command, and left alone', async () => {
  await put([...records.filter(([key]) => key !== formatKey), [formatKey, '2']])
  const words = { code: 'format', message: 'the database has format 2, this version reads up to 1' }
  await expect(verified()).rejects.toMatchObject(words)
  await expect(exported('kept')).rejects.toMatchObject(words)
  await expect(importAs('other', log)).rejects.toMatchObject(words)
  await expect(doctor({ dataDir, acceptLoss: true, rebuild: true }, said().output)).rejects.toMatchObject(words)
  expect(await raw((level) => level.get(formatKey))).toBe('2')
})

test.each([
  {
    what: 'its header is of a newer format',
    key: headerKey(kept),
    value: '{"format":2}',
    says: /newer version/,
    open: () => withOwnLog(dataDir, {}, (own) => own.readState(kept)),
  },
  {
    what: 'an event is of a kind that is not known',
    key: eventKey(kept, 104),
    value: '{"type":"later/kind","seq":104,"time":1,"data":{}}',
    says: /e!0*104 cannot be read/,
    open: () => exported('kept'),
  },
])('log/upgrade: where $what, that session is refused with words and the others go on', async (newer) => {
  const { key, value, says, open } = newer
  await put(records)
  await importAs('other', log)
  await put([[key, seal(value)]])
  await expect(open()).rejects.toMatchObject({ message: expect.stringMatching(says) })
  const { code, lines } = await verified()
  expect({ code, end: lines.at(-1) }).toEqual({ code: 1, end: expect.stringMatching(/^2 sessions, .* 1 broken$/) })
  expect(lines[0]).toMatch(says)
  // What a newer version wrote is nothing to mend.
  const looked = said()
  expect(await doctor({ dataDir, acceptLoss: true, rebuild: true }, looked.output)).toBe(1)
  expect(looked.lines[0]).toMatch(says)
  expect(await raw((level) => level.get(key))).toBe(seal(value))
  expect(await exported('other')).toBe(log)
})
