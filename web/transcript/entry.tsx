/* The entries of the record that are no tool rows: who said what, and how a turn ended. They only read. */
import { memo, type ReactNode } from 'react'
import type { EventOf } from '../../shared/event.ts'
import type { Language } from '../i18n/i18n.ts'
import { Icon, type IconName, State } from '../icon.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { clockTime } from '../time.ts'
import type { Entry } from './blocks.ts'
import { transcriptTexts } from './transcript-texts.ts'

export function Gutter(props: { name: string; mono?: boolean; at: number | null; language: Language }) {
  return (
    <div className="gut">
      <b className={props.mono === true ? 'mono' : undefined} title={props.name}>
        {props.name}
      </b>
      {props.at !== null && (
        <time dateTime={new Date(props.at).toISOString()}>{clockTime(props.at, props.language)}</time>
      )}
    </div>
  )
}

/** A submission is the host's own text, line by line; what a person typed keeps its lines and may use Markdown. */
function Said({ text, plain }: { text: string; plain: boolean }) {
  if (plain) return <div className="said said-plain">{text}</div>
  return (
    <div className="said">
      <Markdown text={text} remoteImages="alt-only" />
    </div>
  )
}

export const SaidEntry = memo(function SaidEntry(props: {
  entry: Extract<Entry, { kind: 'said' }>
  language: Language
  actions: ReactNode
}) {
  const t = transcriptTexts.use()
  const { event, text } = props.entry
  const { source } = event.data.message
  if (source.kind === 'notice') {
    return (
      <article className="entry">
        <Gutter name={t('host')} at={event.time} language={props.language} />
        <div>
          <Markdown text={text} remoteImages="alt-only" className="md md-block" />
        </div>
      </article>
    )
  }
  const fromPerson = source.kind === 'user'
  const said = <Said text={text} plain={fromPerson && 'taskSurface' in source && source.taskSurface !== undefined} />
  return (
    <article className={fromPerson ? 'entry entry-you' : 'entry'}>
      <Gutter name={fromPerson ? t('you') : t('agent')} at={event.time} language={props.language} />
      <div>
        {event.type === 'steering/message' && <State mark="i-steer">{t('steered')}</State>}
        {said}
        {props.actions}
      </div>
    </article>
  )
})

export function Answer(props: { text: string; reasoning: string; interrupted: boolean }) {
  const t = transcriptTexts.use()
  return (
    <>
      {props.reasoning.trim() !== '' && (
        <details className="thought">
          <summary>
            <Icon name="i-right" className="chev" />
            {t('reasoning')}
          </summary>
          <div className="thought-text">{props.reasoning}</div>
        </details>
      )}
      {props.text.trim() !== '' && <Markdown text={props.text} remoteImages="alt-only" />}
      {props.interrupted && <p className="dim cut-note">{t('partial')}</p>}
    </>
  )
}

export function Notice(props: { tone: 'neutral' | 'warning' | 'danger'; title: string; children: ReactNode }) {
  const mark: IconName = props.tone === 'neutral' ? 'm-neutral' : props.tone === 'warning' ? 'm-warn' : 'm-failed'
  return (
    <div className={`notice notice-${props.tone}`}>
      <Icon name={mark} />
      <div>
        <b>{props.title}</b>
        {props.children}
      </div>
    </div>
  )
}

/** A row without a name in the gutter. */
export function Row({ children }: { children: ReactNode }) {
  return (
    <div className="entry entry-row">
      <div className="gut" />
      <div>{children}</div>
    </div>
  )
}

export const EndEntry = memo(function EndEntry({ event }: { event: EventOf<'turn/end'> }) {
  return (
    <Row>
      <HowItEnded reason={event.data.reason} error={event.data.error ?? null} />
    </Row>
  )
})

export function HowItEnded({ reason, error }: { reason: EventOf<'turn/end'>['data']['reason']; error: string | null }) {
  const t = transcriptTexts.use()
  switch (reason) {
    case 'completed':
      return null
    case 'aborted':
      return (
        <Notice tone="neutral" title={t('aborted')}>
          {t('abortedMore')}
        </Notice>
      )
    case 'interrupted':
      return (
        <Notice tone="neutral" title={t('interrupted')}>
          {t('interruptedMore')}
        </Notice>
      )
    case 'max-tokens':
      return (
        <Notice tone="warning" title={t('maxTokens')}>
          {t('maxTokensMore')}
        </Notice>
      )
    case 'blocked':
      return (
        <Notice tone="warning" title={t('blocked')}>
          {error ?? t('blockedMore')}
        </Notice>
      )
    case 'error':
      return (
        <Notice tone="danger" title={t('error')}>
          {error ?? t('errorMore')}
        </Notice>
      )
    default: {
      const never: never = reason
      return never
    }
  }
}
