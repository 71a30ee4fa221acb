/* What must hold of a host at rest, of every session: the log against everything its clients know, the product's fold
   against the log, and every id asked about once more. */
import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../shared/event.ts'
import { foldLog } from '../../shared/fold.ts'
import { countedEvents, openSurface } from '../harness/counted-log.ts'
import { askAgain } from './asked-again.ts'
import { forkCopy, givenBackBy, isForkOf, wholeLog } from './log-reading.ts'
import type { World } from './world.ts'

export async function checkFates(world: World): Promise<void> {
  world.read()
  const logs = new Map<string, SessionEvent[]>()
  for (const sessionId of world.sessionIds) logs.set(sessionId, await wholeLog(world.observer.client, sessionId))
  checkNothingLost(world, logs)
  for (const [sessionId, log] of logs) {
    const verdict = await world.observer.client.call('data.verify', { sessionId })
    if (verdict.broken.length > 0) throw new Error(`verify ${sessionId}: ${JSON.stringify(verdict.broken)}`)
    checkFold(world, sessionId, log)
    checkMessages(world, sessionId, log)
  }
  checkForks(world, logs)
  checkRewinds(world, logs)
  await checkJournal(world)
  await askAgain(world, logs)
}

/** What any socket was ever shown is in the log, at its place. */
function checkNothingLost(world: World, logs: ReadonlyMap<string, readonly SessionEvent[]>): void {
  for (const [sessionId, seen] of world.book.seen) {
    const log = logs.get(sessionId)
    const created = seen.get(0)
    const isChild = created?.type === 'session/created' && created.data.parent?.relation === 'subagent'
    if (log === undefined) {
      if (!world.book.removed.has(sessionId) && !isChild) throw new Error(`${sessionId} is gone`)
      continue
    }
    for (const [seq, event] of seen) {
      if (!isDeepStrictEqual(log[seq], event)) {
        throw new Error(`${sessionId} ${seq} was seen as ${JSON.stringify(event)}, is ${JSON.stringify(log[seq])}`)
      }
    }
  }
}

function checkFold(world: World, sessionId: string, log: readonly SessionEvent[]): void {
  const folded = foldLog(log.map((event) => ({ kind: 'event', event })))
  if (!folded.ok) throw new Error(`${sessionId}: ${folded.message}`)
  const values = world.observer.shown(sessionId)?.values ?? new Map<string, unknown>()
  for (const [key, value] of Object.entries(folded.state.values)) {
    if (!isDeepStrictEqual(values.get(key), value)) {
      throw new Error(
        `${sessionId} ${key}: shown is ${JSON.stringify(values.get(key))}, by the log ${JSON.stringify(value)}`,
      )
    }
  }
  const open = openSurface(countedEvents(log))
  const active = open === null ? null : { callId: open.callId, surfaceId: open.surfaceId }
  if (!isDeepStrictEqual(values.get('taskSurface'), { active })) {
    throw new Error(
      `${sessionId}: open by the log ${JSON.stringify(open)}, shown ${JSON.stringify(values.get('taskSurface'))}`,
    )
  }
}

interface Committed {
  text: string
  submissionId: string | undefined
}

function committedIn(log: readonly SessionEvent[]): Map<string, Committed> {
  const committed = new Map<string, Committed>()
  for (const event of log) {
    if (event.type !== 'user/message' && event.type !== 'steering/message') continue
    const { id, content, source } = event.data.message
    if (committed.has(id)) throw new Error(`${id} stands twice in a log`)
    const submissionId = /"submissionId":"([^"]+)"/.exec(JSON.stringify(source))?.[1]
    committed.set(id, { text: content.map(({ text }) => text).join('\n'), submissionId })
  }
  return committed
}

/** One message for each thing accepted, with a text that was sent; or it was given back, or forgotten with its host. */
function checkMessages(world: World, sessionId: string, log: readonly SessionEvent[]): void {
  const { book } = world
  const committed = committedIn(log)
  const isAccountedFor = ({ messageId, hostLife }: { messageId: string; hostLife: number }) =>
    committed.has(messageId) || book.givenBack.has(messageId) || hostLife !== book.hostLife
  for (const sent of book.sent.values()) {
    if (sent.sessionId !== sessionId) continue
    if (!isAccountedFor(sent)) throw new Error(`lost without a word: ${JSON.stringify(sent)}`)
    const { text } = committed.get(sent.messageId) ?? sent
    const edits = book.edits.get(sent.messageId) ?? []
    if (text !== sent.text && !edits.includes(text)) throw new Error(`${text} is not of ${JSON.stringify(sent)}`)
  }
  for (const submitted of book.submitted.values()) {
    if (submitted.sessionId !== sessionId) continue
    if (!isAccountedFor(submitted)) throw new Error(`lost without a word: ${JSON.stringify(submitted)}`)
    const of = [...committed].filter(([, { submissionId }]) => submissionId === submitted.submissionId)
    if (of.length > 1) throw new Error(`${submitted.submissionId} has ${of.length} messages`)
    const [first] = of
    if (first !== undefined && first[0] !== submitted.messageId) {
      throw new Error(`${submitted.submissionId} was accepted as ${submitted.messageId} and stands as ${first[0]}`)
    }
  }
  for (const { sessionId: of, dismissalId, eventSeq } of book.dismissed) {
    const event = log[eventSeq]
    const is = event?.type === 'task-surface/dismissed' && event.data.dismissalId === dismissalId
    if (of === sessionId && !is) throw new Error(`${dismissalId} at ${eventSeq}: ${JSON.stringify(event)}`)
  }
}

/** The copy that the log gives as it stood at some moment between request and answer. */
function checkForks(world: World, logs: ReadonlyMap<string, SessionEvent[]>): void {
  for (const { sourceId, childId, atSeq, lastSeq } of world.book.forked) {
    const [source, child] = [logs.get(sourceId), logs.get(childId)]
    if (source === undefined || child === undefined) continue
    const lengths = Array.from({ length: lastSeq[1] - lastSeq[0] + 2 }, (_, index) => lastSeq[0] + 1 + index)
    const isOne = lengths.some((length) => {
      const copied = forkCopy(source.slice(0, length), atSeq)
      return copied !== null && isForkOf(child, copied, sourceId)
    })
    if (!isOne) {
      const copied = forkCopy(source.slice(0, lastSeq[1] + 1), atSeq)?.map(({ seq, type }) => `${seq} ${type}`)
      const has = child.map(({ seq, type }) => `${seq} ${type}`)
      throw new Error(`the fork of ${sourceId} at ${atSeq} has ${has.join(', ')}; wanted ${copied?.join(', ')}`)
    }
  }
}

function checkRewinds(world: World, logs: ReadonlyMap<string, SessionEvent[]>): void {
  for (const { sessionId, toSeq, lastSeq, text } of world.book.rewound) {
    const log = logs.get(sessionId)
    if (log === undefined) continue
    const event = log[lastSeq]
    const is = event?.type === 'session/rewound' && event.data.toSeq === toSeq
    if (!is) throw new Error(`${sessionId} was rewound to ${toSeq} by ${lastSeq}: ${JSON.stringify(event)}`)
    const wanted = givenBackBy(log.slice(0, lastSeq), toSeq)
    if (wanted !== text) throw new Error(`a rewind of ${sessionId} gives back ${text}, not ${wanted}`)
  }
}

/** The journal says what was told live. */
async function checkJournal({ sessionIds, observer, replay }: World): Promise<void> {
  for (const sessionId of sessionIds) {
    const { entries } = await observer.client.call('inspect.journal', { sessionId, limit: 500 })
    for (const entry of entries) {
      const told = replay.entries.get(`${sessionId} ${entry.id}`)
      // Told after its session fell silent, or in another life of the host.
      if (told !== undefined && told.at === entry.at && !isDeepStrictEqual(told, entry)) {
        throw new Error(`the journal has ${JSON.stringify(entry)}, told was ${JSON.stringify(told)}`)
      }
    }
  }
}
