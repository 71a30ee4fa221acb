/* The session machine while an append is in flight: committing, calling, reloading. No client of a host in a process of
   its own can stand there for sure, so this one runs in the test's: the same sessions, sockets and LevelDB, with
   writes that wait until the test lets them go. */
import { describe, it, type ExpectStatic } from 'vitest'
import { queueRefusal } from '../../machines/session.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import { levelMedium } from '../contract/log-backends.ts'
import { controlStore, type ControlledStore, type HeldGroup } from '../contract/log-controlled-store.ts'
import { isTurnOpen } from '../harness/counted-log.ts'
import { startInProcessHost, type InProcessHost } from '../harness/in-process-host.ts'
import { startScriptedModel } from '../harness/scripted-model.ts'
import { moveOf, movesOf, type Move } from './lifecycle-stage.ts'
import { SessionDriver } from './session-driver.ts'
import {
  detailOf,
  heldRefusals,
  heldWalks,
  isHeld,
  type SessionEvent,
  type SessionPath,
  type SessionSnapshot,
} from './session-host-paths.ts'

const question = { questions: [{ id: 'q', question: 'Which one?' }] }

class Walk {
  readonly #host: InProcessHost
  readonly #control: ControlledStore
  readonly #driver: SessionDriver
  readonly #expect: ExpectStatic
  readonly #before: number
  readonly #refused: Move[] = []
  /** The append that is in flight. */
  #group: HeldGroup | null = null
  #rewind: Promise<unknown> | null = null
  #isLetGo = false

  private constructor(host: InProcessHost, control: ControlledStore, driver: SessionDriver, expect: ExpectStatic) {
    this.#host = host
    this.#control = control
    this.#driver = driver
    this.#expect = expect
    this.#before = driver.session.entriesOf('session').length
  }

  static async along(path: SessionPath, expect: ExpectStatic, then?: (walk: Walk) => Promise<void>): Promise<void> {
    const medium = await levelMedium()
    const model = await startScriptedModel()
    const control = controlStore(await medium.open())
    const host = await startInProcessHost(control.store, model.baseUrl)
    const stage = { address: host.address, model, gate: null, nextTag: () => 'path' }
    const driver = await SessionDriver.open(stage, false)
    const walk = new Walk(host, control, driver, expect)
    try {
      control.hold()
      await walk.#go(path)
      await then?.(walk)
    } finally {
      walk.#letGo()
      await walk.#rewind
      await walk.#endTurn()
      driver.session.client.drop()
      await host.close()
      await Promise.all([model.close(), medium.dispose()])
    }
  }

  async #go(path: SessionPath): Promise<void> {
    for (const [index, { event, snapshot }] of path.steps.entries()) {
      await this.#perform(event, path.steps[index - 1]?.snapshot ?? path.start)
      if (!isPassedThrough(snapshot)) await this.check(path, index + 1)
    }
  }

  async #perform(event: SessionEvent, before: SessionSnapshot): Promise<void> {
    switch (event.type) {
      case 'CALL':
        return this.#call()
      case 'REWIND':
        // Answered once it is written.
        this.#rewind = this.#driver.perform(event, before, { type: 'END' })
        return
      case 'END':
      case 'COMMIT':
        this.#letGo()
        await this.#rewind
        return
      default: {
        const reply = await this.#driver.perform(event, before, undefined)
        if (reply !== null) this.#expect(reply).toMatchObject({ ok: true })
      }
    }
  }

  /** What an agent elsewhere does; its question keeps the turn open. */
  #call(): void {
    const runtime = this.#host.directory.live(sessionIdSchema.parse(this.#driver.session.sessionId))
    const call = { name: 'ask_user_question', arguments: JSON.stringify(question) }
    void runtime?.claims.outside.make(call, new AbortController().signal)
  }

  /** The append in flight is written, and every later one as it comes. */
  #letGo(): void {
    if (this.#isLetGo) return
    this.#isLetGo = true
    const pump = async (): Promise<void> => {
      for (;;) {
        await this.#group?.write()
        this.#group = await this.#control.nextGroup()
      }
    }
    void pump()
  }

  /** A turn that has begun asks the model or the person first, and is then cut. */
  async #endTurn(): Promise<void> {
    const { session } = this.#driver
    const isOver = () => session.view.status?.status === 'idle'
    const begun = () => session.parkedCall !== undefined || session.view.questions.size > 0
    const isExpected = session.entriesOf('session').some((entry) => ['ISSUE', 'CALL'].includes(moveOf(entry).type))
    if (!isExpected) return
    await session.until(() => session.view.eventsOf('turn/end').length > 0 || begun(), 'the turn under way')
    await session.interrupt()
    await session.until(() => session.view.eventsOf('turn/end').length > 0 && isOver(), 'the end of the turn')
  }

  async check(path: SessionPath, count: number): Promise<void> {
    const at = path.steps[count - 1]?.snapshot ?? path.start
    const { session } = this.#driver
    const own = () => session.entriesOf('session').slice(this.#before)
    const expected = [...movesOf(path, count), ...this.#refused]
    await session.until(() => own().length >= expected.length, `${expected.length} transitions of the session`)
    const isHere = isHeld(at)
    if (isHere) this.#group ??= await this.#control.nextGroup()
    const log = await session.log()
    // What is no longer held goes on by itself.
    this.#expect(
      own()
        .slice(0, isHere ? undefined : expected.length)
        .map(moveOf),
    ).toEqual(expected)
    if (!isHere) return
    this.#expect(isTurnOpen(log ?? [])).toBe(false)
    this.#expect(session.view.status?.status).toBe('idle')
    this.#expect(session.view.queue.map(({ messageId }) => messageId)).toEqual(
      at.context.rows.map((row) => this.#driver.messageOf(row)),
    )
  }

  async refuse(event: SessionEvent, at: SessionSnapshot): Promise<void> {
    this.#expect(await this.#driver.perform(event, at, undefined)).toMatchObject(answerTo(event, at))
    this.#refused.push({ type: event.type, from: at.value, to: at.value, accepted: false })
  }
}

/** Left without a write in between. */
const isPassedThrough = (snapshot: SessionSnapshot): boolean =>
  snapshot.matches({ live: 'boundary' }) || snapshot.matches({ live: 'claiming' })

function answerTo(event: SessionEvent, at: SessionSnapshot): object {
  if (event.type === 'EDIT' || event.type === 'STEER' || event.type === 'REMOVE') {
    return { ok: false, error: { data: { code: queueRefusal(at, event) } } }
  }
  return event.type === 'INTERRUPT' ? { ok: true } : { ok: false, error: { data: { code: 'session-busy' } } }
}

describe('what comes while an append is in flight, on a host whose writes are held', () => {
  it.for(heldWalks.map((path) => ({ path, title: detailOf(path) })))(
    'interrupt-claim, call, reload: $title',
    ({ path }, { expect }) => Walk.along(path, expect),
  )

  const refusedByPath = new Map<string, typeof heldRefusals>()
  for (const refusal of heldRefusals) {
    const title = detailOf(refusal.path)
    refusedByPath.set(title, [...(refusedByPath.get(title) ?? []), refusal])
  }

  it.for([...refusedByPath].map(([title, refused]) => ({ title, refused })))(
    'busy: after $title nothing that is refused changes anything',
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
