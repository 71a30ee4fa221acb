/* How many lines of a file were added and removed, for the row a person reads. No diff: lines are counted and not placed,
   so it takes one pass whatever the size. */

export interface ChangedLines {
  added: number
  removed: number
}

/** Lines that only moved count as both. */
export function changedLines(before: string, after: string): ChangedLines {
  const [old, now] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const [gone, come] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)]
  const kept = countInBoth(gone, come)
  const hasMoved = kept === gone.length && kept === come.length
  return hasMoved
    ? { added: come.length, removed: gone.length }
    : { added: come.length - kept, removed: gone.length - kept }
}

/** A last line without its line feed is another line than the same one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n`]
}

function countInBoth(some: readonly string[], others: readonly string[]): number {
  const countByLine = new Map<string, number>()
  for (const line of some) countByLine.set(line, (countByLine.get(line) ?? 0) + 1)
  let both = 0
  for (const line of others) {
    const count = countByLine.get(line) ?? 0
    if (count === 0) continue
    countByLine.set(line, count - 1)
    both += 1
  }
  return both
}
