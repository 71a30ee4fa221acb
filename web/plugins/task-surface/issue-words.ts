/* What is wrong with an answer, in the words of the page's language. The parser's messages are for the model and
   in English; which rule was broken follows from the field and its value. */
import type { TaskSurfaceField, TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import type { Issue } from '../../../shared/surface/operations.ts'
import type { TaskSurfaceValue } from '../../../shared/surface/submission.ts'
import { noteKey } from './form.ts'
import type { SurfaceText } from './strings.ts'

/** The form key an issue belongs to: a field id, the note, or null for the whole. */
export function issueKey(model: TaskSurfaceModelV1, { path }: Issue): string | null {
  if (path === noteKey || path.startsWith(`${noteKey}/`)) return noteKey
  // Field ids hold neither `/` nor `~`, so a pointer's second part is the id itself.
  const [, head, id] = path.split('/')
  if (head !== 'values' || id === undefined) return null
  return model.fields?.some((field) => field.id === id) === true ? id : null
}

export function issuePath(key: string): string {
  return key === noteKey ? noteKey : `/values/${key}`
}

export function issueWords(
  field: TaskSurfaceField | null,
  value: TaskSurfaceValue | undefined,
  issue: Issue,
  t: SurfaceText,
): string {
  if (field === null) return t('issueCharacters')
  switch (field.kind) {
    case 'text': {
      const text = typeof value === 'string' ? value : ''
      if (field.required === true && text.trim() === '') return t('issueRequired', { label: field.label })
      if (field.multiline !== true && /[\r\n\u2028\u2029]/.test(text)) return t('issueOneLine', { label: field.label })
      return /[\p{Cc}\p{Surrogate}]/u.test(text) ? t('issueCharacters') : t('issueOther', { message: issue.message })
    }
    case 'choice':
    case 'multi-choice':
      return t('issueOptions')
    case 'order':
      return t('issueOrder')
    case 'toggle':
      return t('issueOther', { message: issue.message })
  }
}
