/* For the tests, which are checked: what `baseline.mjs` answers. */
export interface Row {
  name: string
  ratio: number | null
  value: number
  goal: number
  atLeast: boolean
}
export interface Baseline {
  machine: Readonly<Record<string, string | number>>
  ratios: Readonly<Record<string, number>>
}
export function baselineOf(rows: readonly Row[], machine: Baseline['machine']): Baseline
export function warningsOf(rows: readonly Row[], baseline: Baseline): string[]
