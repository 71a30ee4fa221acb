// @vitest-environment happy-dom
/* The stream for inspectors against the real receiver and the machines as XState reads them. */
import { createBrowserReceiver } from '@statelyai/inspect'
import { fc } from '../../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { z } from 'zod'
import { type Json } from '../../../../shared/json.ts'
import { createReceived } from '../../../../web/inspector/received.ts'
import { toldAgain } from '../../../../web/plugins/lifecycles/inspection-stream.ts'
import { type Standing } from '../../../../web/plugins/lifecycles/journal-index.ts'
import { watchedFromHere } from '../../../../web/plugins/lifecycles/page-recorder.ts'
import { charts, type newIndex, openSources, openStream, type Sent } from './inspections.ts'
import { begin, entriesOf, type Step } from './journals.ts'

const snapshotSchema = z.object({ status: z.string(), value: z.json(), context: z.json() })

/** What a viewer knows in the end: the last state and status of each actor. */
function known(sent: readonly Sent[]): Record<string, unknown> {
  const last: Record<string, unknown> = {}
  for (const event of sent) {
    if (event.type === '@xstate.event') continue
    const { status, value } = snapshotSchema.parse(event.snapshot)
    last[event.sessionId] = { status, value }
  }
  return last
}

const statusByStanding: Record<Standing, string> = { unborn: 'active', live: 'active', over: 'done', gone: 'stopped' }

function standing(index: ReturnType<typeof newIndex>): Record<string, unknown> {
  return Object.fromEntries(
    index.tracks.map((track) => {
      const status = statusByStanding[index.standing(track, index.length - 1)]
      return [track.actorId, { status, value: index.entry(track.positions.at(-1) ?? -1)?.to }]
    }),
  )
}

/** Actors of a host that begin, move, and begin again, in any of the states of their machines. */
const arbitrarySteps = fc
  .array(fc.record({ who: fc.nat(6), kind: fc.constantFrom('session', 'turn', 'surface', 'task'), to: fc.nat(20) }), {
    maxLength: 3 * toldAgain,
    size: 'max',
  })
  .map((drawn): Step[] => {
    const begun = new Set<string>()
    return drawn.map(({ who, kind, to }) => {
      const actorId = kind === 'session' ? 'session:s' : `${kind}:${who}`
      const states = leafStates(kind)
      const value = valueOf(states[to % states.length] ?? '')
      const isFirst = !begun.has(actorId) || to === 0
      begun.add(actorId)
      return isFirst ? begin(actorId, value) : { actorId, type: `GO_${to}`, from: value, to: value }
    })
  })

function leafStates(machine: string): string[] {
  const { states = [] } = charts.get(machine) ?? {}
  return states.flatMap(({ id }) => (states.some(({ parent }) => parent === id) ? [] : [id]))
}

/** `live.open` as a state value. */
function valueOf(id: string): Json {
  return id.split('.').reduceRight<Json>((below, name) => (below === null ? name : { [name]: below }), null)
}

function expectWhole(machine: string, value: Json): void {
  const scene = openSources()
  const context = { surfaceId: 'ts-1' }
  const entries = entriesOf([begin(`${machine}:x`, value)])
  for (const entry of entries) scene.say(entry, { status: 'active', value, context })
  scene.add(entries)
  const { stream, take } = openStream(scene)
  stream.tellAll()
  const received: Sent[] = []
  const subscription = createBrowserReceiver({ window }).subscribe((event) => received.push(event))
  const sent = take()
  for (const data of sent) window.dispatchEvent(new MessageEvent('message', { data: structuredClone(data) }))
  subscription.unsubscribe()
  expect(received).toEqual(sent)
  const [actor] = received
  if (actor?.type !== '@xstate.actor') throw new Error('not registered first')
  const told = createMachine(z.looseObject({}).parse(JSON.parse(actor.definition ?? '')))
  const snapshot = told.resolveState(z.object({ value: z.any(), context: z.any() }).parse(actor.snapshot))
  const made = createActor(told, { snapshot }).getSnapshot()
  expect([told.id, made.value, made.context]).toEqual([machine, value, context])
  // The same members as a snapshot of XState has as JSON.
  expect(Object.keys(actor.snapshot)).toEqual(expect.arrayContaining(Object.keys(JSON.parse(JSON.stringify(made)))))
}

describe('the stream for inspectors', () => {
  it('INSPECT-UNASKED: without a viewer nothing is told, and nothing while the journal is still read', () => {
    const scene = openSources('loading')
    const { stream, take } = openStream(scene)
    scene.add(entriesOf([begin('session:s', { live: 'idle' })]))
    expect(take()).toEqual([])
    scene.add([], 'loading')
    stream.tellAll()
    scene.add(entriesOf([begin('turn:1:s', { live: 'calling' })], 2), 'loading')
    expect(take()).toEqual([])
    scene.add([], 'live')
    expect(take().map(({ type, sessionId }) => `${sessionId} ${type}`)).toEqual(
      ['session:s', 'turn:1:s'].flatMap((id) => ['actor', 'event', 'snapshot'].map((what) => `${id} @xstate.${what}`)),
    )
  })

  it.each([...charts.keys()])(
    'INSPECT-WHOLE: in each of its states XState makes a %s from what is told, and the real receiver passes it on',
    (machine) => {
      for (const id of leafStates(machine)) expectWhole(machine, valueOf(id))
    },
  )

  it(
    'INSPECT-LATE: a viewer that comes at any moment ends up knowing every actor where it stands, each registered before anything else is told of it',
    { timeout: 30_000 },
    () => {
      fc.assert(
        fc.property(arbitrarySteps, fc.array(fc.nat(3 * toldAgain), { maxLength: 4 }), (steps, cuts) => {
          const entries = entriesOf(steps)
          const scene = openSources()
          const { stream, take } = openStream(scene)
          const received = createReceived(() => 0)
          let sent: Sent[] = []
          let from = 0
          for (const cut of [...cuts, entries.length].toSorted((left, right) => left - right)) {
            scene.add(entries.slice(from, cut))
            from = Math.max(from, cut)
            if (cut >= entries.length) break
            take()
            stream.tellAll()
          }
          take()
          stream.tellAll()
          sent = take()
          const seen = new Set<string>()
          for (const { type, sessionId } of sent) {
            if (type === '@xstate.actor') seen.add(sessionId)
            expect(seen).toContain(sessionId)
          }
          expect(known(sent)).toEqual(standing(scene.index()))
          received.take(sent)
          const { index, alive } = received.feed.getState()
          expect(Array.from({ length: index.length }, (_, at) => JSON.stringify(index.entry(at)?.event))).not.toContain(
            JSON.stringify({ type: 'xstate.stop' }),
          )
          const stand = Object.entries(standing(scene.index()))
          expect(
            Object.fromEntries(
              index.tracks.map((track) => [track.actorId, index.entry(track.positions.at(-1) ?? -1)?.to]),
            ),
          ).toEqual(Object.fromEntries(stand.map(([id, one]) => [id, z.object({ value: z.json() }).parse(one).value])))
          const active = stand.flatMap(([id, one]) => (JSON.stringify(one).includes('"active"') ? [id] : []))
          expect([...(alive ?? [])].toSorted()).toEqual(active.toSorted())
        }),
        { numRuns: 20, endOnFailure: true },
      )
    },
  )

  it('INSPECT-ONCE: what comes behind a viewer is told once, in order, also where the older half of the journal is let go', () => {
    const scene = openSources()
    const { stream, take } = openStream(scene)
    scene.add(entriesOf([begin('session:s', { live: 'idle' }), { actorId: 'session:s', to: { live: 'running' } }]))
    stream.tellAll()
    take()
    const entries = entriesOf(
      Array.from({ length: 6 }, (_, n) => ({ actorId: 'session:s', type: `GO_${n}`, to: { live: 'running' } })),
      3,
    )
    scene.add(entries.slice(0, 2))
    scene.trim(entries)
    scene.add([])
    const told = take().flatMap((one) => (one.type === '@xstate.event' ? [one.event.type] : []))
    expect(told).toEqual(['GO_0', 'GO_1', 'GO_2', 'GO_3', 'GO_4', 'GO_5'])
  })

  it('INSPECT-ANEW: another life of the host is told from the beginning; who went with the last one is told as stopped', () => {
    const scene = openSources()
    const { stream, take } = openStream(scene)
    scene.add(entriesOf([begin('session:s', { live: 'idle' }), begin('turn:1:s', { live: 'calling' })]))
    stream.tellAll()
    take()
    scene.anew(entriesOf([begin('session:s', { live: 'idle' }), begin('surface:a', { live: 'open' })]))
    expect(take().flatMap((one) => (one.type === '@xstate.actor' ? [one.sessionId] : []))).toEqual([
      'session:s',
      'surface:a',
    ])
    scene.leave('surface:a')
    expect(known(take())).toEqual({ 'surface:a': { status: 'stopped', value: { live: 'open' } } })
  })

  it('INSPECT-PAGE: the actors of the page are told with their machines, as seen since', () => {
    const scene = openSources()
    scene.addOfPage(entriesOf([{ actorId: 'dock:s', type: watchedFromHere, to: 'absent' }]))
    const { stream, take } = openStream(scene)
    stream.tellAll()
    scene.addOfPage(entriesOf([{ actorId: 'dock:s', type: 'LOAD', from: 'absent', to: 'loading' }], 2))
    const sent = take()
    expect(sent.map(({ type, rootId }) => [type, rootId])).toEqual([
      ['@xstate.actor', 'dock:s'],
      ['@xstate.event', 'dock:s'],
      ['@xstate.snapshot', 'dock:s'],
    ])
    stream.dispose()
    scene.addOfPage(entriesOf([{ actorId: 'dock:s', type: 'LOAD', from: 'loading', to: 'loading' }], 3))
    expect(take()).toEqual([])
  })
})
