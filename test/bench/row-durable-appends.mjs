/* Durable appends per second of 64 sessions at once (SPEC 15): each session appends as soon as its last append is durable,
   through the group writer onto LevelDB. The floor writes the same puts in the same groups straight to the binding.
   Runs after `tsc -b`; prints one JSON line {name, floor, value, ratio, goal, met}. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGroupWriter } from '../../dist/host/log/group-writer.js'
import { openLevelDatabase } from '../../dist/host/log/level-database.js'
import { createLevelStore } from '../../dist/host/log/level-store.js'
import { inTurn, medianPair, printRow } from './figures.mjs'
import { writeRawBatches } from './floors.mjs'

const sessions = 64
const appendsEach = 200
const rounds = 9

/** As large as a short message with its envelope, and the header that goes with it. */
const body = (session, seq) =>
  JSON.stringify({
    type: 'user/message',
    seq,
    time: 1_790_000_000_000 + seq,
    data: {
      message: {
        id: `message-${session}-${seq}`,
        role: 'user',
        source: { kind: 'user', rpcId: '1' },
        content: [{ type: 'text', text: 'Compare the three plans and tell me which one to take. '.repeat(3) }],
      },
    },
  })
const header = (session, seq) =>
  JSON.stringify({
    format: 1,
    sessionId: `session-${session}`,
    title: 'Compare the three plans',
    agent: 'demo',
    cwd: '/home/someone/project',
    createdAt: 1_790_000_000_000,
    updatedAt: 1_790_000_000_000 + seq,
    toolMode: 'native',
    approval: 'ask',
    lastSeq: seq,
  })

const appends = Array.from({ length: sessions }, (_, session) =>
  Array.from({ length: appendsEach }, (_unused, seq) => ({
    firstSeq: seq,
    bodies: [body(session, seq)],
    header: header(session, seq),
    index: [{ kind: 'message', id: `message-${session}-${seq}`, seq }],
  })),
)

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Seconds. `seen` is told every batch; the timed runs go without, because keeping them costs time as well. */
async function runProduct(folder, seen) {
  const database = await openLevelDatabase(folder)
  const write = (operations) => {
    seen(operations)
    return database.write(operations)
  }
  const store = await createLevelStore(seen === undefined ? database : { ...database, write })
  const writer = createGroupWriter(store)
  const ownerships = await Promise.all(
    appends.map(async (_, session) => (await store.acquire(`session-${session}`)).ownership),
  )
  const begun = process.hrtime.bigint()
  await Promise.all(
    ownerships.map(async (ownership, session) => {
      for (const append of appends[session]) {
        const outcome = await writer.append({ ownership, ...append })
        if (outcome.kind !== 'durable') throw new Error(`append ended as ${outcome.kind}`)
      }
    }),
  )
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9
  await writer.close()
  await store.close()
  await database.close()
  return seconds
}

const batches = []
await inFolder((folder) => runProduct(folder, (operations) => batches.push(operations)))
const perSecond = (seconds) => (sessions * appendsEach) / seconds
const samples = await inTurn({
  rounds,
  value: async () => perSecond(await inFolder((folder) => runProduct(folder))),
  floor: async () => perSecond(await inFolder((folder) => writeRawBatches(folder, batches))),
})
printRow({
  name: 'durable appends, 64 sessions at once',
  unit: '1/s',
  ...medianPair(samples),
  goal: 0.8,
  atLeast: true,
})
