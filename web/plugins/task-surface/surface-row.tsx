/* The record of one surface in the transcript: title, how it ended, the answers if they were sent, a read-only
   copy on demand, and text that was typed but not sent. Never an editor. A result this page cannot read is not
   claimed and keeps the plain row. */
import { Fragment, lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import { submissionText } from '../../../shared/surface/message-text.ts'
import { Icon, type IconName, State, type Tone } from '../../icon.tsx'
import { loadPart } from '../../load-part.ts'
import { CopyButton } from '../../markdown/code-block.tsx'
import { useSession } from '../../session/session-store.ts'
import type { ToolCall, ToolResult } from '../../session/session-state.ts'
import type { ToolviewProps } from '../../slots.ts'
import { clockTime } from '../../time.ts'
import type { Draft, SurfaceDrafts } from './drafts.ts'
import { answersOf, createForm } from './form.ts'
import { answerWords, sameStanding, type Standing, standingOf, surfaceOf } from './row-facts.ts'
import { surfaceTexts } from './strings.ts'

const SurfaceReplay = lazy(loadPart(() => import('./surface-replay.tsx')))

export function claimsRow(_: ToolCall, result: ToolResult | null): boolean {
  return result !== null && surfaceOf(result) !== null
}

export function SurfaceRow({ result, ...props }: ToolviewProps & { drafts: SurfaceDrafts }) {
  return result === null ? null : <ReadableRow {...props} result={result} />
}

type RowProps = Omit<ToolviewProps, 'result'> & { result: ToolResult; drafts: SurfaceDrafts }

function ReadableRow({ session, result, drafts }: RowProps) {
  const t = surfaceTexts.use()
  const surface = surfaceOf(result)
  const standing = useSession(
    session,
    (state): Standing => (surface === null ? { kind: 'open' } : standingOf(state, result, surface.surfaceId)),
    sameStanding,
  )
  if (surface === null) return null
  const { surfaceId, model } = surface
  const isKept = standing.kind === 'bypassed' || standing.kind === 'superseded' || standing.kind === 'gone'
  const answers = standing.kind === 'open' ? null : standing.answers
  return (
    <article className="ts-row" aria-label={model.title}>
      <div className="scale" aria-hidden="true" />
      <div className="ts-row-head">
        <h3>{model.title}</h3>
        <HowItStands standing={standing} />
      </div>
      {answers === null || model.fields === undefined ? null : (
        <dl>
          {model.fields.map((field) => (
            <Fragment key={field.id}>
              <dt>{field.label}</dt>
              <dd>{answerWords(field, answers.get(field.id), t)}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      {isKept ? <Kept drafts={drafts} surfaceId={surfaceId} model={model} /> : null}
      <Replay model={model} answers={answers} />
    </article>
  )
}

const looks: Record<
  Standing['kind'],
  { mark: IconName; tone: Tone; word: 'openBelow' | 'submitted' | 'dismissed' | 'bypassed' | 'superseded' | 'notOpen' }
> = {
  open: { mark: 'm-open', tone: 'now', word: 'openBelow' },
  submitted: { mark: 'm-submitted', tone: 'plain', word: 'submitted' },
  dismissed: { mark: 'm-dismissed', tone: 'plain', word: 'dismissed' },
  bypassed: { mark: 'm-bypassed', tone: 'plain', word: 'bypassed' },
  superseded: { mark: 'm-superseded', tone: 'plain', word: 'superseded' },
  gone: { mark: 'm-idle', tone: 'old', word: 'notOpen' },
}

function HowItStands({ standing }: { standing: Standing }) {
  const t = surfaceTexts.use()
  const { i18n } = useTranslation()
  const { mark, tone, word } = looks[standing.kind]
  const at = standing.kind === 'open' ? null : standing.at
  const language = i18n.language.startsWith('zh') ? 'zh' : 'en'
  return (
    <State mark={mark} tone={tone}>
      {t(word)}
      {at === null ? null : <time dateTime={new Date(at).toISOString()}>{clockTime(at, language)}</time>}
    </State>
  )
}

/** Drawn at the first opening: most rows are never opened, and a copy is as large as the surface was. */
function Replay({ model, answers }: { model: TaskSurfaceModelV1; answers: ReadonlyMap<string, unknown> | null }) {
  const t = surfaceTexts.use()
  const [opened, setOpened] = useState(false)
  return (
    <details onToggle={(event) => setOpened(opened || event.currentTarget.open)}>
      <summary>
        <Icon name="i-right" className="chev" />
        {t('showAsItWas')}
      </summary>
      {opened ? (
        <Suspense fallback={null}>
          <SurfaceReplay model={model} answers={answers} />
        </Suspense>
      ) : null}
    </details>
  )
}

function useDraft(drafts: SurfaceDrafts, surfaceId: Parameters<SurfaceDrafts['read']>[0]): Draft | null {
  const [draft, setDraft] = useState(() => drafts.read(surfaceId))
  useEffect(() => {
    setDraft(drafts.read(surfaceId))
    return drafts.onChange(surfaceId, () => setDraft(drafts.read(surfaceId)))
  }, [drafts, surfaceId])
  return draft
}

function Kept(props: {
  drafts: SurfaceDrafts
  surfaceId: Parameters<SurfaceDrafts['read']>[0]
  model: TaskSurfaceModelV1
}) {
  const t = surfaceTexts.use()
  const { drafts, surfaceId, model } = props
  const draft = useDraft(drafts, surfaceId)
  const text = useMemo(() => {
    if (draft === null) return null
    const { values, note } = answersOf(createForm(model, draft))
    return submissionText(model, values, note)
  }, [draft, model])
  if (text === null) return null
  return (
    <div className="ts-kept">
      <div className="ts-kept-head">
        <State mark="m-info">{t('keptTitle')}</State>
        <CopyButton text={text} label={t('copyKept')} />
        <button type="button" className="btn btn-quiet btn-sm" onClick={() => drafts.remove(surfaceId)}>
          {t('throwAway')}
        </button>
      </div>
      <pre tabIndex={0} role="group" aria-label={t('keptText')}>
        {text}
      </pre>
    </div>
  )
}
