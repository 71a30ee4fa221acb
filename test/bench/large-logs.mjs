/* Data folders with large logs, written by the product's own log code and kept in a cache under the system's
   temporary folder: writing a million events takes a minute. What they hold is the same every time. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from '../../dist/host/log/level-store.js'
import { createSessionLog } from '../../dist/host/log/session-log.js'
import { emptyState } from '../../dist/host/log/session-state.js'

/** Raised when the events below change, or the format of the store does. */
const version = 1
const begin = 1_790_000_000_000
/** Of one append: few enough bytes for a group, enough for speed. */
const turnsPerAppend = 50

const paragraph = 'The second plan costs less in the first year and binds us for three; the third leaves a way out. '

/** One turn with one tool call, as a session of ordinary work has it: 7 events, about 2.5 KiB. */
function turnOf(session, turn) {
  const callId = `call-${turn}`
  const source = { kind: 'user', rpcId: `${turn}` }
  const question = {
    id: `${session}-user-${turn}`,
    role: 'user',
    source,
    content: text(`Question ${turn}: which plan?`),
  }
  const call = { type: 'tool-call', callId, name: 'read_file', arguments: '{"path":"plans.md"}' }
  const asks = {
    id: `${session}-asks-${turn}`,
    role: 'assistant',
    content: [...text('I look at the plans first.'), call],
  }
  const says = { id: `${session}-says-${turn}`, role: 'assistant', content: text(paragraph.repeat(6)) }
  const step = { turn, step: 0 }
  return [
    { type: 'turn/start', data: { turn } },
    { type: 'user/message', data: { message: question } },
    { type: 'assistant/message', data: { ...step, message: asks, usage: { inputTokens: 900, outputTokens: 30 } } },
    { type: 'tool/call', data: { ...step, callId, name: 'read_file', arguments: { path: 'plans.md' } } },
    { type: 'tool/result', data: { ...step, callId, name: 'read_file', content: text(paragraph.repeat(5)) } },
    {
      type: 'assistant/message',
      data: { turn, step: 1, message: says, usage: { inputTokens: 1400, outputTokens: 160 } },
    },
    { type: 'turn/end', data: { turn, reason: 'completed' } },
  ]
}

const text = (value) => [{ type: 'text', text: value }]
const title = (session) => ({ type: 'session/title', data: { title: `Plans of ${session}` } })

/** The drafts of one session in appends; exactly `count` events. */
function* appendsOf(session, count) {
  yield [{ type: 'session/created', data: { agent: 'demo', cwd: tmpdir(), toolMode: 'native', approval: 'ask' } }]
  const turns = Math.floor((count - 1) / 7)
  for (let turn = 1; turn <= turns; turn += turnsPerAppend) {
    const last = Math.min(turns, turn + turnsPerAppend - 1)
    yield Array.from({ length: last - turn + 1 }, (_, index) => turnOf(session, turn + index)).flat()
  }
  const rest = count - 1 - turns * 7
  if (rest > 0) yield Array.from({ length: rest }, () => title(session))
}

async function writeSession(log, session, count) {
  const outcome = await log.acquire(session)
  if (outcome.kind !== 'owned') throw new Error(`${session} is ${outcome.kind}`)
  let state = emptyState(session)
  for (const drafts of appendsOf(session, count)) {
    const appended = await log.append(outcome.ownership, state, drafts, begin + state.lastSeq)
    if (appended.kind !== 'durable') throw new Error(`an append of ${session} ended as ${appended.kind}`)
    state = appended.state
  }
  await log.release(outcome.ownership)
}

export const shortSession = 'session-0'
export const longSession = 'session-1'

/** 1,000,000 events in 1,000 sessions: one of 100, one of 100,000, all others about 900. Do not change what is in it. */
export const millionEvents = () =>
  dataFolderOf('million', [100, 100_000, ...Array.from({ length: 998 }, (_, index) => (index < 702 ? 902 : 901))])

/** One session of 100 events and one of 100,000. Do not change what is in it. */
export const shortAndLong = () => dataFolderOf('opening', [100, 100_000])

/** A data folder in which session `session-<n>` has `counts[n]` events. */
async function dataFolderOf(name, counts) {
  const folder = join(tmpdir(), `task-surface-bench-${process.getuid?.() ?? 'user'}`, `${name}-v${version}`)
  if (existsSync(folder)) return folder
  process.stderr.write(`writing ${counts.reduce((sum, count) => sum + count, 0)} events for ${name}, once\n`)
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  try {
    const store = await openLevelStore({ folder: unfinished })
    const log = createSessionLog({ store })
    // A few at once, so that their appends share a flush.
    const left = counts.entries()
    const work = async () => {
      for (const [index, count] of left) await writeSession(log, `session-${index}`, count)
    }
    await Promise.all(Array.from({ length: 16 }, work))
    await store.close()
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}
