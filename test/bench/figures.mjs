/* From samples to the one line a row prints. */

export const median = (values) => percentile(values, 0.5)

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/**
 * Of samples taken in turn, the pair with the median ratio: what slowed the machine for a while slowed both of a pair,
 * where the two medians could come from different whiles.
 */
export function medianPair(values, floors) {
  const pairs = values.map((value, index) => ({ value, floor: floors[index] }))
  const sorted = pairs.toSorted((one, other) => one.value / one.floor - other.value / other.floor)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * Prints the row as JSON. `goal` bounds the ratio, or the value where there is no floor or `judges` says so: from below or
 * from above.
 */
export function printRow({ name, unit, floor = null, value, goal, atLeast = false, judges = 'ratio' }) {
  const ratio = floor === null ? null : value / floor
  const judged = judges === 'ratio' ? (ratio ?? value) : value
  const met = atLeast ? judged >= goal : judged <= goal
  process.stdout.write(`${JSON.stringify({ name, unit, floor, value, ratio, goal, atLeast, judges, met })}\n`)
}
