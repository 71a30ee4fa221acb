/* Runs one case of `sequences.json` against a real host over a real socket, as `test/fixtures/HARNESS.md` says. After
   each command it compares the reply, waits until everything that was seen equals what the steps expect, asks for history
   on the same socket to know that nothing further came, and compares once more. It decides nothing about Task Surface:
   what is right stands in the fixture and in `counted-log.ts`. */
import { isDeepStrictEqual } from 'node:util'
import type { AdmissionGate } from './admission-gate.ts'
import { Changes } from './changes.ts'
import { Client, type Address } from './client.ts'
import { countedEvents, isTurnOpen, userTexts } from './counted-log.ts'
import { scriptedAgent, type ModelCall, type ScriptedModel } from './scripted-model.ts'
import { Bindings } from './sequence-bindings.ts'
import type { SequenceCase, SessionName, Step } from './sequence-cases.ts'
import { performCommand } from './sequence-commands.ts'
import { SequenceSession } from './sequence-session.ts'

export interface SequenceStage {
  /** Where the host listens now. */
  address(): Address
  model: ScriptedModel
  /** Null: the host runs without the admission hook. */
  gate: AdmissionGate | null
  /** Kills the host and starts it again on the same data; null where the case shares its host with others. */
  restart: (() => Promise<void>) | null
  models: Readonly<Record<string, unknown>>
  /** Unique among the cases that share the model server. */
  tag: string
  deadlineMs?: number
}

/** Rejects with the step, the expectation and what was seen instead. */
export async function runSequence(sequence: SequenceCase, stage: SequenceStage): Promise<void> {
  const run = new SequenceRun(sequence, stage)
  try {
    await run.start()
    for (const [index, step] of sequence.steps.entries()) {
      await run.step(step).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause)
        const at = `step ${index + 1} ${JSON.stringify(step.command)} → ${JSON.stringify(step.reply)}`
        throw new Error(`${sequence.name}, ${at}\n${reason}\nbindings ${run.bindings}`, { cause })
      })
    }
    await run.finish()
  } finally {
    await run.dispose()
  }
}

export class SequenceRun {
  readonly bindings = new Bindings()
  readonly stage: SequenceStage
  readonly changes: Changes
  readonly #sequence: SequenceCase
  readonly #sessions = new Map<SessionName, SequenceSession>()
  readonly #unwatch: (() => void)[]
  #client: Client | null = null

  constructor(sequence: SequenceCase, stage: SequenceStage) {
    this.#sequence = sequence
    this.stage = stage
    this.changes = new Changes(stage.deadlineMs)
    this.#unwatch = [stage.model.watchers.add(this.changes)]
    if (stage.gate !== null) this.#unwatch.push(stage.gate.watchers.add(this.changes))
  }

  get client(): Client {
    if (this.#client === null) throw new Error('not connected')
    return this.#client
  }

  /** Null where this case is not gated, whatever its host is. */
  get gate(): AdmissionGate | null {
    return this.#sequence.gate ? this.stage.gate : null
  }

  async start(): Promise<void> {
    if (this.#sequence.gate && this.stage.gate === null) throw new Error('a gated case needs a host with the hook')
    this.#client = await Client.connect(this.stage.address(), this.changes)
    const { session } = await this.client.call('session.create', {
      agent: scriptedAgent,
      approval: 'auto',
      toolMode: 'native',
    })
    await this.adopt('A', session.id)
  }

  session(name: SessionName = 'A'): SequenceSession {
    const session = this.#sessions.get(name)
    if (session === undefined) throw new Error(`there is no session ${name}`)
    return session
  }

  async adopt(name: SessionName, sessionId: string): Promise<void> {
    this.gate?.guard(sessionId)
    await this.client.open(sessionId)
    const { bindings, client } = this
    this.#sessions.set(name, new SequenceSession({ sessionId, client, bindings, tag: this.stage.tag }))
  }

  async step(step: Step): Promise<void> {
    this.changes.assertSound()
    await performCommand(this, step)
    const { command } = step
    if (command.cmd === 'restart') {
      for (const event of step.appended ?? []) this.session(event.session).expect({ repairs: [event] })
    } else this.session(command.session).expect(step)
    if (step.passing !== true || this.gate !== null) await this.#settle(step)
  }

  /** The last steps may be passing ones. */
  async finish(): Promise<void> {
    for (const [name, session] of this.#sessions) {
      const difference = () => session.differenceInPassing()
      await this.changes.until(
        () => difference() === null,
        () => `the end of session ${name}: ${difference()}`,
      )
    }
    for (const { sessionId } of this.#sessions.values()) {
      this.stage.gate?.unguard(sessionId)
      await this.client.call('session.remove', { sessionId })
    }
    const left = () => this.parkedCalls().map(({ callNo }) => callNo)
    await this.changes.until(
      () => left().length === 0,
      () => `the host to leave model calls ${left().join(', ')}`,
    )
  }

  async dispose(): Promise<void> {
    for (const { sessionId } of this.#sessions.values()) this.stage.gate?.unguard(sessionId)
    for (const unwatch of this.#unwatch) unwatch()
    await this.#client?.close()
  }

  async restart(): Promise<void> {
    if (this.stage.restart === null) throw new Error('this case shares its host')
    const before = this.client
    await this.stage.restart()
    await before.closed
    this.#client = await Client.connect(this.stage.address(), this.changes)
    for (const session of this.#sessions.values()) {
      await this.client.open(session.sessionId)
      session.reopened(this.client)
    }
  }

  /** Calls of this case that wait for an answer. */
  parkedCalls(): ModelCall[] {
    return this.stage.model.calls.filter((call) => call.isParked && call.userTexts[0]?.startsWith(`${this.stage.tag} `))
  }

  /** The parked call of one session: it has read exactly what counts there. */
  parkedCall(session: SequenceSession): ModelCall | undefined {
    const texts = userTexts(session.counted)
    return this.parkedCalls().find((call) => isDeepStrictEqual(call.userTexts, texts))
  }

  async #settle(step: Step): Promise<void> {
    const difference = () => this.#difference(step)
    await this.changes.until(
      () => difference() === null,
      () => difference() ?? 'nothing',
    )
    for (const [name, session] of this.#sessions) await this.#compareHistory(name, session)
    const further = difference()
    if (further !== null) throw new Error(`something further came: ${further}`)
    await this.#comparePending(step)
    for (const session of this.#sessions.values()) session.settle()
  }

  #difference(step: Step): string | null {
    let running = 0
    for (const [name, session] of this.#sessions) {
      const state = step.then[name]
      const differs = session.difference() ?? (state === undefined ? null : session.stateDifference(state))
      if (differs !== null) return `session ${name}: ${differs}`
      if (session.view.renewals > 0) return `session ${name} began anew by itself`
      if (!isTurnOpen(session.counted) || state?.running === false) continue
      running += 1
      if (this.parkedCall(session) === undefined) return `session ${name}: no model call is parked`
    }
    const parked = this.parkedCalls().length
    return parked === running ? null : `${parked} model calls are parked, ${running} turns run`
  }

  /** On the same socket: every frame published before the answer has arrived with it. */
  async #compareHistory(name: SessionName, session: SequenceSession): Promise<void> {
    const { events, hasMore } = await this.client.call('session.history', { sessionId: session.sessionId, limit: 500 })
    session.read()
    if (hasMore) throw new Error('a case with more than 500 messages')
    const counted = countedEvents(session.log)
    if (!isDeepStrictEqual(events, counted)) {
      throw new Error(
        `history of ${name}: ${JSON.stringify(events)}\ncounted by the harness: ${JSON.stringify(counted)}`,
      )
    }
  }

  async #comparePending(step: Step): Promise<void> {
    for (const [name, session] of this.#sessions) {
      const active = step.then[name]?.active
      if (active === undefined || active === null) continue
      const { sessionId } = session
      const surfaceId = this.bindings.known(active.surface)
      const answer = await this.client.call('taskSurface.getActive', { sessionId, surfaceId })
      const wanted =
        active.pending === null ? null : { ...active.pending, messageId: this.bindings.known(active.pending.messageId) }
      if (!answer.active || !isDeepStrictEqual(answer.pending, wanted)) {
        throw new Error(`pending of ${name}: expected ${JSON.stringify(wanted)}; getActive ${JSON.stringify(answer)}`)
      }
    }
  }
}
