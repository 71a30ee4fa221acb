/* Says at once that the connection is gone, since when, and when it is tried again. Nothing else on the page
   empties meanwhile. Absent while connected and before the first try has failed. */
import { useClient } from '../client.tsx'
import { State } from '../icon.tsx'
import { partsMissing } from '../load-part.ts'
import { useStore } from '../store.ts'
import { clockTime, useNow } from '../time.ts'
import { shellTexts } from './shell-texts.ts'

export function ConnectionBar() {
  const t = shellTexts.use()
  const { connection } = useClient()
  const { phase, everUp, retryAt, downSince, outdated } = useStore(connection.state, (state) => state)
  const missing = useStore(partsMissing, (state) => state)
  if (phase === 'up') return outdated || missing ? <OutdatedBar /> : null
  if (!everUp && phase === 'connecting' && downSince === null) return null
  return (
    <div className="bar bar-warn">
      <State mark="m-warn" tone="warn">
        <span role="status">{everUp ? t('lost') : t('reconnecting')}</span>
      </State>
      <span className="grow">
        {retryAt === null ? t('retrying') : <Countdown until={retryAt} />} <Seen at={downSince} />
      </span>
      {phase === 'waiting' && (
        <button type="button" className="btn btn-sm" onClick={connection.tryNow}>
          {t('tryNow')}
        </button>
      )}
    </div>
  )
}

function Countdown({ until }: { until: number }) {
  const t = shellTexts.use()
  const { now } = useClient()
  const time = useNow(now, 500, true)
  return <span className="num">{t('retryIn', { seconds: Math.max(0, Math.ceil((until - time) / 1000)) })}</span>
}

function Seen({ at }: { at: number | null }) {
  const t = shellTexts.use()
  const { preferences } = useClient()
  const language = useStore(preferences, (state) => state.language)
  return at === null ? t('nothingSeen') : t('seenAt', { time: clockTime(at, language, true) })
}

function OutdatedBar() {
  const t = shellTexts.use()
  return (
    <div className="bar bar-warn">
      <State mark="m-warn" tone="warn">
        <span role="status">{t('outdated')}</span>
      </State>
      <span className="grow" />
      <button type="button" className="btn btn-sm" onClick={() => location.reload()}>
        {t('reload')}
      </button>
    </div>
  )
}
