/* What a run is compared with: the ratios of an earlier one and the machine they were taken on. Ratios alone, because they
   mean the same on another machine. A row without a floor stands as the share of its goal. */
import { cpus, totalmem } from 'node:os'

/** A ratio that got worse by half is worth a look; less is what machines and moments make of it. */
const worse = 1.5

export const machineFacts = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  node: process.version,
})

export const ratioOf = ({ ratio, value, goal }) => ratio ?? value / goal

export function baselineOf(rows, machine) {
  const rounded = (value) => Number(value.toPrecision(3))
  return { machine, ratios: Object.fromEntries(rows.map((row) => [row.name, rounded(ratioOf(row))])) }
}

/** One sentence for each row whose ratio is worse by half than the stored one. */
export function warningsOf(rows, { ratios }) {
  return rows.flatMap((row) => {
    const before = ratios[row.name]
    if (before === undefined) return [`${row.name}: not in the baseline`]
    const now = ratioOf(row)
    const isWorse = row.atLeast ? now * worse < before : now > before * worse
    return isWorse ? [`${row.name}: ${now.toPrecision(3)}, was ${before}`] : []
  })
}
