/* A table of a surface: fixed row height, sticky head, the true number of rows in the accessibility tree and in
   the foot. More than `drawnWhole` rows are drawn as a window over them; the keyboard scrolls through all. */
import { memo, useMemo, useRef, useState } from 'react'
import type { TaskSurfaceBlock, TaskSurfaceCell } from '../../../shared/surface/model.ts'
import { surfaceTexts, type SurfaceText } from './strings.ts'
import { drawnWhole, useVisibleRows, useWindowedRows } from './windowed-rows.ts'

type TableModel = Extract<TaskSurfaceBlock, { kind: 'table' }>

/** Height of one row as the style sheet fixes it, border included, and of the head. */
const rowPx = 29
const headPx = 29
/** Widths in characters between which a column of a windowed table stays; a cell past it ends in an ellipsis. */
const widest = 34
const narrowest = 4

function cellText(cell: TaskSurfaceCell, t: SurfaceText): string {
  if (cell === null) return '–'
  if (typeof cell === 'boolean') return t(cell ? 'yes' : 'no')
  return String(cell)
}

/** A full-width character takes the room of two. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text.slice(0, widest)) width += character > '\u2e7f' ? 2 : 1
  return width
}

/** Without it the columns of a windowed table would jump as rows come and go. */
function columnWidths(block: TableModel, t: SurfaceText): number[] {
  return block.columns.map(({ id, label }) => {
    const needed = block.rows.reduce(
      (most, row) => Math.max(most, widthOf(cellText(row[id] ?? null, t))),
      widthOf(label),
    )
    return Math.min(widest, Math.max(narrowest, needed)) + 2
  })
}

/** Something that a row of one line may cut off. */
function hasLongCell({ rows, columns }: TableModel): boolean {
  const isLong = (cell: TaskSurfaceCell | undefined) =>
    typeof cell === 'string' && (cell.length > widest || cell.includes('\n'))
  return rows.some((row) => columns.some(({ id }) => isLong(row[id])))
}

function numericColumns(block: TableModel): ReadonlySet<string> {
  const numeric = block.columns.filter(
    ({ id }) =>
      block.rows.some((row) => typeof row[id] === 'number') &&
      block.rows.every((row) => typeof row[id] === 'number' || row[id] === null),
  )
  return new Set(numeric.map(({ id }) => id))
}

export const TableBlock = memo(function TableBlock({ block, label }: { block: TableModel; label: string | undefined }) {
  const t = surfaceTexts.use()
  const scroller = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(false)
  const { rows, columns } = block
  const isLong = rows.length > drawnWhole
  const window = useWindowedRows(whole ? 0 : rows.length, rowPx, scroller)
  const shown = whole ? { start: 0, end: rows.length, before: 0, after: 0 } : window
  const numeric = useMemo(() => numericColumns(block), [block])
  const hasLong = useMemo(() => hasLongCell(block), [block])
  const widths = useMemo(() => (isLong ? columnWidths(block, t) : null), [isLong, block, t])
  const seen = useVisibleRows(rows.length, rowPx, headPx, scroller)
  const classOf = (id: string) => (numeric.has(id) ? 'n' : undefined)
  return (
    <div className={whole ? 'vtable vtable-whole' : 'vtable'}>
      <div className="vtable-scroll" tabIndex={0} role="group" aria-label={label ?? t('table')} ref={scroller}>
        <table aria-rowcount={rows.length + 1} className={widths === null ? undefined : 'vtable-fixed'}>
          {widths === null ? null : (
            <colgroup>
              {widths.map((width, index) => (
                <col key={columns[index]?.id} style={{ width: `${width}ch` }} />
              ))}
            </colgroup>
          )}
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ id, label: heading }) => (
                <th key={id} scope="col" className={classOf(id)}>
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer height={shown.before} columns={columns.length} />
            {rows.slice(shown.start, shown.end).map((row, offset) => (
              <tr key={shown.start + offset} aria-rowindex={shown.start + offset + 2}>
                {columns.map(({ id }) => {
                  const text = cellText(row[id] ?? null, t)
                  return (
                    <td key={id} className={classOf(id)} title={text.length > 16 ? text : undefined}>
                      {text}
                    </td>
                  )
                })}
              </tr>
            ))}
            <Spacer height={shown.after} columns={columns.length} />
          </tbody>
        </table>
      </div>
      <div className="vtable-foot">
        <span>
          {rows.length === 0
            ? t('noRows')
            : seen === null || whole
              ? t('rowCount', { count: rows.length })
              : t('rows', { ...seen, total: rows.length })}
        </span>
        {hasLong ? (
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {t(whole ? 'oneLine' : 'wholeCells')}
          </button>
        ) : null}
      </div>
    </div>
  )
})

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height === 0) return null
  return (
    <tr aria-hidden="true" className="vtable-space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}
