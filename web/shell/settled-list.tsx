/* The settled rows of a popover under their heading, the newest first, the rest behind a count. */
import { type ReactNode, useState } from 'react'
import { Icon } from '../icon.tsx'
import { foldSettled, isFoldable } from './settled-fold.ts'
import { shellTexts } from './shell-texts.ts'

export function RowsHeading({ words, count }: { words: string; count: number }) {
  return (
    <h3>
      <span>{words}</span>
      <span className="num">{count}</span>
    </h3>
  )
}

export function SettledList<Row>(props: {
  settled: readonly Row[]
  /** A row that is never folded. */
  must: (row: Row) => boolean
  /** How many a row stands for; left out: one. */
  size?: (row: Row) => number
  draw: (row: Row) => ReactNode
}) {
  const t = shellTexts.use()
  const { settled, must, draw, size = () => 1 } = props
  const [unfolded, setUnfolded] = useState(false)
  const { rows, hidden } = foldSettled(settled, must, unfolded, size)
  return (
    <>
      <RowsHeading words={t('settled')} count={settled.reduce((count, row) => count + size(row), 0)} />
      <ul>{rows.map(draw)}</ul>
      {unfolded && hidden > 0 && <p className="task-rest">{t('unlisted', { count: hidden })}</p>}
      {isFoldable(settled, must) && (
        <button type="button" className="fold-btn" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
          <Icon name={unfolded ? 'i-up' : 'i-right'} />
          {unfolded ? t('fewer') : t('older', { count: hidden })}
        </button>
      )}
    </>
  )
}
