/* What can be done to the connection of a page from outside, and the walks that follow: the host greets, answers, refuses,
   falls silent or goes, time passes, the machine wakes, the person presses. Walked by `e2e/connection-paths.test.ts`. */
import { connectionMachine, type ConnectionSnapshot } from '../../machines/connection.ts'
import { pageWalks, type LeftOut, type Move } from './page-walks.ts'

export interface ConnectionWorld {
  /** `Does the host refuse this page?`, asked over HTTP after a socket that closed without a hello, and not yet answered. */
  questions: number
  /** A call of this connection waits for its answer. */
  waits: boolean
}
type ConnectionMove = Move<typeof connectionMachine, ConnectionWorld>

/** The clock stands still meanwhile, and chance is nil. */
export const chance = { at: 0, random: 0 }

function moves({ value, context }: ConnectionSnapshot, world: ConnectionWorld): ConnectionMove[] {
  const { questions } = world
  const online: ConnectionMove = { name: 'the machine comes online', events: [{ type: 'WOKEN' }], world }
  const refuse: ConnectionMove[] =
    questions === 0
      ? []
      : [{ name: 'it is refused', events: [{ type: 'REFUSED' }], world: { ...world, questions: questions - 1 } }]
  const press: ConnectionMove = { name: 'the person tries now', events: [{ type: 'TRY_NOW' }], world }
  const hello: ConnectionMove = {
    name: 'the host greets',
    events: [{ type: 'HELLO', bootId: `boot-${context.failures + 1}`, version: '0.1.0' }],
    world,
  }
  if (value === 'connecting') {
    return [
      { ...hello, world: { ...world, waits: true } },
      {
        name: 'the socket closes',
        events: [{ type: 'CLOSED', ...chance }],
        world: { ...world, questions: questions + 1 },
      },
      { name: 'no hello comes', events: [{ type: 'SILENT', ...chance }], world },
      online,
      ...refuse,
    ]
  }
  if (value === 'waiting') {
    return [{ name: 'the wait is over', events: [{ type: 'RETRY_DUE' }], world }, press, online, ...refuse]
  }
  if (value === 'refused') return [press, online, ...refuse]
  const gone = { ...world, waits: false }
  const close: ConnectionMove = { name: 'the socket closes', events: [{ type: 'CLOSED', ...chance }], world: gone }
  const doubt: ConnectionMove[] = world.waits
    ? [{ name: 'a call stays without answer', events: [{ type: 'DOUBT' }], world: gone }]
    : []
  const inBoth = [hello, close, online, ...doubt, ...refuse]
  if (typeof value === 'object' && value.up === 'steady') return inBoth
  // The call that waits began before the probe and has its time first; the probe is a call itself.
  const waited = world.waits ? [{ type: 'DOUBT' } as const] : []
  return [
    ...inBoth,
    { name: 'the probe is answered', events: [{ type: 'ANSWERED' }], world },
    {
      name: 'the probe stays silent',
      events: [...waited, { type: 'SILENT', ...chance }, { type: 'DOUBT' }],
      world: gone,
    },
  ]
}

export const { walks: connectionWalks, targets: connectionTargets } = pageWalks({
  machine: connectionMachine,
  start: { questions: 0, waits: false },
  moves,
  keyOf: ({ value, context }, world) =>
    JSON.stringify([value, context.everUp, { ...world, questions: Math.min(2, world.questions) }]),
  maxMoves: 24,
})

const up = ['up.steady', 'up.probing'] as const

export const connectionLeftOut: readonly LeftOut[] = [
  {
    states: ['waiting', 'refused'],
    events: ['HELLO', 'CLOSED', 'SILENT'],
    why: 'the page hears nothing of a socket that it let go, and its timer went with it',
  },
  { states: ['up.steady'], events: ['SILENT'], why: 'the hello has come, and no probe is out' },
  {
    states: ['connecting', 'up.steady', 'waiting', 'refused'],
    events: ['ANSWERED'],
    why: 'a probe that is out ends with the connection it was sent on',
  },
  {
    states: ['connecting', 'refused'],
    events: ['DOUBT'],
    why: 'calls end with their connection, and a new one makes none before its hello',
  },
  { states: ['connecting', ...up, 'refused'], events: ['RETRY_DUE'], why: 'the timer of a retry ends with the wait' },
  {
    states: ['connecting', ...up],
    events: ['TRY_NOW'],
    why: 'there is a button only while the page waits or is refused',
  },
]
