/* The record of one session: what was said and done, read only (SPEC 9). Draws blocks from events, the step
   that streams, and how the open turn stands. Tokens draw the last entry alone. Next: `blocks.ts`, `scroll.ts`. */
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { SessionEvent } from '../../shared/event.ts'
import { textOf } from '../../shared/message.ts'
import { useClient } from '../client.tsx'
import type { Language } from '../i18n/i18n.ts'
import { Icon } from '../icon.tsx'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { Link } from '../shell/link.tsx'
import { useStore } from '../store.ts'
import { useNow } from '../time.ts'
import { type Block, blocksOf, boundaryBefore } from './blocks.ts'
import { BlockView } from './block-view.tsx'
import { Answer, Gutter, Notice, Row } from './entry.tsx'
import { useRecordScroll } from './scroll.ts'
import { transcriptTexts } from './transcript-texts.ts'

export function Transcript({ session }: { session: SessionHandle }) {
  const t = transcriptTexts.use()
  const { preferences } = useClient()
  const language = useStore(preferences, (state) => state.language)
  const events = useSession(session, (state) => state.events)
  const hasMore = useSession(session, (state) => state.hasMore)
  const agent = useSession(session, (state) => state.session?.agent ?? '')
  const running = useSession(session, (state) => state.status.status === 'running')
  const live = useSession(session, (state) => state.phase === 'live')
  const blocks = useBlocks(events)
  const earlier = useEarlier(session)
  const scroll = useRecordScroll(session, events[0]?.seq ?? null, earlier.load)
  useAnnouncedAnswers(session)
  useOwnMessages(session, scroll.toEnd)

  return (
    <div className="log-box">
      {/* Tokens would be read out one by one; finished answers are announced instead. */}
      <div
        ref={scroll.scroller}
        className="log"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t('transcript')}
        onScroll={scroll.onScroll}
      >
        <div ref={scroll.content} className="log-in">
          {hasMore ? <Earlier {...earlier} /> : <Origin session={session} />}
          {blocks.map((block, index) => {
            const isLast = index === blocks.length - 1
            const isOpen = block.openTurn !== null
            if (block.entries.length === 0) return null
            return (
              <BlockView
                key={block.key}
                block={block}
                session={session}
                agent={agent}
                language={language}
                running={isOpen && running}
                stranded={isLast && isOpen && live && !running}
                isLast={isLast}
                boundary={boundaryBefore(blocks, index)}
              />
            )
          })}
          <Streaming session={session} agent={agent} language={language} />
          <RetryNote session={session} />
          {live && blocks.every((block) => block.entries.length === 0) && <p className="log-empty dim">{t('empty')}</p>}
        </div>
      </div>
      {scroll.away && (
        <button type="button" className="btn btn-sm to-end" onClick={scroll.toEnd}>
          <Icon name="i-down" />
          {t('newest')}
        </button>
      )}
    </div>
  )
}

/** Blocks that did not change stay the same objects. */
function useBlocks(events: readonly SessionEvent[]): readonly Block[] {
  const known = useRef<readonly Block[]>([])
  return useMemo(() => {
    known.current = blocksOf(events, known.current)
    return known.current
  }, [events])
}

interface EarlierPages {
  load: () => void
  phase: 'ready' | 'loading' | 'failed'
}

function useEarlier(session: SessionHandle): EarlierPages {
  const [phase, setPhase] = useState<EarlierPages['phase']>('ready')
  const load = () => {
    const { hasMore, phase: at } = session.getState()
    if (!hasMore || at !== 'live' || phase === 'loading') return
    setPhase('loading')
    session.loadEarlier().then(
      () => setPhase('ready'),
      () => setPhase('failed'),
    )
  }
  return { load, phase }
}

function Earlier({ load, phase }: EarlierPages) {
  const t = transcriptTexts.use()
  return (
    <p className="log-edge" role="status">
      {phase === 'failed' && <span>{t('earlierFailed')}</span>}
      {phase === 'loading' ? (
        <span>{t('earlierLoading')}</span>
      ) : (
        <button type="button" className="btn btn-quiet btn-sm" onClick={load}>
          <Icon name="i-up" />
          {phase === 'failed' ? t('again') : t('earlier')}
        </button>
      )}
    </p>
  )
}

function Origin({ session }: { session: SessionHandle }) {
  const t = transcriptTexts.use()
  const { sessions } = useClient()
  const parent = useSession(session, (state) => state.session?.parent)
  const title = useStore(sessions.list, ({ sessions: all }) => all.find((one) => one.id === parent?.sessionId)?.title)
  if (parent === undefined) return null
  if (title === undefined)
    return parent.relation === 'fork' ? <p className="log-edge dim">{t('forkedUnknown')}</p> : null
  return (
    <p className="log-edge">
      <Icon name={parent.relation === 'fork' ? 'i-fork' : 'i-sub'} />
      <Link to={{ view: 'session', sessionId: parent.sessionId, pane: null }}>
        {parent.relation === 'fork' ? t('forked', { title }) : t('delegated', { title })}
      </Link>
    </p>
  )
}

const Streaming = memo(function Streaming({
  session,
  agent,
  language,
}: {
  session: SessionHandle
  agent: string
  language: Language
}) {
  const streaming = useSession(session, (state) => state.streaming)
  if (streaming === null || (streaming.text === '' && streaming.reasoning === '')) return null
  return (
    <article className="entry">
      <Gutter name={agent} mono at={null} language={language} />
      <div>
        <Answer text={streaming.text} reasoning={streaming.reasoning} interrupted={false} />
      </div>
    </article>
  )
})

function RetryNote({ session }: { session: SessionHandle }) {
  const retry = useSession(session, (state) => (state.phase === 'live' ? state.status.retry : null))
  // A new wait counts from its own beginning.
  return retry === null ? null : <Waiting key={retry.attempt} retry={retry} />
}

function Waiting({ retry }: { retry: { attempt: number; waitMs: number; why: string } }) {
  const t = transcriptTexts.use()
  const { now } = useClient()
  const [since] = useState(now)
  const time = useNow(now, 1000, true)
  const seconds = Math.max(0, Math.ceil((since + retry.waitMs - time) / 1000))
  return (
    <Row>
      <Notice tone="warning" title={retry.why === '' ? t('retry') : retry.why}>
        {t('retryMore', { seconds, attempt: retry.attempt })}
      </Notice>
    </Row>
  )
}

/** Long enough to know what it is about. */
const announcedCharacters = 400

function useAnnouncedAnswers(session: SessionHandle): void {
  const t = transcriptTexts.use()
  const { announce } = useClient()
  useEffect(() => {
    let seen = session.getState().lastSeq
    return session.subscribe(() => {
      const { events, lastSeq, phase, session: described } = session.getState()
      if (lastSeq === seen) return
      const fresh = events.filter((event) => event.seq > seen)
      const first = seen < 0
      seen = lastSeq
      // What a new subscription brings is no news.
      if (first || phase !== 'live') return
      for (const event of fresh) {
        if (event.type !== 'assistant/message') continue
        const text = textOf(event.data.message.content).slice(0, announcedCharacters)
        if (text !== '') announce(t('answered', { agent: described?.agent ?? '', text }))
      }
    })
  }, [session, announce, t])
}

/** Whoever sends a message wants to see it. */
function useOwnMessages(session: SessionHandle, toEnd: () => void): void {
  useEffect(() => {
    let seen = session.getState().lastSeq
    return session.subscribe(() => {
      const { events, lastSeq } = session.getState()
      if (lastSeq === seen) return
      const mine = events.some(
        (event) => event.seq > seen && event.type === 'user/message' && event.data.message.source.kind === 'user',
      )
      seen = lastSeq
      // After React has drawn the message.
      if (mine) setTimeout(toEnd)
    })
  }, [session, toEnd])
}
