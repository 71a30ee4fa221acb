/* A diff of a surface: sign, line number and ground for every changed line, unchanged runs behind a button.
   Long ones are drawn as a window over their rows. Next: `diff-lines.ts`. */
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { TaskSurfaceBlock } from '../../../shared/surface/model.ts'
import { compareLater, compareNow, type DiffLine, foldedRows, type LineDiff } from './diff-lines.ts'
import { surfaceTexts, type SurfaceText } from './strings.ts'
import { drawnWhole, useWindowedRows } from './windowed-rows.ts'

type DiffModel = Extract<TaskSurfaceBlock, { kind: 'diff' }>

/** Height of a row as the style sheet fixes it for windowed diffs. */
const rowPx = 20

function useDiff({ before, after }: DiffModel): LineDiff | null {
  const quick = useMemo(() => compareNow(before, after), [before, after])
  const [late, setLate] = useState<LineDiff | null>(null)
  useEffect(() => {
    return quick === null ? compareLater(before, after, setLate) : undefined
  }, [quick, before, after])
  return quick ?? late
}

export const DiffBlock = memo(function DiffBlock({ block }: { block: DiffModel }) {
  const t = surfaceTexts.use()
  const diff = useDiff(block)
  const name = block.path ?? block.language ?? t('diff')
  return (
    <div className="diff">
      <div className="diff-head">
        <span>{name}</span>
        <span>{diff === null ? t('comparing') : t('diffCounts', { added: diff.added, removed: diff.removed })}</span>
      </div>
      {diff === null ? null : <DiffRows diff={diff} name={name} />}
    </div>
  )
})

function DiffRows({ diff, name }: { diff: LineDiff; name: string }) {
  const t = surfaceTexts.use()
  const scroller = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => foldedRows(diff.lines, opened), [diff, opened])
  const isLong = rows.length > drawnWhole
  const { start, end, before, after } = useWindowedRows(rows.length, rowPx, scroller)
  const open = (from: number) => {
    setOpened((known) => new Set(known).add(from))
    // The button is gone with what it hid; the list keeps the focus and scrolls on.
    scroller.current?.focus()
  }
  return (
    <>
      {diff.compared ? null : <p className="diff-note">{t('notCompared')}</p>}
      <div
        className={isLong ? 'diff-scroll diff-long' : 'diff-scroll'}
        tabIndex={0}
        role="group"
        aria-label={name}
        ref={scroller}
      >
        <table aria-rowcount={rows.length}>
          <tbody>
            {before === 0 ? null : <Space height={before} />}
            {rows.slice(start, end).map((row, offset) =>
              row.kind === 'line' ? (
                <Line key={`l${row.index}`} line={row.line} rowIndex={start + offset + 1} t={t} />
              ) : (
                <tr key={`f${row.from}`} aria-rowindex={start + offset + 1} className="diff-fold">
                  <td colSpan={3}>
                    <button type="button" className="fold" onClick={() => open(row.from)}>
                      {t('unchanged', { count: row.to - row.from })}
                    </button>
                  </td>
                </tr>
              ),
            )}
            {after === 0 ? null : <Space height={after} />}
          </tbody>
        </table>
      </div>
    </>
  )
}

const Line = memo(function Line({ line, rowIndex, t }: { line: DiffLine; rowIndex: number; t: SurfaceText }) {
  const { kind, number, text } = line
  return (
    <tr className={kind === 'same' ? undefined : kind} aria-rowindex={rowIndex}>
      <td>{number}</td>
      <td>
        {kind === 'same' ? null : (
          <>
            <span aria-hidden="true">{kind === 'plus' ? '+' : '−'}</span>
            <span className="vh">{t(kind === 'plus' ? 'added' : 'removed')}</span>
          </>
        )}
      </td>
      <td>{text}</td>
    </tr>
  )
})

function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden="true" className="vtable-space">
      <td colSpan={3} style={{ height }} />
    </tr>
  )
}
