/* The inside of an open dock: what the agent shows beside the answers of the person. A chunk of its own, so
   that a page without a surface does not load it. */
import { memo, useEffect, useRef, useState, startTransition } from 'react'
import type { DockTrouble } from '../../../machines/dock.ts'
import type { TaskSurfaceField } from '../../../shared/surface/model.ts'
import type { Issue } from '../../../shared/surface/operations.ts'
import { FieldOf, NoteField } from './fields.tsx'
import { type Form, noteKey } from './form.ts'
import { issueKey, issueWords } from './issue-words.ts'
import { surfaceTexts, type SurfaceText } from './strings.ts'
import { SurfaceContent } from './surface-content.tsx'
import { TroubleNotice } from './trouble-notice.tsx'

export const formId = 'surface-answers'

/** Rows of options drawn in the first go: more than a dock shows before anyone scrolls. */
const firstRows = 24
/** And in each step after it: less than a frame. */
const moreRows = 64

/** How many fields are drawn now; more come in steps that give way to typing. */
function useGradually(fields: readonly TaskSurfaceField[]): number {
  const [limit, setLimit] = useState(firstRows)
  let rows = 0
  const end = fields.findIndex((field) => {
    rows += 'options' in field ? field.options.length : 2
    return rows > limit
  })
  // One field at least, however long it is.
  const count = end < 0 ? fields.length : end + 1
  useEffect(() => {
    if (count < fields.length) startTransition(() => setLimit(limit + moreRows))
  }, [count, fields, limit])
  return count
}

/** The sentence below each field; a field without one is absent. */
function sentences(form: Form, issues: readonly Issue[], t: SurfaceText): ReadonlyMap<string, string> {
  const fieldByKey = new Map<string, TaskSurfaceField>((form.model.fields ?? []).map((field) => [field.id, field]))
  const byKey = new Map<string, string>()
  for (const issue of issues) {
    const key = issueKey(form.model, issue)
    if (key === null || byKey.has(key)) continue
    byKey.set(key, issueWords(fieldByKey.get(key) ?? null, form.get(key), issue, t))
  }
  return byKey
}

export interface SurfaceFormProps {
  form: Form
  locked: boolean
  trouble: DockTrouble | null
  issues: readonly Issue[]
  connected: boolean
}

export default memo(function SurfaceForm({ form, locked, trouble, issues, connected }: SurfaceFormProps) {
  const t = surfaceTexts.use()
  const answers = useRef<HTMLFormElement>(null)
  const fields = form.model.fields ?? []
  const shown = useGradually(fields)
  const said = sentences(form, issues, t)
  const hasContent = form.model.sections.length > 0 || form.model.description !== undefined

  const focusField = (key: string) => {
    const field = [...(answers.current?.querySelectorAll('[data-field]') ?? [])].find(
      (element) => element.getAttribute('data-field') === key,
    )
    const control = field?.querySelector<HTMLElement>('input:checked, input, textarea, button[tabindex="0"], button')
    control?.focus()
    control?.scrollIntoView({ block: 'nearest' })
  }
  const notice = <TroubleNotice form={form} trouble={trouble} issues={issues} connected={connected} onGo={focusField} />
  return (
    <div className="dock-body">
      {hasContent ? (
        <div className="dock-read" tabIndex={0} role="group" aria-label={t('contentOfSurface')}>
          {notice}
          <SurfaceContent model={form.model} heading={3} />
        </div>
      ) : trouble === null ? null : (
        <div className="dock-read">{notice}</div>
      )}
      <form
        ref={answers}
        className={locked ? 'dock-answer is-locked' : 'dock-answer'}
        id={formId}
        aria-label={t('answers')}
        tabIndex={0}
        noValidate
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          // Enter in a line would submit; only Ctrl or Cmd with it does. An input method's Enter is its own.
          const isLine = event.target instanceof HTMLInputElement && !event.ctrlKey && !event.metaKey
          if (event.key === 'Enter' && isLine && !event.nativeEvent.isComposing) event.preventDefault()
        }}
      >
        {fields.slice(0, shown).map((field) => (
          <FieldOf key={field.id} form={form} field={field} locked={locked} issue={said.get(field.id) ?? ''} />
        ))}
        <NoteField form={form} locked={locked} issue={said.get(noteKey) ?? ''} />
      </form>
    </div>
  )
})
