/* Labels and details as they go on the wire: one line, bounded in code points. */

export function oneLine(text: string, maxPoints: number): string {
  // A code point is at most two units, so the slice bounds the work for a text of any length.
  const start = text
    .slice(0, maxPoints * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const points = Array.from(start)
  return points.length > maxPoints ? `${points.slice(0, maxPoints - 1).join('')}…` : start
}
