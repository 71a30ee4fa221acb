/* Random clients against a real host, from stated seeds (`seeds.ts`); what must hold is in `convergence.ts`, `replay.ts` and
   `fates.ts`. The last test is of the whole run: every arrow of the machines that live in a host was taken. */
import { afterAll, describe, expect, test } from 'vitest'
import { cannotOfSession } from '../model/session-host-paths.ts'
import { cannotOfSurface } from '../model/surface-paths.ts'
import type { Pair } from '../model/walked-paths.ts'
import { playCase } from './case.ts'
import { leaveFigures } from './figures.ts'
import { chartById, hostMachines } from './replay.ts'
import { isReplay, replayHint, seedsOf } from './seeds.ts'

const seeds = seedsOf(1000, 60)

const taken = new Map<string, number>()
const totals = { cases: 0, moves: 0, requests: 0, restarts: 0, reconnects: 0, frames: 0, transitions: 0 }

describe.concurrent('random clients', { timeout: 120_000 }, () => {
  test.for(seeds)('no-gap, one-claim, durable-first: seed %i', async (seed) => {
    try {
      const counts = await playCase(seed, { taken })
      totals.cases += 1
      for (const [key, count] of Object.entries(counts)) add(key, count)
    } catch (cause) {
      throw new Error(`${replayHint(seed)}\n${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  })
})

test('every arrow of the machines of a host is taken', () => {
  const rows = hostMachines.flatMap((machine) =>
    (chartById[machine]?.edges ?? []).map(({ id, from, event }) => {
      const count = taken.get(`${machine} ${id}`) ?? 0
      return {
        name: `${machine} ${id}`,
        count,
        cannot: cannotOf(machine, { id, state: from, event, isRefusal: false }),
      }
    }),
  )
  const line = ({ name, count, cannot }: (typeof rows)[number]) =>
    `${String(count).padStart(8)}  ${name}${cannot === null ? '' : `  (${cannot})`}\n`
  process.stdout.write(rows.map(line).join(''))
  leaveFigures('edges', {
    'arrows taken': rows.filter(({ count }) => count > 0).length,
    'of which can be': rows.filter(({ cannot }) => cannot === null).length,
  })
  const missing = rows.filter(({ count, cannot }) => count === 0 && cannot === null).map(({ name }) => name)
  expect(isReplay ? [] : missing).toEqual([])
})

afterAll(() => leaveFigures('clients', totals))

function add(key: string, count: number): void {
  if (key === 'moves' || key === 'requests' || key === 'restarts') totals[key] += count
  if (key === 'reconnects' || key === 'frames' || key === 'transitions') totals[key] += count
}

/** Why an arrow is never taken in a host; null where it may be. */
function cannotOf(machine: string, pair: Pair & { id: string }): string | null {
  if (machine === 'session') return cannotOfSession(pair)
  if (machine === 'task' && pair.id === 'live.running:SETTLE:1')
    return 'a producer is killed only when it was asked to stop'
  if (machine !== 'surface') return null
  if (pair.event === 'SUPERSEDE') return 'a live host opens no surface over an open one'
  return cannotOfSurface(pair)
}
