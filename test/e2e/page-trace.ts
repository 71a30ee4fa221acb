/* What the actors of a page went through, read from the page as it is built: its client hangs on the root that React drew
   into, knows every actor that lives (`web/page-actors.ts`), and XState's own inspection tells the rest. The page itself does
   nothing for it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { initialTransition, transition, type AnyStateMachine, type EventFrom, type SnapshotFrom } from 'xstate'
import { z } from 'zod'
import { jsonObjectSchema, jsonSchema } from '../../shared/json.ts'
import type { PageWalk } from '../model/page-walks.ts'

const standingSchema = z.object({ value: jsonSchema, context: jsonObjectSchema })
const entrySchema = z.object({
  event: z.looseObject({ type: z.string() }),
  from: standingSchema,
  to: standingSchema,
  /** Some transition was taken. */
  isTaken: z.boolean(),
})
export type TraceEntry = z.infer<typeof entrySchema>

declare global {
  var traceByActor: Map<string, unknown[]>
  var traceGrew: Set<() => void>
}

/** Long enough for a machine that does other things as well. */
const patienceMs = 8_000

/** Before anything is heard that shall be in the trace; the root must be drawn. */
export async function recordActors(page: Page): Promise<void> {
  await page.waitForSelector('#root > *')
  await page.evaluate(() => {
    const get = (from: unknown, key: string): unknown =>
      (typeof from === 'object' && from !== null) || typeof from === 'function' ? Reflect.get(from, key) : undefined
    const call = (from: unknown, key: string, ...args: unknown[]): unknown => {
      const method = get(from, key)
      if (typeof method !== 'function') throw new Error(`no ${key}`)
      return Reflect.apply(method, from, args)
    }
    const root = document.getElementById('root')
    const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer'))
    let fiber = get(get(get(root, key ?? ''), 'stateNode'), 'current')
    while (fiber !== undefined && get(get(fiber, 'memoizedProps'), 'client') === undefined) fiber = get(fiber, 'child')
    const list = get(get(get(get(fiber, 'memoizedProps'), 'client'), 'pageActors'), 'list')
    globalThis.traceByActor = new Map()
    globalThis.traceGrew = new Set()
    const watched = new Set<unknown>()
    const standing = (actor: unknown): unknown => {
      const snapshot = call(actor, 'getSnapshot')
      return JSON.parse(JSON.stringify({ value: get(snapshot, 'value'), context: get(snapshot, 'context') }))
    }
    const watch = (noted: unknown) => {
      if (watched.has(noted)) return
      watched.add(noted)
      const actor = get(noted, 'actor')
      const sessionId = get(noted, 'sessionId')
      const name = `${String(get(noted, 'machine'))}${typeof sessionId === 'string' ? `:${sessionId}` : ''}`
      const entries: unknown[] = []
      globalThis.traceByActor.set(name, entries)
      let from = standing(actor)
      let isTaken = false
      call(get(actor, 'system'), 'inspect', (seen: unknown) => {
        const transitions = get(seen, '_transitions')
        if (get(seen, 'type') === '@xstate.microstep') isTaken ||= Array.isArray(transitions) && transitions.length > 0
        const event = get(seen, 'event')
        if (get(seen, 'type') !== '@xstate.snapshot' || String(get(event, 'type')).startsWith('xstate.')) return
        const to = standing(actor)
        entries.push({ event: JSON.parse(JSON.stringify(event)), from, to, isTaken })
        from = to
        isTaken = false
        for (const grew of globalThis.traceGrew) grew()
      })
    }
    const follow = () => {
      const actors = call(list, 'getState')
      if (Array.isArray(actors)) for (const noted of actors) watch(noted)
    }
    follow()
    call(list, 'subscribe', follow)
  })
}

/** The page's clock stands still and its dice fall on nothing, so that only the test lets time pass. */
export async function holdStill(page: Page): Promise<void> {
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1_000)
  await page.addInitScript(() => {
    Math.random = () => 0
  })
}

/** What is on the other side of a wire comes in its own time. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: patienceMs }).toBe(true)
}

/** The connection stands: no probe is out. */
export async function isSteady(page: Page): Promise<boolean> {
  const trace = await traceOf(page, 'connection', 0)
  return JSON.stringify(trace.at(-1)?.to.value) === '{"up":"steady"}'
}

/** What an actor (`connection`, `dock:session-1`) went through, once it is so long; or all there is when that takes too long. */
export async function traceOf(page: Page, actor: string, length: number): Promise<TraceEntry[]> {
  const grown = page.evaluate(
    ([name, wanted]) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if ((globalThis.traceByActor.get(name)?.length ?? 0) < wanted) return
          globalThis.traceGrew.delete(look)
          resolve()
        }
        globalThis.traceGrew.add(look)
        look()
      }),
    [actor, length] as const,
  )
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([grown, patience])
  clearTimeout(timer)
  return z.array(entrySchema).parse(await page.evaluate((name) => globalThis.traceByActor.get(name) ?? [], actor))
}

/** What of an event and of where it led shall stand in a line besides the states. */
export type Detail = (event: { type: string }, context: unknown) => string
const noDetail: Detail = () => ''

function lineOf(before: SnapshotFrom<AnyStateMachine>, event: EventFrom<AnyStateMachine>, detail: Detail) {
  const accepted = before.can(event)
  const [after] = transition(before.machine, before, event)
  const what = accepted ? `→ ${JSON.stringify(after.value)}` : 'refused'
  return {
    after,
    line: `${JSON.stringify(before.value)} ${event.type} ${what} ${detail(event, after.context)}`.trimEnd(),
  }
}

/** The walk step by step, as lines. */
export function linesOf<Machine extends AnyStateMachine, World>(
  walk: PageWalk<Machine, World>,
  detail?: Detail,
): string[]
export function linesOf(walk: PageWalk<AnyStateMachine, unknown>, detail = noDetail): string[] {
  return walk.moves.flatMap(({ heard }) => heard.map(({ event, before }) => lineOf(before, event, detail).line))
}

/**
 * The trace as lines, after the machine itself was told the same events, ids and all: it must stand where the page's actor
 * stood each time, context included.
 */
export function replayed(machine: AnyStateMachine, trace: readonly TraceEntry[], detail = noDetail): string[] {
  let at: SnapshotFrom<AnyStateMachine> = initialTransition(machine)[0]
  return trace.map(({ event, to, isTaken }) => {
    const transitions = machine.getTransitionData(at, event)
    const { after, line } = lineOf(at, event, detail)
    const own: unknown = JSON.parse(JSON.stringify({ value: after.value, context: after.context }))
    expect({ after: event.type, to, isTaken }).toEqual({ after: event.type, to: own, isTaken: transitions.length > 0 })
    at = after
    return line
  })
}
