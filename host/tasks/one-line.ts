/* Labels and details as they go on the wire: one line, bounded in code points. */

const blank = /[\s\p{Cc}]/u

/** White space and controls become one space. Reads no further than what is shown. */
export function oneLine(text: string, maxPoints: number): string {
  const points: string[] = []
  let isApart = false
  for (const point of text) {
    if (blank.test(point)) {
      isApart = points.length > 0
      continue
    }
    if (isApart) points.push(' ')
    isApart = false
    points.push(point)
    if (points.length > maxPoints)
      return `${points
        .slice(0, maxPoints - 1)
        .join('')
        .trimEnd()}…`
  }
  return points.join('')
}
