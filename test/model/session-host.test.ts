/* The session machine against the real host: rows, claims, turns, rewinds and the end. Behind every event where the host
   waits for somebody, the journal says what the machine says, the queue has its rows in its order, and the log
   knows whether a turn is open and which messages were committed. */
import { afterAll, beforeAll, describe, it, type ExpectStatic } from 'vitest'
import { queueRefusal } from '../../machines/session.ts'
import { isTurnOpen } from '../harness/counted-log.ts'
import { LifecycleStage, moveOf, movesOf, type Move } from './lifecycle-stage.ts'
import { answersSurface, SessionDriver } from './session-driver.ts'
import {
  detailOf,
  isStable,
  sessionRefusals,
  sessionWalks,
  type SessionEvent,
  type SessionPath,
  type SessionSnapshot,
} from './session-host-paths.ts'

let stage: LifecycleStage
beforeAll(async () => {
  stage = await LifecycleStage.start()
}, 60_000)
afterAll(() => stage.close())

class Walk {
  readonly driver: SessionDriver
  readonly #expect: ExpectStatic
  /** Transitions before the path begins. */
  readonly #before: number
  /** What was refused on the way, behind the path. */
  readonly #refused: Move[] = []
  #committed = 0

  private constructor(driver: SessionDriver, expect: ExpectStatic) {
    this.driver = driver
    this.#expect = expect
    this.#before = driver.session.entriesOf('session').length
  }

  static async along(path: SessionPath, expect: ExpectStatic, then?: (walk: Walk) => Promise<void>): Promise<void> {
    const driver = await SessionDriver.open(stage, answersSurface(path))
    try {
      const walk = new Walk(driver, expect)
      await walk.#go(path)
      await then?.(walk)
    } finally {
      await driver.session.close()
    }
  }

  async #go(path: SessionPath): Promise<void> {
    await this.check(path, 0)
    for (const [index, { event, snapshot }] of path.steps.entries()) {
      const before = path.steps[index - 1]?.snapshot ?? path.start
      const reply = await this.driver.perform(event, before, path.steps[index + 1]?.event)
      const isRefusedTarget = event.type === 'REWIND' && path.steps[index + 1]?.event.type === 'RESUME'
      if (reply !== null && !isRefusedTarget) this.#expect(reply).toMatchObject({ ok: true })
      if (isRefusedTarget) this.#expect(reply).toMatchObject({ ok: false, error: { code: -32602 } })
      if (event.type === 'COMMIT') this.#committed += 1
      if (isStable(snapshot)) await this.check(path, index + 1)
    }
  }

  async check(path: SessionPath, count: number): Promise<void> {
    const at = path.steps[count - 1]?.snapshot ?? path.start
    const { session } = this.driver
    const own = () => session.entriesOf('session').slice(this.#before)
    const expected = [...movesOf(path, count), ...this.#refused]
    await session.until(() => own().length >= expected.length, `${expected.length} transitions of the session`)
    await this.driver.settle(at)
    const log = await session.log()
    const byPath = this.#before + expected.length
    const isRewound = path.steps[count - 2]?.event.type === 'REWIND' && at.matches('ended')
    // After a rewind the session begins anew: what its next actor does is not of this path.
    this.#expect(
      session
        .entriesOf('session')
        .slice(this.#before, isRewound ? byPath : undefined)
        .map(moveOf),
    ).toEqual(expected)
    if (at.matches('ended')) {
      this.#expect(log?.map(({ type }) => type) ?? null).toEqual(isRewound ? ['session/created'] : null)
      return
    }
    this.#expect(isTurnOpen(log ?? [])).toBe(at.matches({ live: 'running' }))
    this.#expect(session.view.status?.status).toBe(at.matches({ live: 'running' }) ? 'running' : 'idle')
    this.#expect(this.#queue()).toEqual(
      at.context.rows.map((row) => ({ messageId: this.driver.messageOf(row), placement: row.placement })),
    )
    const turns = (log ?? []).filter(({ type }) => type === 'turn/start').length
    this.#expect(turns).toBe(this.#committed + (answersSurface(path) ? 1 : 0))
  }

  #queue() {
    return this.driver.session.view.queue.map(({ messageId, placement }) => ({ messageId, placement }))
  }

  /** Does what would stand for the event and looks at what the host answers. */
  async refuse(event: SessionEvent, at: SessionSnapshot): Promise<void> {
    const reply = await this.driver.perform(event, at, undefined)
    if (at.matches('ended')) {
      this.#expect(reply).toMatchObject({ ok: false, error: { code: -32004 } })
      return
    }
    this.#expect(reply).toMatchObject(answerTo(event, at))
    this.#refused.push({ type: event.type, from: at.value, to: at.value, accepted: false })
  }
}

function answerTo(event: SessionEvent, at: SessionSnapshot): object {
  switch (event.type) {
    case 'EDIT':
    case 'STEER':
    case 'REMOVE':
      return { ok: false, error: { data: { code: queueRefusal(at, event) } } }
    case 'CONFIGURE':
    case 'REWIND':
      return { ok: false, error: { data: { code: 'session-busy' } } }
    default:
      // Asked for once too often, an interrupt has nothing to do.
      return { ok: true }
  }
}

const ruleOf: Readonly<Record<SessionEvent['type'], string>> = {
  ENQUEUE: 'row-order',
  EDIT: 'locked-rows',
  STEER: 'steer-running',
  REMOVE: 'row-order',
  WAKE: 'wake',
  CALL: 'call',
  CLAIM: 'claim-order',
  ISSUE: 'one-claim',
  COMMIT: 'one-claim',
  DISCARD: 'one-claim',
  JOIN: 'steer-running',
  INTERRUPT: 'interrupt-claim',
  TURN_ENDED: 'left-steering',
  CONFIGURE: 'busy',
  REWIND: 'reload',
  RESUME: 'reload',
  END: 'ended-once',
}

describe('every edge of the session machine, on a real host', () => {
  it.concurrent.for(
    sessionWalks.map((path) => ({
      path,
      rule: ruleOf[path.steps.at(-1)?.event.type ?? 'END'],
      title: detailOf(path),
    })),
  )('$rule: $title', ({ path }, { expect }) => Walk.along(path, expect))
})

const refusedByPath = new Map<string, typeof sessionRefusals>()
for (const refusal of sessionRefusals) {
  const title = detailOf(refusal.path)
  refusedByPath.set(title, [...(refusedByPath.get(title) ?? []), refusal])
}

describe('what the session machine refuses, on a real host', () => {
  it.concurrent.for([...refusedByPath].map(([title, refused]) => ({ title, refused })))(
    'busy, row-order, locked-rows: after $title nothing that is refused changes anything',
    async ({ refused }, { expect }) => {
      const [first] = refused
      if (first === undefined) return
      const { path } = first
      await Walk.along(path, expect, async (walk) => {
        const at = path.steps.at(-1)?.snapshot ?? path.start
        for (const { event } of refused) await walk.refuse(event, at)
        await walk.check(path, path.steps.length)
      })
    },
  )
})
