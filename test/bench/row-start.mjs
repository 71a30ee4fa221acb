/* Start with 1,000 sessions and 1,000,000 events against start with none (SPEC 15): from the spawn of the process to its
   ready line. Both kinds take turns, so that both see the same machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost } from './bench-host.mjs'
import { medianPair, printRow } from './figures.mjs'
import { dataFolderOf } from './large-logs.mjs'

const rounds = 9

const large = await dataFolderOf(
  'sessions',
  Array.from({ length: 1000 }, () => 1000),
)
const empty = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))

async function startMs(folder) {
  const host = await startHost(folder)
  await host.stop()
  return host.startMs
}

try {
  // The first start of each creates or finishes what later ones find.
  await startMs(empty)
  await startMs(large)
  const samples = { empty: [], large: [] }
  for (let round = 0; round < rounds; round += 1) {
    samples.empty.push(await startMs(empty))
    samples.large.push(await startMs(large))
  }
  printRow({
    name: 'start with 1,000 sessions and 1,000,000 events',
    unit: 'ms',
    ...medianPair(samples.large, samples.empty),
    goal: 1.3,
  })
} finally {
  rmSync(empty, { recursive: true, force: true })
}
