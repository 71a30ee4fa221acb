/* A read-only copy of a surface, as the agent handed it over; with the answers where they were sent. */
import { useMemo } from 'react'
import type { TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import type { TaskSurfaceValue } from '../../../shared/surface/submission.ts'
import { FieldOf } from './fields.tsx'
import { createForm } from './form.ts'
import { SurfaceContent } from './surface-content.tsx'

function isValue(value: unknown): value is TaskSurfaceValue {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  )
}

export default function SurfaceReplay(props: {
  model: TaskSurfaceModelV1
  answers: ReadonlyMap<string, unknown> | null
}) {
  const { model, answers } = props
  const form = useMemo(() => {
    const values =
      answers === null
        ? null
        : new Map([...answers].flatMap(([key, value]) => (isValue(value) ? [[key, value] as const] : [])))
    return createForm(model, values === null ? null : { values, note: '' })
  }, [model, answers])
  return (
    <div className="ts-replay">
      <SurfaceContent model={model} heading={4} />
      {model.fields === undefined ? null : (
        <div className="ts-replay-fields is-locked">
          {model.fields.map((field) => (
            <FieldOf key={field.id} form={form} field={field} locked issue="" />
          ))}
        </div>
      )}
    </div>
  )
}
