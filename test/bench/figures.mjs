/* How samples are taken, and how they become the one line a row prints. */

export const median = (values) => percentile(values, 0.5)

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/**
 * Samples of both kinds in turn, each round the other one first, so that whatever the machine does besides meets both.
 * `value` and `floor` resolve to one sample; the rounds of the warm-up do not count.
 */
export async function inTurn({ rounds, warmUp = 1, value, floor }) {
  const samples = { values: [], floors: [] }
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const first = round % 2 === 0 ? await value() : await floor()
    const second = round % 2 === 0 ? await floor() : await value()
    if (round < warmUp) continue
    samples.values.push(round % 2 === 0 ? first : second)
    samples.floors.push(round % 2 === 0 ? second : first)
  }
  return samples
}

/**
 * Of samples taken in turn, the pair with the median ratio: what slowed the machine for a while slowed both of a pair,
 * where the two medians could come from different whiles.
 */
export function medianPair({ values, floors }) {
  const pairs = values.map((value, index) => ({ value, floor: floors[index] }))
  const sorted = pairs.toSorted((one, other) => one.value / one.floor - other.value / other.floor)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * Samples of `size` each become one, their median or another share: a single one may be anything. A low share leaves out what
 * other work on the machine does to single samples.
 */
export function inBlocks({ values, floors }, size, share = 0.5) {
  const blocks = (samples) =>
    Array.from({ length: Math.floor(samples.length / size) }, (_, block) =>
      percentile(samples.slice(block * size, (block + 1) * size), share),
    )
  return { values: blocks(values), floors: blocks(floors) }
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
