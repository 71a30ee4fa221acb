/* Events, frames and answers as a host makes them. */
import type { SessionEvent } from '../../../shared/event.ts'
import { sessionEventSchema } from '../../../shared/event.ts'
import { callIdSchema, messageIdSchema, sessionIdSchema, taskSurfaceIdSchema } from '../../../shared/ids.ts'
import { type QueuedMessage, queuedMessageSchema } from '../../../shared/message.ts'
import { type SessionFrame, sessionFrameSchema } from '../../../shared/protocol/frames.ts'
import { type Session, sessionSchema } from '../../../shared/session.ts'

export const sessionId = sessionIdSchema.parse('s-1')
export const otherSessionId = sessionIdSchema.parse('s-2')
export const surfaceId = taskSurfaceIdSchema.parse('surface-1')
export const messageId = (name: string) => messageIdSchema.parse(name)
export const callId = (name: string) => callIdSchema.parse(name)

export function session(change: Partial<Session> = {}): Session {
  return sessionSchema.parse({
    id: sessionId,
    title: 'Ship 2.4',
    agent: 'demo',
    cwd: '/tmp',
    createdAt: 1,
    updatedAt: 2,
    status: 'idle',
    toolMode: 'native',
    approval: 'ask',
    ...change,
  })
}

/** Checked by the schema, so that a sample is never anything a host could not send. */
export function event(seq: number, type: string, data: object): SessionEvent {
  return sessionEventSchema.parse({ type, seq, time: 1_000_000 + seq * 1000, data })
}

export const created = (seq = 0) => event(seq, 'session/created', { agent: 'demo', cwd: '/tmp' })
export const turnStart = (seq: number, turn = 1) => event(seq, 'turn/start', { turn })
export const turnEnd = (seq: number, turn = 1, reason = 'completed', error?: string) =>
  event(seq, 'turn/end', { turn, reason, ...(error === undefined ? {} : { error }) })

export function said(seq: number, id: string, text = id, source: object = { kind: 'user', rpcId: '1' }): SessionEvent {
  return event(seq, 'user/message', { message: { id, role: 'user', source, content: [{ type: 'text', text }] } })
}

export function steered(seq: number, id: string, text = id): SessionEvent {
  const message = { id, role: 'user', source: { kind: 'user', rpcId: '1' }, content: [{ type: 'text', text }] }
  return event(seq, 'steering/message', { message })
}

export function answered(
  seq: number,
  id: string,
  text: string,
  calls: string[] = [],
  turn = 1,
  step = 0,
): SessionEvent {
  const content = [
    { type: 'text', text },
    ...calls.map((call) => ({ type: 'tool-call', callId: call, name: 'bash', arguments: '{"command":"ls"}' })),
  ]
  return event(seq, 'assistant/message', { turn, step, message: { id, role: 'assistant', content } })
}

export const toolCall = (seq: number, call: string, name = 'bash', input: object = { command: 'ls' }) =>
  event(seq, 'tool/call', { turn: 1, step: 0, callId: call, name, arguments: input })

export const toolResult = (seq: number, call: string, more: object = {}, name = 'bash') =>
  event(seq, 'tool/result', { turn: 1, step: 0, callId: call, name, content: [{ type: 'text', text: 'out' }], ...more })

/** A live frame of the first incarnation. */
export function live(n: number, body: object, incarnation = 'inc-1'): SessionFrame {
  return sessionFrameSchema.parse({ sessionId, incarnation, n, ...body })
}

export function baseline(body: object): SessionFrame {
  return sessionFrameSchema.parse({ sessionId, ...body })
}

export const liveEvent = (n: number, one: SessionEvent) => live(n, { type: 'session/event', event: one })

export function openAnswer(change: object = {}) {
  return { session: session(), events: [created()], hasMore: false, lastSeq: 0, incarnation: 'inc-1', n: 0, ...change }
}

export const subscribed = (change: object = {}) =>
  baseline({ type: 'session/subscribed', lastSeq: 0, incarnation: 'inc-1', n: 0, ...change })

export function row(id: string, change: object = {}): QueuedMessage {
  return queuedMessageSchema.parse({
    id: `item-${id}`,
    messageId: id,
    placement: 'queued',
    source: { kind: 'user', rpcId: '1' },
    content: [{ type: 'text', text: id }],
    preview: id,
    text: id,
    ...change,
  })
}
