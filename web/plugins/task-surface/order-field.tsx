/* A list that the person puts in order. The list with its drag and drop is a chunk of its own; until it is there,
   and while the form is locked, the same rows stand in a plain list. */
import { lazy, Suspense, useId, useState } from 'react'
import type { TaskSurfaceOption } from '../../../shared/surface/model.ts'
import { type FieldProps, IssueText, useFieldValue } from './fields.tsx'
import { surfaceTexts } from './strings.ts'

const OrderList = lazy(() => import('./order-list.tsx'))

/** Loaded ahead, so that the list is there when a surface opens. */
export function preloadOrderList(): void {
  void import('./order-list.tsx')
}

export interface OrderListProps {
  rows: readonly TaskSurfaceOption[]
  labelledBy: string
  describedBy: string
  /** Moves the row at `from` to `to`, both counted from 0. */
  onMove: (from: number, to: number) => void
}

export function OrderField({ form, field, locked, issue }: FieldProps<'order'>) {
  const t = surfaceTexts.use()
  const id = useId()
  const [said, setSaid] = useState('')
  const value = useFieldValue(form, field.id)
  const optionById = new Map(field.options.map((option) => [option.id, option]))
  const ids = Array.isArray(value) ? value : field.options.map((option) => option.id)
  const rows = ids.flatMap((one) => optionById.get(one) ?? [])
  const move = (from: number, to: number) => {
    const next = [...ids]
    const [moved] = next.splice(from, 1)
    if (moved === undefined || from === to) return
    next.splice(to, 0, moved)
    form.set(field.id, next)
    setSaid(t('orderMoved', { label: optionById.get(moved)?.label ?? '', position: to + 1, total: ids.length }))
  }
  const plain = <PlainOrder rows={rows} labelledBy={`${id}-l`} />
  return (
    <div
      className="field"
      data-field={field.id}
      role="group"
      aria-labelledby={`${id}-l`}
      aria-describedby={issue === '' ? undefined : `${id}-i`}
    >
      <div className="label">
        <span id={`${id}-l`}>{field.label}</span>
      </div>
      {locked ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <OrderList rows={rows} labelledBy={`${id}-l`} describedBy={`${id}-h`} onMove={move} />
        </Suspense>
      )}
      {locked ? null : (
        <span className="help" id={`${id}-h`}>
          {t('orderHelp')}
        </span>
      )}
      <span className="vh" role="status">
        {said}
      </span>
      <IssueText id={`${id}-i`}>{issue}</IssueText>
    </div>
  )
}

export function PlainOrder({ rows, labelledBy }: { rows: readonly TaskSurfaceOption[]; labelledBy: string }) {
  return (
    <ol className="order order-plain" aria-labelledby={labelledBy}>
      {rows.map(({ id, label, detail }, index) => (
        <li key={id} className="order-row">
          <span className="pos" aria-hidden="true">
            {index + 1}
          </span>
          <span className="order-text">
            {label}
            {detail === undefined ? null : <small>{detail}</small>}
          </span>
        </li>
      ))}
    </ol>
  )
}
