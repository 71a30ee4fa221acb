/* What the journal costs: appends per second of 64 sessions at once whose actors make two transitions for each append, with
   the journal against without it (SPEC 10). Prints one JSON line. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActor } from 'xstate'
import { systemClock } from '../../dist/host/clock.js'
import { Journal } from '../../dist/host/lifecycles/journal.js'
import { Lifecycles } from '../../dist/host/lifecycles/lifecycles.js'
import { Watching } from '../../dist/host/lifecycles/watching.js'
import { createJournalRecords } from '../../dist/host/log/journal-records.js'
import { openLevelDatabase } from '../../dist/host/log/level-database.js'
import { createLevelStore } from '../../dist/host/log/level-store.js'
import { createSessionLog } from '../../dist/host/log/session-log.js'
import { emptyState } from '../../dist/host/log/session-state.js'
import { silentLogger } from '../../dist/host/logger.js'
import { sessionMachine } from '../../dist/machines/session.js'
import { inTurn, medianPair, printRow } from './figures.mjs'

const sessions = 64
const appendsEach = 150
const rounds = 15

const nobodyWatches = new Watching({ publish: () => {}, subscribers: () => 0 })
const message = (session, n) => ({
  type: 'user/message',
  data: {
    message: {
      id: `message-${session}-${n}`,
      role: 'user',
      source: { kind: 'user', rpcId: '1' },
      content: [{ type: 'text', text: 'Compare the three plans and tell me which one to take. '.repeat(3) }],
    },
  },
})
const row = (session, n) => ({
  itemId: `item-${session}-${n}`,
  messageId: `message-${session}-${n}`,
  placement: 'queued',
  answers: null,
})

/** Appends per second. */
async function run(withJournal) {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
  try {
    const database = await openLevelDatabase(folder)
    const log = createSessionLog({ store: await createLevelStore(database) })
    const journal = new Journal({
      store: createJournalRecords(database, silentLogger),
      clock: systemClock,
      logger: silentLogger,
    })
    const lifecycles = new Lifecycles({ journal, watching: nobodyWatches, clock: systemClock, logger: silentLogger })
    const begun = await Promise.all(
      Array.from({ length: sessions }, async (_, session) => {
        const sessionId = `session-${session}`
        const { ownership } = await log.acquire(sessionId)
        const created = [{ type: 'session/created', data: { agent: 'demo', cwd: '/' } }]
        const { state } = await log.append(ownership, emptyState(sessionId), created, 1)
        return { session, sessionId, ownership, state }
      }),
    )
    const start = process.hrtime.bigint()
    await Promise.all(
      begun.map(async ({ session, sessionId, ownership, state }) => {
        const actorId = `session:${sessionId}`
        const inspect = withJournal ? lifecycles.tap({ actorId, machine: 'session', sessionId }) : undefined
        const actor = createActor(sessionMachine, { id: actorId, inspect })
        actor.start()
        let behind = state
        for (let n = 1; n <= appendsEach; n += 1) {
          actor.send({ type: 'ENQUEUE', row: row(session, n) })
          const outcome = await log.append(ownership, behind, [message(session, n)], n)
          if (outcome.kind !== 'durable') throw new Error(`append ended as ${outcome.kind}`)
          behind = outcome.state
          actor.send({ type: 'REMOVE', itemId: `item-${session}-${n}` })
        }
      }),
    )
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    await log.close()
    journal.close()
    await database.close()
    return (sessions * appendsEach) / seconds
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const samples = await inTurn({ rounds, value: () => run(true), floor: () => run(false) })
printRow({
  name: 'appends with the journal, two transitions each',
  unit: '1/s',
  ...medianPair(samples),
  goal: 0.9,
  atLeast: true,
})
