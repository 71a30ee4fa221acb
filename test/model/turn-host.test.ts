/* The turn machine against the real host: the model is scripted, the person steers and interrupts, and the host makes the
   events of the turn out of that. After each event the journal says what the machine says, payload included, and
   the log as much of it as it knows: whether the turn is open, its answers, the calls that wait, why it ended. */
import { afterAll, beforeAll, describe, expect as expectAtTop, it, type ExpectStatic } from 'vitest'
import type { EventFrom, SnapshotFrom } from 'xstate'
import { maxSteps, type turnMachine } from '../../machines/turn.ts'
import type { EventOf, SessionEvent, ToolMode } from '../../shared/event.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { LifecycleSession, LifecycleStage, moveOf, movesOf, titleOf } from './lifecycle-stage.ts'
import { entriesOfFirst, TurnDriver } from './turn-driver.ts'
import { endlessWalks, stoppedWalks, turnRefusals, turnWalks, type TurnPath } from './turn-host-paths.ts'

type Event = EventFrom<typeof turnMachine>
type Snapshot = SnapshotFrom<typeof turnMachine>

let stage: LifecycleStage
beforeAll(async () => {
  stage = await LifecycleStage.start()
}, 60_000)
afterAll(() => stage.close())

class Walk {
  readonly session: LifecycleSession
  readonly #driver: TurnDriver
  readonly #expect: ExpectStatic

  private constructor(session: LifecycleSession, expect: ExpectStatic) {
    this.session = session
    this.#driver = new TurnDriver(session)
    this.#expect = expect
  }

  static async begin(at: LifecycleStage, expect: ExpectStatic, toolMode?: ToolMode): Promise<Walk> {
    const session = await LifecycleSession.open(at, toolMode === undefined ? {} : { toolMode })
    await session.send()
    await session.call()
    return new Walk(session, expect)
  }

  static async with(expect: ExpectStatic, run: (walk: Walk) => Promise<void>, toolMode?: ToolMode): Promise<void> {
    const walk = await Walk.begin(stage, expect, toolMode)
    try {
      await run(walk)
    } finally {
      await walk.session.close()
    }
  }

  /** The first `count` steps; the state behind each is looked at unless the host leaves it by itself. */
  async go(path: TurnPath, count = path.steps.length): Promise<void> {
    await this.check(path, 0)
    for (const [index, { event, snapshot }] of path.steps.slice(0, count).entries()) {
      await this.#driver.perform(event, path.steps[index + 1]?.event)
      if (!snapshot.matches('ending')) await this.check(path, index + 1)
    }
  }

  /** As long as the model is asked; a tool that does not exist answers at once. Few tools make the two hundred requests short. */
  async goOn(path: TurnPath): Promise<void> {
    const { session } = this
    const isOver = () => session.view.eventsOf('turn/end').length > 0
    let calls = 0
    for (;;) {
      const call = await session.until(() => session.parkedCall ?? (isOver() && 'over'), 'a call or the end')
      if (call === 'over') break
      call.answerCalls([{ name: 'no_such_tool', arguments: {} }])
      calls += 1
    }
    this.#expect(calls).toBe(maxSteps)
    await session.until(() => this.#driver.entries.length > path.steps.length, 'the end of the turn')
    compare(this.#expect, this.#driver.entries, path, path.steps.length)
    this.#expect(session.view.eventsOf('turn/end')[0]?.data).toMatchObject({ reason: 'error' })
  }

  async check(path: TurnPath, count: number): Promise<void> {
    const at = path.steps[count - 1]?.snapshot ?? path.start
    const { session } = this
    await this.#driver.settle(at, count)
    if (at.matches({ live: 'waiting' })) this.#expect(session.view.status?.retry?.waitMs).toBe(this.#driver.waitMs)
    const log = (await session.log()) ?? []
    compare(this.#expect, this.#driver.entries, path, count)
    compareLog(this.#expect, log, at)
  }
}

function compare(expect: ExpectStatic, entries: readonly JournalEntry[], path: TurnPath, count: number): void {
  const [started, ...moves] = entries.map(moveOf)
  expect(started).toMatchObject({ type: 'xstate.init', from: null, accepted: true })
  expect(moves).toEqual(movesOf(path, count))
  expect(entries.slice(1).map(({ event }) => withoutCause(event))).toEqual(
    path.steps.slice(0, count).map(({ event }) => toldAs(event)),
  )
}

function withoutCause(event: JournalEntry['event']): object {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return {}
  const said = Object.entries(event).filter(([key]) => key !== 'cause')
  return Object.fromEntries(said.map(([key, value]) => [key, typeof value === 'number' ? value > 0 : value]))
}

/** As the host tells it: of an answer that was stopped no call is kept. */
function toldAs(event: Event): object {
  return event.type === 'ANSWERED' ? { ...event, calls: event.calls > 0 && event.stop === null } : event
}

function compareLog(expect: ExpectStatic, log: readonly SessionEvent[], at: Snapshot): void {
  const { step, reason } = at.context
  const end = log.find((entry): entry is EventOf<'turn/end'> & SessionEvent => isEnd(entry))
  expect(end?.type === 'turn/end' ? end.data.reason : null).toBe(at.matches('ended') ? reason : null)
  const before = log.slice(0, end === undefined ? undefined : log.indexOf(end))
  const count = (type: SessionEvent['type']) => before.filter((entry) => entry.type === type).length
  const isActing = at.matches({ live: 'acting' })
  expect(count('tool/call') - count('tool/result')).toBe(isActing ? 1 : 0)
  if (at.matches('live')) expect(count('assistant/message')).toBe(step + (isActing ? 1 : 0))
}

const isEnd = (entry: SessionEvent): boolean => entry.type === 'turn/end' && entry.data.turn === 1

const ruleOf: Readonly<Record<Event['type'], string>> = {
  ANSWERED: 'one-answer',
  ACTED: 'conclude',
  FAILED: 'retry-bound',
  RETRY: 'retry-bound',
  INTERRUPT: 'interrupt',
  ENDED: 'one-answer',
}

/** Types alone would give many paths one name. */
function detailOf(path: TurnPath): string {
  const words = path.steps.map(({ event }) => {
    const said = Object.entries(event).flatMap(([key, value]) =>
      key === 'type' || value === false || value === null || value === 0 ? [] : [value === true ? key : String(value)],
    )
    return said.length === 0 ? event.type : `${event.type} (${said.join(', ')})`
  })
  return words.join(' → ')
}

const ruleOfEnd = ({ steps }: TurnPath): string =>
  ruleOf[steps.findLast(({ event }) => event.type !== 'ENDED')?.event.type ?? 'ENDED']

describe('every edge of the turn machine, on a real host', () => {
  it.concurrent.for(turnWalks.map((path) => ({ path, rule: ruleOfEnd(path), title: detailOf(path) })))(
    '$rule: $title',
    ({ path }, { expect }) => Walk.with(expect, (walk) => walk.go(path)),
  )

  it.concurrent.for(endlessWalks.map((path) => ({ path })))(
    'step-bound: a model that asks for call after call is cut at the last step',
    ({ path }, { expect }) => Walk.with(expect, (walk) => walk.goOn(path), 'code'),
  )
})

describe('what the turn machine refuses, on a real host', () => {
  it.concurrent.for(turnRefusals.map(({ path, event }) => ({ path, event, title: detailOf(path) })))(
    'interrupt: after $title, $event.type changes nothing',
    ({ path, event }, { expect }) =>
      Walk.with(expect, async (walk) => {
        await walk.go(path)
        expect(event.type).toBe('INTERRUPT')
        await walk.session.interrupt()
        await walk.check(path, path.steps.length)
      }),
  )
})

it('interrupt: a host that stops cuts turns wherever they are, and the next one can tell', async () => {
  const ending = await LifecycleStage.start()
  try {
    const walks = await Promise.all(
      stoppedWalks.map(async (path) => {
        const walk = await Walk.begin(ending, expectAtTop)
        await walk.go(path, path.steps.length - 2)
        return { path, sessionId: walk.session.sessionId }
      }),
    )
    expectAtTop(walks.map(({ path }) => titleOf(path))).toHaveLength(3)
    await ending.host.kill('SIGTERM')
    await ending.restart()
    for (const { path, sessionId } of walks) {
      const { client } = await LifecycleSession.open(ending)
      const { entries } = await client.call('inspect.journal', { sessionId, limit: 500 })
      const own = entriesOfFirst(entries)
      compare(expectAtTop, own, path, path.steps.length)
      const { events } = await client.call('session.history', { sessionId, limit: 500 })
      const last = path.steps.at(-1)
      if (last !== undefined) compareLog(expectAtTop, events, last.snapshot)
    }
  } finally {
    await ending.close()
  }
})
