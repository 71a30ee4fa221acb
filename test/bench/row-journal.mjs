/* What the journal costs (SPEC 10): whole turns of 64 sessions at once, from the request to the last durable event, for each
   second of processor time, with the journal against without it. Everything else is the host's own: handlers, actors, log,
   frames; the model answers at once. By the clock most of a turn is waiting for the disk, which would hide the cost.
   Prints one JSON line. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultTaskSurfaceLimits } from '../../dist/shared/surface/limits.js'
import { systemClock } from '../../dist/host/clock.js'
import { createIdMint } from '../../dist/host/id-mint.js'
import { Journal } from '../../dist/host/lifecycles/journal.js'
import { Lifecycles } from '../../dist/host/lifecycles/lifecycles.js'
import { Watching } from '../../dist/host/lifecycles/watching.js'
import { noFaultPoints } from '../../dist/host/log/fault-points.js'
import { createJournalRecords } from '../../dist/host/log/journal-records.js'
import { openLevelDatabase } from '../../dist/host/log/level-database.js'
import { createLevelStore } from '../../dist/host/log/level-store.js'
import { createSessionLog } from '../../dist/host/log/session-log.js'
import { silentLogger } from '../../dist/host/logger.js'
import { createHandlers } from '../../dist/host/rpc/handlers.js'
import { openAdmission } from '../../dist/host/session/admission-hook.js'
import { SubscriptionHub } from '../../dist/host/session/hub.js'
import { SessionDirectory } from '../../dist/host/session/session-directory.js'
import { ToolRegistry } from '../../dist/host/tools/registry.js'
import { inTurn, medianPair, printRow } from './figures.mjs'

const sessions = 64
const turnsEach = 20
const rounds = 7

const answer = 'The second plan costs less and takes a week longer; the others differ in nothing you asked for. '
const model = {
  async *stream() {
    yield { type: 'text', text: answer }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 100, outputTokens: 20 } }
  },
}
const agents = { list: () => [], resolve: () => ({ available: true, model }) }
/** Actors that nobody looks at. */
const unseen = {
  observed: (machine) => machine,
  resting: (_, work) => work(),
  actors: () => [],
  journal: { forget() {}, settle() {} },
  watching: { show() {}, isWatched: () => false },
}

/** Turns for each second of processor time, of all threads. */
async function run(withJournal) {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
  const onTurnEnd = new Map()
  const fanout = {
    publish: (topic, text) => void (text.includes('"turn/end"') && onTurnEnd.get(topic)?.()),
    subscribers: () => 0,
  }
  const logger = silentLogger
  const clock = systemClock
  const database = await openLevelDatabase(folder)
  const log = createSessionLog({ store: await createLevelStore(database) })
  const journal = new Journal({ store: createJournalRecords(database, logger), clock, logger })
  const lifecycles = withJournal ? new Lifecycles({ journal, watching: new Watching(fanout), clock, logger }) : unseen
  const hub = new SubscriptionHub({ fanout, bootId: 'boot-1', faults: noFaultPoints, clock })
  const directory = new SessionDirectory({
    log,
    hub,
    clock,
    ids: createIdMint(),
    agents,
    tools: new ToolRegistry([], []),
    admission: openAdmission,
    surfaceLimits: defaultTaskSurfaceLimits,
    tasks: null,
    lifecycles,
    logger,
  })
  const handlers = createHandlers({ directory, version: '0', bootId: 'boot-1', defaultCwd: folder, defaultAgent: 'it' })
  const call = { rpcId: '1', peer: null }
  try {
    const created = await Promise.all(
      Array.from({ length: sessions }, async () => (await handlers['session.create']({ cwd: folder }, call)).session),
    )
    const ids = created.map(({ id }) => id)
    const turn = async (sessionId, n) => {
      const ended = new Promise((resolve) => onTurnEnd.set(hub.topic(sessionId), resolve))
      const text = `Compare the three plans and tell me which one to take (${n}).`
      await handlers['session.send']({ sessionId, messageId: `m-${sessionId}-${n}`, text, placement: 'queued' }, call)
      await ended
    }
    await Promise.all(ids.map((id) => turn(id, 0)))
    const start = process.cpuUsage()
    await Promise.all(
      ids.map(async (id) => {
        for (let n = 1; n <= turnsEach; n += 1) await turn(id, n)
      }),
    )
    const { user, system } = process.cpuUsage(start)
    return (sessions * turnsEach) / ((user + system) / 1e6)
  } finally {
    await directory.close()
    await log.close()
    journal.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const samples = await inTurn({ rounds, value: () => run(true), floor: () => run(false) })
printRow({
  name: 'turns with the journal against without',
  unit: '1/s of CPU',
  ...medianPair(samples),
  goal: 0.9,
  atLeast: true,
})
