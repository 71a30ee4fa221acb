/* One block of the record. Tool calls that a plugin draws get an entry of their own; the others of a step
   stand in one strip. Drawn again only when its own events or the shape of what follows change. */
import { Fragment, memo, type ReactNode } from 'react'
import { useClient } from '../client.tsx'
import type { Language } from '../i18n/i18n.ts'
import type { SessionHandle } from '../session/session-store.ts'
import { Contained } from '../shell/contained.tsx'
import type { ToolviewEntry } from '../slots.ts'
import { useStore } from '../store.ts'
import { clockTime } from '../time.ts'
import type { Block, Entry, ToolUse } from './blocks.ts'
import { EntryActions } from './entry-actions.tsx'
import { Answer, EndEntry, Gutter, HowItEnded, Row, SaidEntry } from './entry.tsx'
import { ToolRow } from './tool-row.tsx'
import { transcriptTexts } from './transcript-texts.ts'

export interface BlockViewProps {
  block: Block
  session: SessionHandle
  agent: string
  language: Language
  /** The turn of this block runs on the host, as far as it said. */
  running: boolean
  /** The turn has no end and never gets one: the host stopped in it. */
  stranded: boolean
  isLast: boolean
  /** Where a rewind to before this block's first message goes; null: nowhere. */
  boundary: number | null
}

type Piece =
  | { kind: 'entry'; entry: Exclude<Entry, { kind: 'tool' }> }
  | { kind: 'strip'; uses: ToolUse[] }
  | { kind: 'view'; use: ToolUse; view: ToolviewEntry }

function piecesOf(entries: readonly Entry[], views: readonly ToolviewEntry[]): Piece[] {
  const pieces: Piece[] = []
  for (const entry of entries) {
    if (entry.kind !== 'tool') {
      pieces.push({ kind: 'entry', entry })
      continue
    }
    const { use } = entry
    const view = views.find((one) => one.tool === use.name)
    const claimed = view !== undefined && use.call !== null && (view.claims?.(use.call, use.result) ?? true)
    const last = pieces.at(-1)
    if (claimed) pieces.push({ kind: 'view', use, view })
    else if (last?.kind === 'strip') last.uses.push(use)
    else pieces.push({ kind: 'strip', uses: [use] })
  }
  return pieces
}

export const BlockView = memo(function BlockView(props: BlockViewProps) {
  const { slots } = useClient()
  const views = useStore(slots.entries('conversation.chat.toolview'), (entries) => entries)
  return (
    <section className="turn">
      {piecesOf(props.block.entries, views).map((piece) => {
        switch (piece.kind) {
          case 'entry':
            return <EntryView key={piece.entry.key} entry={piece.entry} {...props} />
          case 'strip':
            return <Strip key={piece.uses[0]?.callId} uses={piece.uses} {...props} />
          case 'view':
            return <PluginView key={piece.use.callId} use={piece.use} view={piece.view} {...props} />
          default: {
            const never: never = piece
            return never
          }
        }
      })}
      {props.stranded && (
        <Row>
          <HowItEnded reason="interrupted" error={null} />
        </Row>
      )}
    </section>
  )
})

function Strip({ uses, session, running }: { uses: readonly ToolUse[] } & BlockViewProps): ReactNode {
  return (
    <Row>
      <div className="tools">
        {uses.map((use) => (
          <ToolRow key={use.callId} session={session} use={use} open={running} />
        ))}
      </div>
    </Row>
  )
}

function PluginView({ use, view, session, language, running }: { use: ToolUse; view: ToolviewEntry } & BlockViewProps) {
  if (use.call === null) return null
  const plain = (
    <div className="tools">
      <ToolRow session={session} use={use} open={running} />
    </div>
  )
  return (
    <div className="entry">
      <Gutter name={view.speaker()} at={use.call.time} language={language} />
      <div>
        <Contained fallback={plain}>
          <view.component session={session} call={use.call} result={use.result} />
        </Contained>
      </div>
    </div>
  )
}

function EntryView({ entry, ...props }: { entry: Exclude<Entry, { kind: 'tool' }> } & BlockViewProps) {
  const t = transcriptTexts.use()
  const { session, agent, language, isLast } = props
  switch (entry.kind) {
    case 'turn':
      return (
        <h2 className="turn-mark">
          <span>{t('turn', { turn: entry.turn, time: clockTime(entry.time, language) })}</span>
        </h2>
      )
    case 'said': {
      const isPersons = entry.event.type === 'user/message' && entry.event.data.message.source.kind === 'user'
      const rewindTo = isPersons && props.block.openTurn === null ? props.boundary : null
      const actions = (
        <EntryActions
          session={session}
          text={entry.text}
          forkAt={null}
          rewindTo={rewindTo}
          rewindLabel="rewindBefore"
        />
      )
      return <SaidEntry entry={entry} language={language} actions={isPersons ? actions : null} />
    }
    case 'answer':
      return (
        <article className="entry">
          <Gutter name={agent} mono at={entry.event.time} language={language} />
          <div>
            <Answer text={entry.text} reasoning={entry.reasoning} interrupted={entry.event.data.interrupted === true} />
            {entry.endSeq !== null && (
              <EntryActions
                session={session}
                text={entry.text}
                forkAt={entry.endSeq}
                rewindTo={isLast ? null : entry.endSeq}
                rewindLabel="rewind"
              />
            )}
          </div>
        </article>
      )
    case 'end':
      return <EndEntry event={entry.event} />
    default: {
      const never: never = entry
      return <Fragment>{never}</Fragment>
    }
  }
}
