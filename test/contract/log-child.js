/* A process that writes to a log until something ends it, for tests of what is on disk then. Runs the compiled store;
   says each thing it knows as one JSON line.
   `node log-child.js endless FOLDER`: appends one event after another, a line each once durable.
   `node log-child.js full FOLDER`: appends until a write fails, then goes on as a host would. */
import { openLevelStore } from '../../dist/host/log/level-store.js'

const [, , mode, folder] = process.argv
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
// Large where a file shall fill up: what is torn then leaves room for the table that the rest becomes.
const body = (seq) => `${seq}:${'x'.repeat(mode === 'full' ? 300_000 : 200)}`

const store = await openLevelStore({ folder })

async function own(sessionId) {
  for (;;) {
    const outcome = await store.acquire(sessionId)
    if (outcome.kind === 'owned') return outcome.ownership
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function append(ownership, seq) {
  const append = { ownership, firstSeq: seq, bodies: [body(seq)], header: `header ${seq}`, index: [] }
  const [outcome] = await store.appendGroup([append])
  return outcome.kind
}

if (mode === 'endless') {
  const ownership = await own('a')
  for (let seq = 0; ; seq += 1) say({ seq, kind: await append(ownership, seq) })
} else {
  const first = await own('a')
  const bystander = await own('b')
  say({ kind: await append(bystander, 0) })
  let seq = 0
  let kind = await append(first, seq)
  while (kind === 'durable' && seq < 10_000) kind = await append(first, (seq += 1))
  say({ failedAt: seq, kind, stale: await append(first, seq) })
  // The database reopens by itself; the session is acquired anew and read again before anything else happens in it.
  const again = await own('a')
  const page = await store.read('a', { from: 0, to: Number.MAX_SAFE_INTEGER, direction: 'backward', limit: 1 })
  const lastSeq = page[0].seq
  say({ lastSeq, whole: page[0].body === body(lastSeq) })
  say({ afterwards: await append(again, lastSeq + 1), bystander: await append(bystander, 1) })
  await store.close()
}
