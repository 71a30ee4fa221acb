/* Texts that came back: never taken, removed, lost with a host, taken back by a rewind. Each can be put back
   into the message field or thrown away; until then it stays, in this browser. */
import { useClient } from '../client.tsx'
import { State } from '../icon.tsx'
import type { SessionHandle } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { composerTexts } from './composer-texts.ts'
import { composerFieldId } from './composer.tsx'
import { RowButton } from './queue.tsx'
import type { GivenBack as Text } from './sent-store.ts'

const reasonKey = {
  rejected: 'reason_rejected',
  cancelled: 'reason_cancelled',
  error: 'reason_error',
  removed: 'reason_removed',
  'surface-closed': 'reason_surfaceClosed',
  disposed: 'reason_disposed',
  lost: 'reason_lost',
  refused: 'reason_refused',
  rewound: 'reason_rewound',
} as const

export function GivenBack({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const { deskOf } = useClient()
  const { draft, sent } = deskOf(session)
  const texts = useStore(sent, (record) => record.givenBack)
  if (texts.length === 0) return null

  const putBack = ({ messageId, text }: Text) => {
    const written = draft.getState().text
    draft.replace(written.trim() === '' ? text : `${written}\n\n${text}`)
    sent.take(messageId)
    document.getElementById(composerFieldId)?.focus()
  }
  return (
    <ul className="queue given-back" aria-label={t('givenBack')}>
      {texts.map((one) => {
        const preview = one.text.replaceAll(/\s+/g, ' ').slice(0, 200)
        return (
          <li key={one.messageId}>
            <State mark="m-removed">{t(reasonKey[one.reason])}</State>
            <span className="queue-text" title={one.why ?? undefined}>
              {preview}
              {one.why !== null && one.why !== '' && <small> {one.why}</small>}
            </span>
            <span className="queue-acts">
              <RowButton
                icon="i-up"
                word={t('putBack')}
                name={t('putBackOf', { text: preview })}
                disabled={false}
                onPress={() => putBack(one)}
              />
              <RowButton
                icon="i-close"
                word={t('throwAway')}
                name={t('throwAwayOf', { text: preview })}
                disabled={false}
                onPress={() => sent.take(one.messageId)}
              />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
