/* A list that the person puts in order: by pointer or touch on the handle, by its buttons, by Alt with the arrow
   keys, Home and End, or by lifting a row with Space and moving it with the arrows. One row at a time is in the
   tab order. A legal model may hold two thousand rows, so a row is a few plain elements and draws again only when
   its own place changes. Rules: OF-FOCUS the focus stays on what was moved; OF-SAY every move is heard, and once: as
   the name of the handle when the focus moves along with it, else as an announcement. For that a place is an element of
   its own and the focus goes from place to place; an element carried along would lose the focus, or be renamed under
   it, and screen readers would say that as well. */
import { type KeyboardEvent, memo, type ReactNode, type RefObject } from 'react'
import { useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TaskSurfaceOption } from '../../../shared/surface/model.ts'
import { useClient } from '../../client.tsx'
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

/** The control of a row that has the focus. */
interface Held {
  rowId: string
  control: string
}

function heldIn(list: Element | null): Held | null {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || list?.contains(focused) !== true) return null
  const rowId = focused.closest('li')?.dataset['row']
  const control = focused.dataset['control']
  return rowId === undefined || control === undefined ? null : { rowId, control }
}

function focusControl(list: Element | null, { rowId, control }: Held): void {
  const row = rowsOf(list).find((element) => element.dataset['row'] === rowId)
  const controls = [...(row?.querySelectorAll<HTMLButtonElement>(`[data-control="${control}"]`) ?? [])]
  // At the end of the list a button is of no more use: the focus goes to its neighbour.
  const others = [...(row?.querySelectorAll<HTMLButtonElement>('.order-btns > button') ?? [])]
  const target = [...controls, ...others].find((button) => !button.disabled)
  if (target !== document.activeElement) target?.focus()
}

interface Order {
  rows: readonly TaskSurfaceOption[]
  labelOf: (rowId: string) => string
  move: (from: number, to: number) => void
  /** Puts the list back as it was. */
  restore: (ids: readonly string[]) => void
}

function useOrder({ form, field }: FieldProps<'order'>, list: RefObject<HTMLElement | null>): Order {
  const t = surfaceTexts.use()
  const { announce } = useClient()
  const value = useFieldValue(form, field.id)
  const optionById = useMemo(() => new Map(field.options.map((option) => [option.id, option])), [field])
  const rows = (Array.isArray(value) ? value : []).flatMap((id) => optionById.get(id) ?? [])
  const labelOf = useCallback((rowId: string) => optionById.get(rowId)?.label ?? '', [optionById])
  /** Where the focus belongs once the rows are drawn in their new order. */
  const following = useRef<Held | null>(null)
  useLayoutEffect(() => {
    const held = following.current
    following.current = null
    if (held !== null) focusControl(list.current, held)
  })
  const move = useCallback(
    (from: number, to: number) => {
      const ids = form.get(field.id)
      if (!Array.isArray(ids)) return
      const next = [...ids]
      const [moved] = next.splice(from, 1)
      if (moved === undefined) return
      if (from === to) return announce(t(to === 0 ? 'orderFirst' : 'orderLast', { label: labelOf(moved) }))
      next.splice(to, 0, moved)
      const held = heldIn(list.current)
      following.current = held
      form.set(field.id, next)
      const isHeard = held?.control === 'grip' && held.rowId === moved
      if (!isHeard) announce(t('orderMoved', { label: labelOf(moved), position: to + 1, total: ids.length }))
    },
    [form, field, labelOf, list, announce, t],
  )
  const restore = useCallback(
    (ids: readonly string[]) => {
      following.current = heldIn(list.current)
      form.set(field.id, [...ids])
    },
    [form, field, list],
  )
  return { rows, labelOf, move, restore }
}

export function OrderField(props: FieldProps<'order'>) {
  const t = surfaceTexts.use()
  const { announce } = useClient()
  const id = useId()
  const { form, field, locked, issue } = props
  const list = useRef<HTMLOListElement>(null)
  const { rows, labelOf, move, restore } = useOrder(props, list)
  const [current, setCurrent] = useState(rows[0]?.id ?? '')
  /** A row lifted by the keyboard, and the order to go back to. */
  const [lifted, setLifted] = useState<{ id: string; before: readonly string[] } | null>(null)
  const drop = useCallback((from: number, to: number) => (from === to ? undefined : move(from, to)), [move])
  const drag = useRowDrag(list, drop)

  const focusRow = (index: number) => rowsOf(list.current)[index]?.querySelector<HTMLElement>('.grip')?.focus()
  const isLifting = lifted !== null
  const toggleLift = useCallback(
    (rowId: string) => {
      const ids = form.get(field.id)
      if (!Array.isArray(ids)) return
      const place = { label: labelOf(rowId), position: ids.indexOf(rowId) + 1, total: ids.length }
      announce(t(isLifting ? 'orderPutDown' : 'orderLifted', place))
      setLifted(isLifting ? null : { id: rowId, before: ids })
    },
    [form, field, labelOf, isLifting, announce, t],
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
      announce(t('orderPutBack', { label: labelOf(lifted.id) }))
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
        <ol className="order order-plain">
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
            key={index}
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
      {/* Read as the description of the group, where its keys work. */}
      <span className="help" id={`${id}-h`} aria-hidden="true">
        {t('orderHelp')}
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
      {/* Read as the name of the group. */}
      <div className="label" aria-hidden="true">
        <span id={`${id}-l`}>{field.label}</span>
      </div>
      {children}
    </div>
  )
}

/** `isNamed`: a control of the row has this text as its name already. */
function RowText({ row, index, isNamed }: { row: TaskSurfaceOption; index: number; isNamed?: true }) {
  return (
    <>
      <span className="pos" aria-hidden="true">
        {index + 1}
      </span>
      <span className="order-text" aria-hidden={isNamed}>
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
  const { label, detail } = row
  const name = t('orderRow', { label, position: index + 1, total })
  return (
    <li className={isLifted ? 'order-row lifted' : 'order-row'} data-row={row.id} data-drop={drop ?? undefined}>
      <button
        type="button"
        className="grip"
        tabIndex={tabIndex}
        data-control="grip"
        aria-label={detail === undefined ? name : t('orderRowDetail', { name, detail })}
        aria-pressed={isLifted}
        onClick={(event) => {
          // A press of the pointer is a drag or nothing; keys have no position.
          if (event.detail === 0) onLift(row.id)
        }}
      >
        <Icon name="i-grip" />
      </button>
      <RowText row={row} index={index} isNamed />
      <span className="order-btns">
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          tabIndex={tabIndex}
          data-control="up"
          aria-label={t('moveUp', { label })}
          disabled={index === 0}
          onClick={() => onMove(index, index - 1)}
        >
          <Icon name="i-up" />
        </button>
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          tabIndex={tabIndex}
          data-control="down"
          aria-label={t('moveDown', { label })}
          disabled={index === total - 1}
          onClick={() => onMove(index, index + 1)}
        >
          <Icon name="i-down" />
        </button>
      </span>
    </li>
  )
})
