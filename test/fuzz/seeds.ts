/* Which cases a run plays. Every case is one number. `TASK_SURFACE_TEST_SEED=<n>` plays that one alone, in every file of the project;
   `TASK_SURFACE_TEST_CASES=<n>` is for a longer search. Seeds that once found a fault stand in `found` and always run first. */

/** Seeds that found something, with what it was. */
export const found: readonly (readonly [seed: number, what: string])[] = []

const replayed = wholeNumber('TASK_SURFACE_TEST_SEED')

/** One seed is played again: what only a whole run can show is not asked. */
export const isReplay = replayed !== null

export function seedsOf(base: number, cases: number): number[] {
  if (replayed !== null) return [replayed]
  const fresh = Array.from({ length: wholeNumber('TASK_SURFACE_TEST_CASES') ?? cases }, (_, index) => base + index)
  return [...new Set([...found.map(([seed]) => seed), ...fresh])]
}

/** What to type to play it again; stands in every failure. */
export const replayHint = (seed: number): string => `TASK_SURFACE_TEST_SEED=${seed} npm run test:fuzz`

function wholeNumber(name: string): number | null {
  // oxlint-disable-next-line node/no-process-env -- how a person asks for one case
  const text = process.env[name] ?? ''
  return /^\d+$/.test(text) ? Number(text) : null
}
