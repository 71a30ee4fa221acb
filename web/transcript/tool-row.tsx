/* One call in the tool strip: the plain view every tool has. Its body is drawn only while it is open. */
import { memo, useState } from 'react'
import { parentCallId } from '../../shared/nested-call.ts'
import { useClient } from '../client.tsx'
import { Icon, State } from '../icon.tsx'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { stopwatch, useNow } from '../time.ts'
import type { ToolUse } from './blocks.ts'
import { argumentOf, iconOf, outputOf, standingOfResult, writtenInput } from './tool-summary.ts'
import { transcriptTexts } from './transcript-texts.ts'

/** Characters of an output drawn before it is asked for whole. */
const outputShown = 20_000

export const ToolRow = memo(function ToolRow({
  session,
  use,
  open,
}: {
  session: SessionHandle
  use: ToolUse
  open: boolean
}) {
  // The texts of a row come from outside of React, so the language must be one of its inputs.
  transcriptTexts.use()
  const [expanded, setExpanded] = useState(false)
  const argument = argumentOf(use)
  return (
    <details
      className={parentCallId(use.callId) === null ? 'tool' : 'tool is-nested'}
      onToggle={(event) => setExpanded(event.currentTarget.open)}
    >
      <summary>
        <Icon name={iconOf(use.name)} />
        <span className="tool-name">{use.name}</span>
        <span className={argument.mono ? 'tool-arg mono' : 'tool-arg'}>{argument.text}</span>
        <Standing session={session} use={use} open={open} />
        <Icon name="i-right" className="chev" />
      </summary>
      {expanded && <Body use={use} />}
    </details>
  )
})

function Standing({ session, use, open }: { session: SessionHandle; use: ToolUse; open: boolean }) {
  if (use.result !== null) {
    const { mark, tone, word } = standingOfResult(use, use.result)
    return (
      <State mark={mark} tone={tone}>
        {word}
      </State>
    )
  }
  return <Unfinished session={session} use={use} open={open} />
}

/** `open`: the turn of the call still runs, as far as the host said. */
function Unfinished({ session, use, open }: { session: SessionHandle; use: ToolUse; open: boolean }) {
  const t = transcriptTexts.use()
  const live = useSession(session, (state) => state.phase === 'live')
  const waits = useSession(session, (state) => {
    if (state.approvals.some((one) => one.callId === use.callId)) return 'approval'
    return state.questions.some((one) => one.callId === use.callId) ? 'question' : null
  })
  if (!open) return <State mark="m-killed">{t('toolInterrupted')}</State>
  if (!live) {
    return (
      <State mark="m-known" tone="old">
        {t('runningSeen')}
      </State>
    )
  }
  if (waits !== null) {
    return (
      <State mark="m-open" tone="now">
        {waits === 'approval' ? t('needsApproval') : t('waitingForYou')}
      </State>
    )
  }
  if (use.call === null) return <State mark="m-queued">{t('waiting')}</State>
  return <Running startedAt={use.call.time} />
}

function Running({ startedAt }: { startedAt: number }) {
  const t = transcriptTexts.use()
  const { connection, now } = useClient()
  const aheadMs = useStore(connection.state, (state) => state.hostAheadMs)
  const time = useNow(now, 1000, true)
  return (
    <State mark="m-running" tone="now" live>
      {t('runningFor', { time: stopwatch(time + aheadMs - startedAt) })}
    </State>
  )
}

function Body({ use }: { use: ToolUse }) {
  const t = transcriptTexts.use()
  const [whole, setWhole] = useState(false)
  const output = use.result === null ? null : outputOf(use.result)
  const shown = output === null || whole ? output : output.slice(0, outputShown)
  return (
    <div className="tool-body">
      <pre tabIndex={0} role="group" aria-label={t('inputOf', { tool: use.name })} className="tool-input">
        {writtenInput(use)}
      </pre>
      {shown !== null && (
        <pre tabIndex={0} role="group" aria-label={t('outputOf', { tool: use.name })}>
          {shown === '' ? t('noOutput') : shown}
        </pre>
      )}
      {shown !== output && (
        <button type="button" className="btn btn-quiet btn-sm" onClick={() => setWhole(true)}>
          {t('showAll')}
        </button>
      )}
    </div>
  )
}
