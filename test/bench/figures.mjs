/* From samples to the one line a row prints. */

export const median = (values) => percentile(values, 0.5)

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** The median of the ratios of samples taken in turn: what slowed the machine for a while slowed both of a pair. */
export const pairedRatio = (values, floors) => median(values.map((value, index) => value / floors[index]))

/** Prints the row as JSON. `goal` bounds the ratio, or the value where there is no floor: from below or from above. */
export function printRow({
  name,
  unit,
  floor = null,
  value,
  ratio = floor === null ? null : value / floor,
  goal,
  atLeast = false,
}) {
  const judged = ratio ?? value
  const met = atLeast ? judged >= goal : judged <= goal
  process.stdout.write(`${JSON.stringify({ name, unit, floor, value, ratio, goal, atLeast, met })}\n`)
}
