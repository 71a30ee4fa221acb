/* What every control of a form has: its value under its own subscription, and the sentence about what is wrong. */
import { useSyncExternalStore } from 'react'
import type { TaskSurfaceField } from '../../../shared/surface/model.ts'
import type { TaskSurfaceValue } from '../../../shared/surface/submission.ts'
import { Icon } from '../../icon.tsx'
import type { Form } from './form.ts'

export interface FieldProps<Kind extends TaskSurfaceField['kind'] = TaskSurfaceField['kind']> {
  form: Form
  field: Extract<TaskSurfaceField, { kind: Kind }>
  locked: boolean
  /** Sentences about this answer; empty: nothing is wrong with it. */
  issue: string
}

export function useFieldValue(form: Form, key: string): TaskSurfaceValue | undefined {
  return useSyncExternalStore(
    (listener) => form.subscribe(key, listener),
    () => form.get(key),
  )
}

export function IssueText({ id, children }: { id: string; children: string }) {
  if (children === '') return null
  return (
    <p className="issue" id={id}>
      <Icon name="m-failed" />
      <span>{children}</span>
    </p>
  )
}
