/* Which settled rows of a popover show (SPEC 9). Rules: TASK-FAIL a row that must show is never folded;
   TASK-FOLD of the rest the newest show and a count says how many stand behind it. Pure. */

/** Settled rows that show before anybody asks for more. */
const shownAtFirst = 3
/** Beyond these a count is more help than rows. */
const listedAtMost = 100

export interface Fold<Row> {
  readonly rows: readonly Row[]
  /** How many more there are. Unfolded: how many are not listed at all. */
  readonly hidden: number
}

/** `settled` is newest first. `must`: a row that always shows, a failed one. `size`: how many a row stands for. */
export function foldSettled<Row>(
  settled: readonly Row[],
  must: (row: Row) => boolean,
  unfolded: boolean,
  size: (row: Row) => number = () => 1,
): Fold<Row> {
  const newestOther = settled.findIndex((row) => !must(row))
  const shows = (row: Row, index: number) =>
    index < (unfolded ? listedAtMost : shownAtFirst) || index === newestOther || must(row)
  const hidden = settled.reduce((count, row, index) => count + (shows(row, index) ? 0 : size(row)), 0)
  return { rows: settled.filter(shows), hidden }
}

/** Whether there is anything to unfold or to fold again. */
export function isFoldable<Row>(settled: readonly Row[], must: (row: Row) => boolean): boolean {
  return foldSettled(settled, must, false).hidden > 0
}
