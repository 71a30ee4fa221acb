/* A list that the person puts in order: by pointer or touch on the handle, by its buttons, by Alt with the arrow
   keys, Home and End, or by lifting a row with Space and moving it with the arrows. One row at a time is in the
   tab order. A legal model may hold two thousand rows, so a row is a few plain elements and draws again only when
   its own place changes. Rules: OF-FOCUS the focus stays on what was moved; OF-SAY every move is announced. */
import { type KeyboardEvent, memo, type ReactNode, useCallback, useId, useMemo, useRef, useState } from 'react'
import type { TaskSurfaceOption } from '../../../shared/surface/model.ts'
import { Icon } from '../../icon.tsx'
import { type FieldProps, IssueText, useFieldValue } from './field-parts.tsx'
import { surfaceTexts, type SurfaceText } from './strings.ts'
import { useRowDrag } from './row-drag.ts'

/** Where a key moves a row, or the focus; null: not a key for either. */
function targetOf(key: string, from: number, total: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, from - 1)
    case 'ArrowDown':
      return Math.min(total - 1, from + 1)
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}

function rowsOf(list: Element | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>(':scope > li') ?? [])]
}

interface Order {
  rows: readonly TaskSurfaceOption[]
  said: string
  move: (from: number, to: number) => void
  /** Puts the list back as it was. */
  restore: (ids: readonly string[]) => void
}

function useOrder({ form, field }: FieldProps<'order'>): Order {
  const t = surfaceTexts.use()
  const [said, setSaid] = useState('')
  const value = useFieldValue(form, field.id)
  const optionById = useMemo(() => new Map(field.options.map((option) => [option.id, option])), [field])
  const rows = (Array.isArray(value) ? value : []).flatMap((id) => optionById.get(id) ?? [])
  const move = useCallback(
    (from: number, to: number) => {
      const ids = form.get(field.id)
      if (!Array.isArray(ids) || from === to) return
      const next = [...ids]
      const [moved] = next.splice(from, 1)
      if (moved === undefined) return
      next.splice(to, 0, moved)
      form.set(field.id, next)
      setSaid(t('orderMoved', { label: optionById.get(moved)?.label ?? '', position: to + 1, total: ids.length }))
    },
    [form, field, optionById, t],
  )
  const restore = useCallback((ids: readonly string[]) => form.set(field.id, [...ids]), [form, field])
  return { rows, said, move, restore }
}

export function OrderField(props: FieldProps<'order'>) {
  const t = surfaceTexts.use()
  const id = useId()
  const { form, field, locked, issue } = props
  const { rows, said, move, restore } = useOrder(props)
  const list = useRef<HTMLOListElement>(null)
  const [current, setCurrent] = useState(rows[0]?.id ?? '')
  /** A row lifted by the keyboard, and the order to go back to. */
  const [lifted, setLifted] = useState<{ id: string; before: readonly string[] } | null>(null)
  const drag = useRowDrag(list, move)

  const focusRow = (index: number) => rowsOf(list.current)[index]?.querySelector<HTMLElement>('.grip')?.focus()
  const toggleLift = useCallback(
    (rowId: string) => {
      const ids = form.get(field.id)
      setLifted((known) => (known === null && Array.isArray(ids) ? { id: rowId, before: ids } : null))
    },
    [form, field],
  )

  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return
    const from = rowsOf(list.current).indexOf(event.target.closest('li') ?? event.currentTarget)
    const rowId = rows[from]?.id
    if (rowId === undefined) return
    if (event.key === 'Escape' && lifted !== null) {
      event.preventDefault()
      restore(lifted.before)
      setLifted(null)
      return
    }
    const to = targetOf(event.key, from, rows.length)
    if (to === null) return
    event.preventDefault()
    if (event.altKey || lifted?.id === rowId) move(from, to)
    else focusRow(to)
  }

  if (locked) {
    return (
      <Frame {...props} id={id}>
        <ol className="order order-plain" aria-labelledby={`${id}-l`}>
          {rows.map((row, index) => (
            <li key={row.id} className="order-row">
              <RowText row={row} index={index} />
            </li>
          ))}
        </ol>
        <IssueText id={`${id}-i`}>{issue}</IssueText>
      </Frame>
    )
  }
  return (
    <Frame {...props} id={id}>
      <ol
        className="order"
        aria-labelledby={`${id}-l`}
        ref={list}
        onKeyDown={keyDown}
        onPointerDown={drag.start}
        onFocus={(event) => setCurrent(event.target.closest('li')?.dataset['row'] ?? current)}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setLifted(null)
        }}
      >
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            index={index}
            total={rows.length}
            isCurrent={current === row.id}
            isLifted={lifted?.id === row.id || drag.from === index}
            drop={drag.from === null || drag.to === null ? null : dropAt(index, drag.from, drag.to)}
            t={t}
            onMove={move}
            onLift={toggleLift}
          />
        ))}
      </ol>
      <span className="help" id={`${id}-h`}>
        {t('orderHelp')}
      </span>
      <span className="vh" role="status">
        {said}
      </span>
      <IssueText id={`${id}-i`}>{issue}</IssueText>
    </Frame>
  )
}

/** On which side of this row the dragged one would come to stand. */
function dropAt(index: number, from: number, to: number): 'before' | 'after' | null {
  if (index !== to || from === to) return null
  return to < from ? 'before' : 'after'
}

function Frame({ id, field, issue, locked, children }: FieldProps<'order'> & { id: string; children: ReactNode }) {
  const described = [locked ? '' : `${id}-h`, issue === '' ? '' : `${id}-i`].filter((part) => part !== '').join(' ')
  return (
    <div
      className="field"
      data-field={field.id}
      role="group"
      aria-labelledby={`${id}-l`}
      aria-describedby={described === '' ? undefined : described}
    >
      <div className="label">
        <span id={`${id}-l`}>{field.label}</span>
      </div>
      {children}
    </div>
  )
}

function RowText({ row, index }: { row: TaskSurfaceOption; index: number }) {
  return (
    <>
      <span className="pos" aria-hidden="true">
        {index + 1}
      </span>
      <span className="order-text">
        {row.label}
        {row.detail === undefined ? null : <small>{row.detail}</small>}
      </span>
    </>
  )
}

interface RowProps {
  row: TaskSurfaceOption
  index: number
  total: number
  isCurrent: boolean
  isLifted: boolean
  drop: 'before' | 'after' | null
  /** Handed down: a subscription to the language a row would be most of its cost. */
  t: SurfaceText
  onMove: (from: number, to: number) => void
  onLift: (rowId: string) => void
}

const Row = memo(function Row({ row, index, total, isCurrent, isLifted, drop, t, onMove, onLift }: RowProps) {
  const tabIndex = isCurrent ? 0 : -1
  const step = (button: HTMLElement, to: number) => {
    // At the end of the list the pressed button is of no more use: the focus goes to its neighbour.
    const other = button.nextElementSibling ?? button.previousElementSibling
    onMove(index, to)
    if ((to === 0 || to === total - 1) && other instanceof HTMLElement) queueMicrotask(() => other.focus())
  }
  return (
    <li className={isLifted ? 'order-row lifted' : 'order-row'} data-row={row.id} data-drop={drop ?? undefined}>
      <button
        type="button"
        className="grip"
        tabIndex={tabIndex}
        aria-label={t('orderRow', { label: row.label, position: index + 1, total })}
        aria-pressed={isLifted}
        onClick={(event) => {
          // A press of the pointer is a drag or nothing; keys have no position.
          if (event.detail === 0) onLift(row.id)
        }}
      >
        <Icon name="i-grip" />
      </button>
      <RowText row={row} index={index} />
      <span className="order-btns">
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          tabIndex={tabIndex}
          aria-label={t('moveUp', { label: row.label })}
          disabled={index === 0}
          onClick={(event) => step(event.currentTarget, index - 1)}
        >
          <Icon name="i-up" />
        </button>
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          tabIndex={tabIndex}
          aria-label={t('moveDown', { label: row.label })}
          disabled={index === total - 1}
          onClick={(event) => step(event.currentTarget, index + 1)}
        >
          <Icon name="i-down" />
        </button>
      </span>
    </li>
  )
})
