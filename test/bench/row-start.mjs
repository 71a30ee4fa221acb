/* Start with 1,000,000 events in 1,000 sessions against start with none (SPEC 15): from the spawn of the process to its
   ready line. Both kinds take turns, so that both see the same machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost } from './bench-host.mjs'
import { inTurn, medianPair, printRow } from './figures.mjs'
import { millionEvents } from './large-logs.mjs'

const rounds = 13

const large = await millionEvents()
const empty = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))

async function startMs(folder) {
  const host = await startHost(folder)
  await host.stop()
  return host.startMs
}

try {
  // The first start of each creates or finishes what later ones find: the warm-up.
  const samples = await inTurn({ rounds, warmUp: 2, value: () => startMs(large), floor: () => startMs(empty) })
  printRow({
    name: 'start with 1,000,000 events in 1,000 sessions, against none',
    unit: 'ms',
    ...medianPair(samples),
    goal: 1.3,
  })
} finally {
  rmSync(empty, { recursive: true, force: true })
}
