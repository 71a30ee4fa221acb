/* From samples to figures: percentiles, and how steep a line through points in time is. */

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export interface Point {
  x: number
  y: number
}

/** Growth of `y` for each unit of `x`: the median of the slopes between all pairs, so that single outliers count for nothing. */
export function growth(points: readonly Point[]): number {
  const slopes = points.flatMap((from, index) => points.slice(index + 1).map((to) => (to.y - from.y) / (to.x - from.x)))
  return percentile(slopes, 0.5)
}
