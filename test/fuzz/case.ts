/* One case from its seed: bursts of moves from three sockets, a model and an admission hook with moods of their own, hosts
   that die in between; then rest, and everything that must hold, before and after a last restart. */
import { setImmediate } from 'node:timers/promises'
import { converge } from './convergence.ts'
import { checkFates } from './fates.ts'
import { ModelMood } from './model-mood.ts'
import { create, hurry, randomMove, sendText } from './moves.ts'
import { OutsideAgent } from './outside-agent.ts'
import { Random } from './random.ts'
import { maxSteps } from '../../machines/turn.ts'
import { textOfShown } from './screen.ts'
import { World, type Counts } from './world.ts'

const bursts = 45
/** Every so many cases begin with a turn that runs into its bound. */
const endlessEvery = 20

export interface CaseOptions {
  /** Arrows taken, over all cases. */
  taken: Map<string, number>
}

export async function playCase(seed: number, { taken }: CaseOptions): Promise<Counts & { moves: number }> {
  const random = new Random(seed)
  const world = await World.open(random, taken)
  try {
    const play = new Case(world, random)
    await play.run(seed)
    return { ...world.counts, moves: play.moves }
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${world.host.stderr}`, { cause })
  } finally {
    await world.close()
  }
}

class Case {
  moves = 0
  readonly #world: World
  readonly #random: Random
  readonly #mood: ModelMood
  readonly #outside: OutsideAgent
  readonly #guarded = new Set<string>()

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    this.#mood = new ModelMood(random.fork())
    this.#outside = new OutsideAgent(world, random.fork())
  }

  async run(seed: number): Promise<void> {
    const world = this.#world
    await create({ world, index: 0 })
    await world.watchAll()
    if (seed % endlessEvery === 0) await this.#endlessTurn()
    for (let burst = 0; burst < bursts; burst += 1) await this.#burst()
    await this.#rest()
    await checkFates(world)
    await world.stop(this.#random.one('SIGKILL', 'SIGTERM'))
    await world.start()
    await this.#rest()
    await checkFates(world)
    await world.stop('SIGTERM')
  }

  async #burst(): Promise<void> {
    const world = this.#world
    const random = this.#random
    const running = Array.from({ length: 1 + random.below(5) }, () => this.#move())
    if (random.chance(0.06)) await this.#restart(running)
    else {
      if (random.chance(0.1)) this.#callFromOutside(running)
      this.#moveGate()
      await Promise.all(running)
      for (const call of world.model.calls) if (call.isParked && random.chance(0.6)) this.#mood.answer(call)
      if (random.chance(0.3)) this.#mood.finishStreams()
      await world.watchAll()
    }
    if (random.chance(0.12)) await converge(world)
  }

  #move(): Promise<void> {
    this.moves += 1
    return randomMove(this.#world)
  }

  /** Somebody may write or interrupt in the very moment in which its turn begins. */
  #callFromOutside(running: Promise<void>[]): void {
    const world = this.#world
    this.#outside.call()
    const sessionId = this.#outside.sessionId
    if (sessionId !== null && this.#random.chance(0.7)) running.push(hurry({ world, index: 0, sessionId }))
  }

  /** In the middle of what is asked. */
  async #restart(running: readonly Promise<void>[]): Promise<void> {
    const world = this.#world
    for (let turns = this.#random.below(40); turns > 0; turns -= 1) await setImmediate()
    const stopped = world.stop(this.#random.one('SIGKILL', 'SIGKILL', 'SIGTERM'))
    await Promise.all([stopped, ...running])
    await world.start()
  }

  /** Mostly where a form is answered: that is what can be given back. */
  #moveGate(): void {
    const { gate, sessionIds, observer } = this.#world
    const random = this.#random
    const answering = sessionIds.filter((id) => observer.shown(id)?.pending !== null)
    const sessionId = random.pick(random.chance(0.6) && answering.length > 0 ? answering : sessionIds)
    if (sessionId === undefined) return
    if (!this.#guarded.has(sessionId)) {
      if (!random.chance(answering.includes(sessionId) ? 0.7 : 0.2)) return
      this.#guarded.add(sessionId)
      gate.guard(sessionId)
      return
    }
    if (random.chance(0.15)) {
      this.#guarded.delete(sessionId)
      gate.unguard(sessionId)
    } else if (gate.heldAdmission(sessionId) !== undefined) {
      gate.decide(sessionId, random.chance(0.5) ? { admit: true } : { admit: false, reason: 'Not now.' })
    } else gate.pass(sessionId)
  }

  /** Answers whatever waits until nothing does, and sees that all sockets show it. */
  async #rest(): Promise<void> {
    const world = this.#world
    for (const sessionId of this.#guarded) world.gate.unguard(sessionId)
    this.#guarded.clear()
    await world.watchAll()
    const asked = new Set<string>()
    const isAtRest = () => {
      this.#mood.finishStreams()
      for (const call of world.model.calls) if (call.isParked) call.answerText('So be it.')
      for (const sessionId of world.sessionIds) this.#resolve(sessionId, asked)
      // A child session that began meanwhile.
      const isNew = (sessionId: string) => world.observer.shown(sessionId) === null
      for (const id of world.sessionIds.filter(isNew)) this.#once(asked, id, () => world.watchAll())
      return world.sessionIds.every((sessionId) => this.#isResting(sessionId)) && !this.#outside.isBusy
    }
    const describe = () =>
      `rest\n${world.sessionIds
        .filter((sessionId) => !this.#isResting(sessionId))
        .map((sessionId) => {
          const shown = world.observer.shown(sessionId)
          const state = JSON.stringify(world.replay.session(sessionId)?.value)
          return `${sessionId} ${state}: ${shown === null ? 'not open' : textOfShown(shown)}`
        })
        .join('\n')}${this.#outside.isBusy ? '\na call from outside' : ''}`
    await world.changes.until(isAtRest, describe)
    await converge(world)
    await world.changes.until(isAtRest, describe)
  }

  #isResting(sessionId: string): boolean {
    const world = this.#world
    const shown = world.observer.shown(sessionId)
    const actor = world.replay.session(sessionId)
    const isIdle = actor === undefined || actor.status !== 'active' || actor.matches({ live: 'idle' })
    const isWorking =
      shown?.tasks.some(({ status, label }) => status === 'running' && !label.includes('sleep 60')) ?? true
    return isIdle && shown?.status?.status === 'idle' && shown.queue.length === 0 && !isWorking
  }

  #resolve(sessionId: string, asked: Set<string>): void {
    const { observer } = this.#world
    const shown = observer.shown(sessionId)
    for (const questionId of shown?.questions.keys() ?? []) {
      this.#once(asked, questionId, () =>
        observer.client.call('question.answer', { sessionId, questionId, answers: null }),
      )
    }
    for (const approvalId of shown?.approvals.keys() ?? []) {
      this.#once(asked, approvalId, () =>
        observer.client.call('approval.decide', { sessionId, approvalId, decision: 'deny' }),
      )
    }
  }

  #once(asked: Set<string>, id: string, ask: () => Promise<unknown>): void {
    if (asked.has(id)) return
    asked.add(id)
    ask().catch((cause: unknown) => this.#world.changes.fail(cause instanceof Error ? cause : new Error(String(cause))))
  }

  async #endlessTurn(): Promise<void> {
    const world = this.#world
    const [sessionId = ''] = world.sessionIds
    await sendText({ world, index: 0, sessionId }, world.newId('m'), 'go on for ever', 'queued')
    for (let step = 0; step < maxSteps; step += 1) {
      const call = await world.changes.until(() => world.model.calls.find((one) => one.isParked), `step ${step}`)
      call.answerCalls([{ name: 'task_list', arguments: {} }])
    }
    await world.changes.until(() => world.observer.shown(sessionId)?.status?.status === 'idle', 'the end of the turn')
  }
}
