/* The desk under the record (SPEC 9): run line, docks, queue, message field. A takeover (a question, an
   approval) hides this stack without unmounting it, so drafts and editors come back as they were. */
import { useEffect, useRef } from 'react'
import { useClient } from '../client.tsx'
import { composerTexts } from '../composer/composer-texts.ts'
import { Composer, composerFieldId } from '../composer/composer.tsx'
import { GivenBack } from '../composer/given-back.tsx'
import { Queue } from '../composer/queue.tsx'
import { RunLine } from '../composer/run-line.tsx'
import { Icon } from '../icon.tsx'
import { activeSurfaceOf } from '../session/session-facts.ts'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import type { ComposerEntry } from '../slots.ts'
import { useStore } from '../store.ts'
import { Contained } from './contained.tsx'
import { ReadOnly } from './read-only.tsx'

export function Console({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const taker = useTaker(session)
  const surfaceWaits = useSession(session, (state) => activeSurfaceOf(state) !== null)
  const readOnly = useSession(session, (state) => state.session?.parent?.relation === 'subagent')
  const box = useFocusHandover(taker)
  return (
    <div className="console" ref={box}>
      {taker !== null && (
        <Contained key={taker.id}>
          <taker.component session={session} />
        </Contained>
      )}
      {taker !== null && surfaceWaits && (
        <p className="behind">
          <Icon name="i-plate" />
          {t('behindSurface')}
        </p>
      )}
      <div className="desk" hidden={taker !== null}>
        <RunLine session={session} />
        <Docks session={session} />
        <Queue session={session} />
        <GivenBack session={session} />
        {readOnly ? <ReadOnly session={session} /> : <Composer session={session} />}
      </div>
    </div>
  )
}

/** The first entry that selects itself; asked again after every change of the session. */
function useTaker(session: SessionHandle): ComposerEntry | null {
  const { slots } = useClient()
  const entries = useStore(slots.entries('conversation.composer'), (list) => list)
  return useSession(session, () => entries.find((entry) => entry.select(session)) ?? null)
}

function Docks({ session }: { session: SessionHandle }) {
  const { slots } = useClient()
  const docks = useStore(slots.entries('conversation.input.dock'), (list) => list)
  return docks.map((dock) => (
    <Contained key={dock.id}>
      <dock.component session={session} />
    </Contained>
  ))
}

/** Who was in a takeover when it ended goes on in the message field; elsewhere the focus stays where it is. */
function useFocusHandover(taker: ComposerEntry | null) {
  const box = useRef<HTMLDivElement>(null)
  const before = useRef(taker)
  const wasInside = useRef(false)
  useEffect(() => {
    const inside = () => {
      wasInside.current = box.current?.contains(document.activeElement) === true
    }
    document.addEventListener('focusin', inside)
    return () => document.removeEventListener('focusin', inside)
  }, [])
  useEffect(() => {
    const ended = before.current !== null && taker === null
    before.current = taker
    const nowhere = document.activeElement === null || document.activeElement === document.body
    if (ended && wasInside.current && nowhere) document.getElementById(composerFieldId)?.focus()
  }, [taker])
  return box
}
