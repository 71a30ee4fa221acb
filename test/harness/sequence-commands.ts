/* The commands of a sequence as calls of the wire, answers of the model and releases of the gate (HARNESS.md, the
   table). Each resolves when its reply was compared; what follows from it is waited for by the runner. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../shared/json.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { Reply } from './client.ts'
import type { ModelCall } from './scripted-model.ts'
import type { CommandOf, Step } from './sequence-cases.ts'
import type { SequenceRun } from './sequence-runner.ts'
import type { SequenceSession } from './sequence-session.ts'

type ExpectedReply = Step['reply']

export async function performCommand(run: SequenceRun, { command, reply }: Step): Promise<void> {
  if (command.cmd === 'restart') {
    compare(run, reply, { ok: true })
    await run.restart()
    return
  }
  const session = run.session(command.session)
  const { sessionId } = session
  const { bindings } = run
  switch (command.cmd) {
    case 'send': {
      const { messageId, text, placement } = command
      const params = { sessionId, messageId, text: session.tagged(text), ...(placement !== undefined && { placement }) }
      return compareOutcome(run, reply, await run.client.ask('session.send', params))
    }
    case 'submit': {
      const { submissionId, values, note } = command
      const surfaceId = bindings.toSend(command.surface)
      const params = { sessionId, surfaceId, submissionId, values, ...(note !== undefined && { note }) }
      return compareDomain(run, reply, await run.client.ask('taskSurface.submit', params))
    }
    case 'dismiss': {
      const params = { sessionId, surfaceId: bindings.toSend(command.surface), dismissalId: command.dismissalId }
      return compareDomain(run, reply, await run.client.ask('taskSurface.dismiss', params))
    }
    case 'getActive': {
      const surfaceId = bindings.toSend(command.surface)
      return compareActive(run, reply, await run.client.ask('taskSurface.getActive', { sessionId, surfaceId }))
    }
    case 'remove':
    case 'edit':
    case 'steer':
      return updateQueue(run, session, command, reply)
    case 'interrupt':
      return interrupt(run, session, reply)
    case 'fork':
      return fork(run, session, command, reply)
    case 'rewind':
      return rewind(run, session, command, reply)
    case 'show':
      return show(run, session, command, reply)
    case 'endTurn':
      compare(run, reply, { ok: true })
      return (await parkedCall(run, session)).answerText('Done.')
    case 'failTurn':
      compare(run, reply, { ok: true })
      return (await parkedCall(run, session)).answerError(400, 'This model refuses.')
    case 'claim':
      return claim(run, session, reply)
    case 'commit':
      return commit(run, session, reply)
    case 'refuse':
      return refuse(run, session, reply)
  }
}

/** Compares the members that the fixture lists. */
function compare(run: SequenceRun, expected: ExpectedReply, seen: Record<string, Json | undefined>): void {
  for (const [key, wanted] of Object.entries(expected)) {
    const value = seen[key]
    const same = typeof wanted === 'string' ? run.bindings.bind(wanted, value) : isDeepStrictEqual(wanted, value)
    if (!same) throw new Error(`reply: ${JSON.stringify(seen)}`)
  }
}

/** A refusal by number or by `data.code`; false where none was expected. */
function compareError(expected: ExpectedReply, reply: Reply<unknown>): boolean {
  if (!('error' in expected)) {
    if (!reply.ok) throw new Error(`reply: ${JSON.stringify(reply.error)}`)
    return false
  }
  const { error } = expected
  if (reply.ok || (reply.error.code !== error && reply.error.data?.code !== error)) {
    throw new Error(`reply: ${JSON.stringify(reply)}`)
  }
  return true
}

function compareOutcome(
  run: SequenceRun,
  expected: ExpectedReply,
  reply: Reply<Record<string, Json | undefined>>,
): void {
  if (compareError(expected, reply) || !reply.ok) return
  compare(run, expected, { ok: true, ...reply.result })
}

function compareDomain(
  run: SequenceRun,
  expected: ExpectedReply,
  reply: Reply<Result<'taskSurface.submit' | 'taskSurface.dismiss'>>,
): void {
  if (compareError(expected, reply) || !reply.ok) return
  const { issues, ...members } = { issues: undefined, ...reply.result }
  const paths = issues === undefined ? undefined : [...new Set(issues.map(({ path }) => path))]
  const seen: Record<string, Json | undefined> = { ...members, ...(paths !== undefined && { issuePaths: paths }) }
  if (!isDeepStrictEqual(Object.keys(seen).sort(), Object.keys(expected).sort())) {
    throw new Error(`reply: ${JSON.stringify(reply.result)}`)
  }
  compare(run, expected, seen)
}

function compareActive(run: SequenceRun, expected: ExpectedReply, reply: Reply<Result<'taskSurface.getActive'>>): void {
  if (compareError(expected, reply) || !reply.ok) return
  const { result } = reply
  if (!result.active) {
    compare(run, expected, result)
    return
  }
  const { active, surfaceId, pending } = result
  const { pending: wanted, ...members } = expected
  compare(run, members, { active, surfaceId })
  if (wanted === null ? pending !== null : pending === null) throw new Error(`reply: ${JSON.stringify(result)}`)
  if (pending !== null && isRecord(wanted)) compare(run, wanted, pending)
}

async function updateQueue(
  run: SequenceRun,
  session: SequenceSession,
  command: CommandOf<'remove' | 'edit' | 'steer'>,
  reply: ExpectedReply,
): Promise<void> {
  session.read()
  const key = command.messageId === undefined ? `submission ${command.submissionId}` : `message ${command.messageId}`
  const action =
    command.cmd === 'edit' ? { kind: command.cmd, text: session.tagged(command.text) } : { kind: command.cmd }
  const itemId = session.itemIdByRow.get(key) ?? `never-made-${randomUUID()}`
  const { sessionId } = session
  compareOutcome(run, reply, await run.client.ask('session.updateQueue', { sessionId, itemId, action }))
}

async function interrupt(run: SequenceRun, session: SequenceSession, reply: ExpectedReply): Promise<void> {
  const call = run.parkedCall(session)
  const { sessionId } = session
  compareOutcome(run, reply, await run.client.ask('session.interrupt', { sessionId }))
  if (call === undefined) return
  await run.changes.until(() => call.isAbandoned, `the host to leave model call ${call.callNo}`)
}

async function fork(
  run: SequenceRun,
  session: SequenceSession,
  { to, atTurn }: CommandOf<'fork'>,
  reply: ExpectedReply,
): Promise<void> {
  session.read()
  const starts = session.log.filter(({ type }) => type === 'turn/start')
  const atSeq = atTurn === undefined ? undefined : starts[atTurn - 1]?.seq
  const { sessionId } = session
  const answer = await run.client.ask('session.fork', { sessionId, ...(atSeq !== undefined && { atSeq }) })
  if (compareError(reply, answer) || !answer.ok) return
  await run.adopt(to, answer.result.session.id)
}

async function rewind(
  run: SequenceRun,
  session: SequenceSession,
  command: CommandOf<'rewind'>,
  reply: ExpectedReply,
): Promise<void> {
  session.read()
  const toSeq = rewindTarget(session, command)
  const { sessionId, view } = session
  const answer = await run.client.ask('session.rewind', { sessionId, toSeq })
  if (compareError(reply, answer) || !answer.ok) return
  const { lastSeq, text } = answer.result
  const wanted = reply.text
  const expected = typeof wanted === 'string' ? session.tagged(wanted) : undefined
  if (text !== expected) throw new Error(`reply: ${JSON.stringify(answer.result)}`)
  await run.changes.until(() => view.renewals === 1, 'the host to begin the session anew for its subscribers')
  session.rewound(lastSeq, toSeq)
  await run.client.open(sessionId)
  session.reopened(run.client)
  if (session.view.lastSeq !== lastSeq) throw new Error(`lastSeq ${session.view.lastSeq} after a rewind to ${lastSeq}`)
}

function rewindTarget({ log }: SequenceSession, { toTurn, toStart, toDismissal }: CommandOf<'rewind'>): number {
  if (toTurn === 0) return 0
  const nth = (type: string, count: number) => log.filter((event) => event.type === type)[count - 1]?.seq
  const seq =
    toTurn !== undefined
      ? nth('turn/end', toTurn)
      : toStart !== undefined
        ? nth('turn/start', toStart)
        : log.find((event) => event.type === 'task-surface/dismissed' && event.data.dismissalId === toDismissal)?.seq
  // An end that never was: no event stands there.
  return seq ?? log.length + 1000
}

async function show(
  run: SequenceRun,
  session: SequenceSession,
  { surfaces }: CommandOf<'show'>,
  reply: ExpectedReply,
): Promise<void> {
  const call = await parkedCall(run, session)
  const from = session.log.length
  call.answerCalls(
    surfaces.map((name) => ({ name: 'show_task_surface', arguments: { model: run.stage.models[name] } })),
  )
  const seen = <Value>(pick: (event: (typeof session.log)[number]) => Value | null) => {
    session.read()
    return session.log.slice(from).flatMap((event) => pick(event) ?? [])
  }
  const callIds = await run.changes.until(
    () => {
      const ids = seen((event) => (event.type === 'tool/call' ? event.data.callId : null))
      for (const [index, callId] of ids.entries()) session.surfaceByCall.set(callId, surfaces[index] ?? 'one too many')
      return ids.length >= surfaces.length && ids
    },
    `the tool/call events of ${surfaces.join(', ')}`,
  )
  const results = await run.changes.until(
    () => {
      const found = seen((event) => (event.type === 'tool/result' ? event.data : null))
      return found.length >= callIds.length && found
    },
    `the tool/result events of ${surfaces.join(', ')}`,
  )
  const wanted = reply.results
  if (!Array.isArray(wanted) || wanted.length !== results.length) throw new Error(`results: ${JSON.stringify(results)}`)
  for (const [index, result] of results.entries()) compareResult(run, wanted[index], result)
}

interface ToolResult {
  content: readonly { text: string }[]
  error?: { code: string } | undefined
  meta?: Json | undefined
}

function compareResult(run: SequenceRun, wanted: Json | undefined, result: ToolResult): void {
  const text = result.content.map((part) => part.text).join('\n')
  const same = (() => {
    if (!isRecord(wanted)) return false
    if (typeof wanted.opened === 'string') {
      const meta = isRecord(result.meta) ? result.meta : {}
      return (
        result.error === undefined &&
        run.bindings.bind(wanted.opened, meta.surfaceId) &&
        text.includes(String(meta.surfaceId))
      )
    }
    if (result.error?.code !== wanted.error || result.meta !== undefined) return false
    return typeof wanted.open !== 'string' || text.includes(String(run.bindings.known(wanted.open)))
  })()
  if (!same) throw new Error(`result: expected ${JSON.stringify(wanted)}; saw ${JSON.stringify(result)}`)
}

async function claim(run: SequenceRun, session: SequenceSession, reply: ExpectedReply): Promise<void> {
  const { claimed } = reply
  if (run.gate !== null) {
    compare(run, reply, { claimed: await run.gate.claim(session.sessionId, run.changes) })
    return
  }
  const messageId = typeof claimed === 'string' ? run.bindings.known(claimed) : undefined
  await run.changes.until(
    () => !session.view.queue.some((row) => row.messageId === messageId) || isDurable(session, messageId),
    `the claim of ${String(messageId)}`,
  )
}

async function commit(run: SequenceRun, session: SequenceSession, reply: ExpectedReply): Promise<void> {
  const { admitted } = reply
  const messageId = typeof admitted === 'string' ? run.bindings.known(admitted) : undefined
  if (typeof messageId !== 'string') throw new Error('nothing to commit')
  run.gate?.decide(session.sessionId, { admit: true }, messageId)
  await run.changes.until(() => isDurable(session, messageId), `the message ${messageId}`)
}

function refuse(run: SequenceRun, session: SequenceSession, reply: ExpectedReply): void {
  if (run.gate === null) throw new Error('only a gated case can refuse')
  compare(run, reply, { ok: true })
  run.gate.decide(session.sessionId, { admit: false, reason: 'refused by the test' })
}

function isDurable(session: SequenceSession, messageId: Json | undefined): boolean {
  return session.counted.some((event) => event.type === 'user/message' && event.data.message.id === messageId)
}

function parkedCall(run: SequenceRun, session: SequenceSession): Promise<ModelCall> {
  return run.changes.until(() => run.parkedCall(session), `a model call of ${session.sessionId}`)
}

function isRecord(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
