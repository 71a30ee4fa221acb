/* The floor for durable appends (SPEC 15): raw classic-level batches with `sync: true`, written one after another as fast
   as they go. Imports nothing of the product. */
import { ClassicLevel } from 'classic-level'

/** `batches`: each a list of `{type: 'put', key, value}`. Answers batches' seconds. The folder must be empty. */
export async function writeRawBatches(folder, batches) {
  const level = new ClassicLevel(folder)
  await level.open()
  const begun = process.hrtime.bigint()
  for (const batch of batches) await level.batch(batch, { sync: true })
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9
  await level.close()
  return seconds
}
