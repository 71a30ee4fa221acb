/* What the running turn does right now, for how long, and the button that stops it. */
import { useState } from 'react'
import { useClient } from '../client.tsx'
import { Icon, State } from '../icon.tsx'
import type { SessionState } from '../session/session-state.ts'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { clockTime, stopwatch, useNow } from '../time.ts'
import { composerTexts } from './composer-texts.ts'

type Doing =
  | { what: 'running' | 'writing' | 'thinking' | 'command' | 'waitingModel' | 'waitingYou' }
  | { what: 'tool'; tool: string }

/** Pure: the newest thing under way. */
export function doingOf(state: SessionState): Doing {
  if (state.status.retry !== null) return { what: 'waitingModel' }
  if (state.questions.length > 0 || state.approvals.length > 0) return { what: 'waitingYou' }
  if (state.streaming !== null) return { what: state.streaming.text === '' ? 'thinking' : 'writing' }
  const done = new Set(state.events.flatMap((event) => (event.type === 'tool/result' ? [event.data.callId] : [])))
  const call = state.events.findLast((event) => event.type === 'tool/call' || event.type === 'turn/start')
  if (call?.type !== 'tool/call' || done.has(call.data.callId)) return { what: 'running' }
  return call.data.name === 'bash' || call.data.name === 'pwsh'
    ? { what: 'command' }
    : { what: 'tool', tool: call.data.name }
}

function startOf(state: SessionState): number | null {
  return state.events.findLast((event) => event.type === 'turn/start')?.time ?? null
}

function stepOf(state: SessionState): number | null {
  if (state.streaming !== null) return state.streaming.step
  const last = state.events.findLast((event) => event.type === 'assistant/message' || event.type === 'turn/start')
  return last?.type === 'assistant/message' ? last.data.step : null
}

export function RunLine({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const running = useSession(session, (state) => state.status.status === 'running')
  const live = useSession(session, (state) => state.phase === 'live')
  if (!running) return null
  if (live) return <Running session={session} />
  return (
    <div className="run">
      <State mark="m-known" tone="old">
        <span role="status">{t('runningSeen')}</span>
      </State>
      <LastSeen />
    </div>
  )
}

function LastSeen() {
  const { connection, preferences } = useClient()
  const downSince = useStore(connection.state, (state) => state.downSince)
  const language = useStore(preferences, (state) => state.language)
  return downSince === null ? null : <span className="num dim">{clockTime(downSince, language, true)}</span>
}

function sameDoing(left: Doing, right: Doing): boolean {
  return left.what === right.what && (left.what !== 'tool' || (right.what === 'tool' && left.tool === right.tool))
}

function Running({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const doing = useSession(session, doingOf, sameDoing)
  const turn = useSession(session, (state) => state.status.turn)
  const step = useSession(session, stepOf)
  const waiting = doing.what === 'waitingYou'
  return (
    <div className="run">
      <State mark={waiting ? 'm-open' : 'm-running'} tone="now" live={!waiting}>
        {/* The time ticks outside of what is announced. */}
        <span role="status">{doing.what === 'tool' ? t('tool', { tool: doing.tool }) : t(doing.what)}</span>
      </State>
      <span className="num dim">
        {step !== null && `${t('step', { step: step + 1 })} · `}
        <Elapsed session={session} />
      </span>
      <Stop key={turn} session={session} />
    </div>
  )
}

function Elapsed({ session }: { session: SessionHandle }) {
  const { connection, now } = useClient()
  const aheadMs = useStore(connection.state, (state) => state.hostAheadMs)
  const startedAt = useSession(session, startOf)
  const time = useNow(now, 1000, true)
  return startedAt === null ? null : stopwatch(time + aheadMs - startedAt)
}

/** One a turn: a new turn can be stopped anew. */
function Stop({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const [asked, setAsked] = useState(false)
  const stop = async () => {
    setAsked(true)
    try {
      await session.rpc.call('session.interrupt', { sessionId: session.id })
    } catch {
      // Nothing was stopped as far as anyone knows: the button is there again.
      setAsked(false)
    }
  }
  return (
    <button type="button" className="btn btn-sm" disabled={asked} onClick={() => void stop()}>
      <Icon name="i-stop" />
      {asked ? t('stopping') : t('stop')}
    </button>
  )
}
