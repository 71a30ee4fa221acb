/* What is read back from a disk or from a browser, wrong in some place: records of a log, headers, the settings file, stored
   drafts, frames of a host that a page reads. Each is used, or refused in words; nothing beside it is lost. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadSettings } from '../../host/agents/settings.ts'
import { encodeHeader } from '../../host/log/codec.ts'
import { createMemoryMedium, createMemoryStore } from '../../host/log/memory-store.ts'
import { LogError } from '../../host/log/port.ts'
import { createSessionLog } from '../../host/log/session-log.ts'
import { verifySession } from '../../host/log/verify.ts'
import { messageIdSchema, sessionIdSchema, taskSurfaceIdSchema } from '../../shared/ids.ts'
import { parseStoredModel } from '../../shared/surface/parse.ts'
import { createDraftStore, draftKey } from '../../web/composer/draft-store.ts'
import { createSentStore, sentKey } from '../../web/composer/sent-store.ts'
import { parseIncoming } from '../../web/connection/incoming.ts'
import { createSurfaceDrafts, removeOldDrafts } from '../../web/plugins/task-surface/drafts.ts'
import { answersOf, createForm } from '../../web/plugins/task-surface/form.ts'
import { applyFrame, newSessionState } from '../../web/session/session-state.ts'
import { createFakeBrowser } from '../unit/web/fake-storage.ts'
import { leaveFigures } from './figures.ts'
import { garbage, mutated } from './mutate.ts'
import { Random } from './random.ts'
import { frames, log, model, settings, values } from './samples.ts'
import { replayHint, seedsOf } from './seeds.ts'

const [seed = 0] = seedsOf(1, 1)
const totals = { 'log records': 0, headers: 0, settings: 0, drafts: 0, frames: 0 }
afterAll(() => leaveFigures('records', totals))

const sessionId = sessionIdSchema.parse('s-1')
const codes = new Set(['corrupt', 'format', 'unknown-session'])

/** Mutated for the most part, else nothing at all. */
const some = (random: Random, value: unknown) => (random.chance(0.75) ? mutated(random, value) : garbage(random, value))

async function many(runs: number, check: (random: Random, run: number) => Promise<void> | void): Promise<void> {
  const random = new Random(seed)
  for (let run = 0; run < runs; run += 1) {
    try {
      await check(random, run)
    } catch (cause) {
      throw new Error(`${replayHint(seed)}, run ${run}: ${String(cause)}`, { cause })
    }
  }
}

const bodies = log.map((event) => JSON.stringify(event))
const header = await headerOf(bodies)

async function headerOf(texts: readonly string[]): Promise<string> {
  const store = createSessionLog({ store: createMemoryStore() })
  const outcome = await store.import({
    sessionId,
    async *read() {
      for (const text of texts) yield JSON.parse(text)
    },
  })
  if (outcome.kind !== 'imported' || outcome.state.header === null) throw new Error(JSON.stringify(outcome))
  return encodeHeader(outcome.state.header)
}

function logOn(stored: { header: string; bodies: string[] }) {
  const medium = createMemoryMedium()
  medium.sessionsById.set(sessionId, { ...stored, marker: 'none', seqByIndexKey: new Map(), checkpoint: null })
  return createSessionLog({ store: createMemoryStore(medium) })
}

/** The value, or null for a refusal in words; anything else is a fault. */
async function orRefused<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof LogError && codes.has(cause.code) && cause.message !== '') return null
    throw cause
  }
}

test('2 a record of a log that is not what was written is refused by its key, and all others are read', async () => {
  await many(2500, async (random) => {
    const at = random.below(bodies.length)
    const body = some(random, log[at])
    const session = logOn({ header, bodies: bodies.with(at, body) })
    const state = await orRefused(session.readState(sessionId))
    if (state !== null) await orRefused(session.page(sessionId, { limit: 50, skipped: state.skipped }))
    const salvaged: (string | null)[] = []
    for await (const record of session.salvage(sessionId)) {
      salvaged.push(record.kind === 'damaged' ? null : JSON.stringify(record.stored.event))
    }
    expect(salvaged.filter((_, index) => index !== at)).toEqual(bodies.filter((_, index) => index !== at))
    const { broken } = await verifySession(session, sessionId)
    if (state === null && broken.length === 0) throw new Error(`refused and whole: ${body}`)
    totals['log records'] += 1
  })
})

test('2 a header that is not what was written is refused, or derived from the log', async () => {
  await many(600, async (random) => {
    const session = logOn({ header: some(random, JSON.parse(header)), bodies })
    await orRefused(session.header(sessionId))
    await orRefused(session.readState(sessionId))
    for await (const listed of session.list()) expect(listed.sessionId).toBe(sessionId)
    await orRefused(verifySession(session, sessionId))
    totals.headers += 1
  })
})

test('11 a settings file is used, or said to be wrong without a word of what it holds', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'task-surface-settings-'))
  try {
    await many(1200, async (random) => {
      const text = some(random, settings)
      writeFileSync(join(dataDir, 'settings.json'), text, { mode: 0o600 })
      const read = await loadSettings({ dataDir, environment: {} })
      expect(read.problem ?? '').not.toContain('planted-secret')
      if (read.problem !== undefined) expect(read).toMatchObject({ acp: {}, limits: {} })
      totals.settings += 1
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

const surfaceId = taskSurfaceIdSchema.parse('ts-1')
const surfaceDraft = { kind: 'draft', values, note: 'n', attempt: 'a-1', at: 1_790_000_000_000 }
const sent = {
  sent: [{ messageId: 'm', text: 't', placement: 'queued', afterSeq: 1, incarnation: 'i', accepted: true }],
  givenBack: [{ messageId: 'n', text: 't', reason: 'lost', why: null }],
}

test('DR-OWN, D-OWN, S-KEEP what a browser has stored is read or passed over, and written over all the same', async () => {
  const parsed = parseStoredModel(model)
  if (!parsed.ok) throw new Error('the sample is no model')
  await many(1500, (random) => {
    const browser = createFakeBrowser()
    const { storage } = browser.tab()
    const put = (key: string, value: unknown) => browser.raw.set(`task-surface:${key}`, some(random, value))
    put(`surface-draft:${sessionId}/${surfaceId}`, surfaceDraft)
    put(`surface-draft:${sessionId}/ts-2`, surfaceDraft)
    put(`surface-draft:${sessionId}/no id at all`, surfaceDraft)
    put(draftKey(sessionId), { text: 't', revision: 3 })
    put(sentKey(sessionId), sent)
    const drafts = createSurfaceDrafts(sessionId, storage, () => 1_790_000_000_001)
    const draft = drafts.read(surfaceId)
    answersOf(createForm(parsed.model, draft))
    if (drafts.write(surfaceId, { values: new Map([['name', 'Bo']]), note: '', attempt: null }) === 'saved') {
      expect(drafts.read(surfaceId)?.values.get('name')).toBe('Bo')
    } else expect(draft).toBeNull()
    const composer = createDraftStore(sessionId, storage, () => () => {})
    composer.replace('typed')
    expect(createDraftStore(sessionId, storage, () => () => {}).getState().text).toBe('typed')
    const outbox = createSentStore(sessionId, storage)
    const { sent: kept } = outbox.getState()
    outbox.giveBack(kept[0]?.messageId ?? messageIdSchema.parse('m'), 'lost', { text: 'back' })
    expect(createSentStore(sessionId, storage).getState().givenBack.length).toBeGreaterThan(0)
    removeOldDrafts(storage, 1_790_000_000_002)
    totals.drafts += 1
  })
})

test('C-SCHEMA a page reads any text as a frame, an answer, or nothing it can read', async () => {
  const samples = Object.entries(frames).map(([type, frame]) => ({ type, ...frame }))
  await many(5000, (random) => {
    const incoming = parseIncoming(some(random, random.pick(samples)))
    totals.frames += 1
    if (incoming.kind !== 'frame' || !('sessionId' in incoming.frame) || incoming.frame.type === 'unreadable') return
    const { frame } = incoming
    if (frame.type === 'host/session-removed') return
    const state = applyFrame(
      { ...newSessionState(frame.sessionId), phase: 'live', incarnation: 'i', lastSeq: -1 },
      frame,
    )
    if (state !== 'gap') JSON.stringify(state)
  })
})
