/* The lines of a diff block: which came, which went, which stayed. A long comparison runs after the first paint,
   for `sliceMs` at once and then in small slices, and gives up past `maxEdits`; then every old line goes and
   every new one comes, which is never wrong. */
import { diffArrays } from 'diff'

export interface DiffLine {
  readonly kind: 'same' | 'minus' | 'plus'
  /** Line number before for what went, after for the others; counted from 1. */
  readonly number: number
  readonly text: string
}

export interface LineDiff {
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
  /** False: given up, shown whole. */
  readonly compared: boolean
}

/** Beyond so many changed lines a reader compares nothing any more, and the search grows with its square. */
const maxEdits = 1_200
/** About a frame: typing beside it is not felt. */
const sliceMs = 20
const patienceMs = 2_000
/** Lines on both sides together up to which the comparison is quicker than a frame. */
const quickLines = 600

export function linesOfText(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

interface Change {
  value: string[]
  added?: boolean
  removed?: boolean
}

function numbered(changes: readonly Change[], compared: boolean): LineDiff {
  const lines: DiffLine[] = []
  let before = 0
  let after = 0
  let added = 0
  let removed = 0
  for (const change of changes) {
    for (const text of change.value) {
      if (change.removed === true) {
        before += 1
        removed += 1
        lines.push({ kind: 'minus', number: before, text })
      } else {
        after += 1
        if (change.added === true) added += 1
        else before += 1
        lines.push({ kind: change.added === true ? 'plus' : 'same', number: after, text })
      }
    }
  }
  return { lines, added, removed, compared }
}

function replaced(before: string[], after: string[]): LineDiff {
  return numbered(
    [
      { value: before, removed: true },
      { value: after, added: true },
    ],
    false,
  )
}

/** Null: too long for one go, use `compareLater`. */
export function compareNow(before: string | null, after: string): LineDiff | null {
  const old = before === null ? [] : linesOfText(before)
  const now = linesOfText(after)
  if (old.length === 0 || now.length === 0) {
    return numbered(
      [
        { value: old, removed: true },
        { value: now, added: true },
      ],
      true,
    )
  }
  if (old.length + now.length > quickLines) return null
  const changes = diffArrays(old, now, { maxEditLength: maxEdits })
  return changes === undefined ? replaced(old, now) : numbered(changes, true)
}

/** In slices between which the page stays free. Returns its disposer. */
export function compareLater(before: string | null, after: string, done: (diff: LineDiff) => void): () => void {
  let cancelled = false
  const old = before === null ? [] : linesOfText(before)
  const now = linesOfText(after)
  const finish = (changes: Change[] | undefined) => {
    if (!cancelled) done(changes === undefined ? replaced(old, now) : numbered(changes, true))
  }
  const timer = setTimeout(() => {
    const quick = diffArrays(old, now, { maxEditLength: maxEdits, timeout: sliceMs })
    if (quick !== undefined) finish(quick)
    else diffArrays(old, now, { maxEditLength: maxEdits, timeout: patienceMs, callback: finish })
  })
  return () => {
    cancelled = true
    clearTimeout(timer)
  }
}

/** Unchanged lines kept around a change. */
const around = 3

export type DiffRow =
  | { readonly kind: 'line'; readonly line: DiffLine; readonly index: number }
  | { readonly kind: 'fold'; readonly from: number; readonly to: number }

/** Lines with long unchanged runs folded, except those opened: `opened` holds the index of a run's first line. */
export function foldedRows(lines: readonly DiffLine[], opened: ReadonlySet<number>): DiffRow[] {
  const rows: DiffRow[] = []
  let index = 0
  while (index < lines.length) {
    let end = index
    while (lines[end]?.kind === 'same') end += 1
    const from = index === 0 ? 0 : index + around
    const to = end === lines.length ? end : end - around
    // Folding fewer lines than the button takes is no gain.
    if (to - from >= 3 && !opened.has(from)) {
      for (; index < from; index += 1) rows.push(lineRow(lines, index))
      rows.push({ kind: 'fold', from, to })
      index = to
    }
    for (; index < end; index += 1) rows.push(lineRow(lines, index))
    for (; index < lines.length && lines[index]?.kind !== 'same'; index += 1) rows.push(lineRow(lines, index))
  }
  return rows
}

function lineRow(lines: readonly DiffLine[], index: number): DiffRow {
  const line = lines[index]
  if (line === undefined) throw new Error(`no line ${index}`)
  return { kind: 'line', line, index }
}
