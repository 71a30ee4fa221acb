/* The surface machine, three ways, with equal traces: the pure machine, a real host driven over a socket, and a real
   page in which a person drives the same host. Every accepted edge and every simple path is walked; each configuration
   also tries, where a walk comes by it first, what it refuses. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SurfaceDriver } from '../model/surface-driver.ts'
import {
  describePath,
  pageRefusals,
  ruleOf,
  standingOf,
  walkedPaths,
  type SurfaceEvent,
  type SurfacePath,
  type SurfaceSnapshot,
} from '../model/surface-paths.ts'
import { Desk } from './surface-desk.ts'
import { SurfacePageDriver } from './surface-page-driver.ts'

type Move =
  | { kind: 'event'; event: SurfaceEvent; before: SurfaceSnapshot; snapshot: SurfaceSnapshot; bypassNext: boolean }
  | { kind: 'refused'; event: SurfaceEvent; snapshot: SurfaceSnapshot }

interface Walk {
  title: string
  rule: string
  start: SurfaceSnapshot
  moves: Move[]
}

const keyOf = ({ value, context }: SurfaceSnapshot): string => JSON.stringify([value, context])

const refusedByKey = new Map<string, SurfaceEvent[]>()
for (const { path, event } of pageRefusals()) {
  const at = path.steps.at(-1)?.snapshot ?? path.start
  refusedByKey.set(keyOf(at), [...(refusedByKey.get(keyOf(at)) ?? []), event])
}

/** Each configuration once: the first walk that comes by takes what it refuses along. */
function takeRefused(snapshot: SurfaceSnapshot): Move[] {
  const events = refusedByKey.get(keyOf(snapshot)) ?? []
  refusedByKey.delete(keyOf(snapshot))
  return events.map((event) => ({ kind: 'refused', event, snapshot }))
}

function walkAlong(path: SurfacePath): Walk {
  const moves: Move[] = takeRefused(path.start)
  let before = path.start
  for (const [index, { event, snapshot }] of path.steps.entries()) {
    const bypassNext = event.type === 'SUBMIT' && path.steps[index + 1]?.event.type === 'BYPASS'
    // A message that waits ahead would be claimed in place of what a refused try stands for.
    const refused = bypassNext ? [] : takeRefused(snapshot)
    moves.push({ kind: 'event', event, before, snapshot, bypassNext }, ...refused)
    before = snapshot
  }
  const rule = ruleOf[path.steps.at(-1)?.event.type ?? 'SUBMIT']
  return { title: describePath(path), rule, start: path.start, moves }
}

const walks = walkedPaths().map(walkAlong)

let desk: Desk
let page: Page
let tags = 0

beforeAll(async () => {
  desk = await Desk.start()
  page = await desk.page(await desk.newSession('A session to begin with'))
})
afterAll(() => desk.end())

async function withDriver(run: (driver: SurfaceDriver) => Promise<string[]>): Promise<string[]> {
  const { host, model, gate } = desk
  const driver = await SurfaceDriver.open({ address: host.ready, model, gate, tag: `paths-${(tags += 1)}` })
  try {
    return await run(driver)
  } finally {
    await driver.close()
  }
}

const onMachine = ({ start, moves }: Walk): string[] =>
  [start, ...moves.map(({ snapshot }) => snapshot)].map(standingOf)

function onHost({ moves }: Walk): Promise<string[]> {
  return withDriver(async (driver) => {
    const standing = async () => {
      const seen = await driver.see()
      if (seen === null) return 'removed'
      if (seen.outcome !== null) return seen.outcome
      if (seen.pending !== null) return seen.pending.phase
      return driver.pushes.length === 0 ? 'open' : `open, ${driver.discards.at(-1)}`
    }
    const trace = [await standing()]
    for (const move of moves) {
      if (move.kind === 'event' && move.bypassNext) await driver.writeAhead()
      await performOnHost(driver, move)
      trace.push(await standing())
    }
    return trace
  })
}

async function performOnHost(driver: SurfaceDriver, move: Move): Promise<unknown> {
  switch (move.event.type) {
    case 'SUBMIT':
      return driver.submit()
    case 'CLAIM':
      return driver.claim()
    case 'COMMIT':
      return driver.commit(driver.pushes.at(-1)?.messageId ?? '')
    case 'DISCARD':
      return move.kind === 'event' && move.before.matches({ live: 'claiming' })
        ? driver.interrupt()
        : driver.removeRow()
    case 'DISMISS':
      return driver.dismiss(`${driver.sessionId}-dismissal-${move.kind}`)
    case 'BYPASS':
      return driver.bypass()
    case 'REMOVE':
      return driver.remove()
    case 'SUPERSEDE':
      throw new Error('a live host supersedes nothing')
  }
}

function onPage({ start, moves }: Walk): Promise<string[]> {
  return withDriver(async (driver) => {
    const person = await SurfacePageDriver.open(page, driver)
    const trace = [await person.standing(standingOf(start))]
    for (const move of moves) {
      if (move.kind === 'refused') await person.tryAnyway(move.event)
      else {
        if (move.bypassNext) await person.writeAhead()
        await person.perform(move.event, move.before)
      }
      trace.push(await person.standing(standingOf(move.snapshot)))
      // A page that went astray would only wait at each further step.
      if (trace.at(-1) !== standingOf(move.snapshot)) break
    }
    return trace
  })
}

describe('the surface machine, a host and a page stand at the same places', () => {
  for (const walk of walks) {
    test(`${walk.rule}: ${walk.title}`, async () => {
      const [host, inPage] = await Promise.all([onHost(walk), onPage(walk)])
      const machine = onMachine(walk)
      expect({ host, page: inPage }).toEqual({ host: machine, page: machine })
    })
  }

  test('closed-once: every pair that a person can try is tried', () => {
    expect([...refusedByKey.keys()]).toEqual([])
  })
})
