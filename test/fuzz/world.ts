/* One case: a real host on a data folder of its own, three sockets that come and go, a fourth that sees everything, a
   scripted model and the admission hook. It carries requests and restarts and keeps the book; `moves.ts` says what is
   asked, `convergence.ts` and `fates.ts` what must hold. */
import { errorCodes } from '../../shared/protocol/errors.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import type { MethodName, Result } from '../../shared/protocol/methods.ts'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { Changes } from '../harness/changes.ts'
import { Client, type Reply } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'
import { Book } from './book.ts'
import type { Random } from './random.ts'
import { Replay } from './replay.ts'
import { Screen, type Listener } from './screen.ts'

/** Two lanes on two busy cores: far above what any answer needs. */
const deadlineMs = 30_000

/** What became of a request: an answer, or the host or the socket went first. */
export type Outcome<Value> = Reply<Value> | null

export interface Counts {
  requests: number
  restarts: number
  reconnects: number
  frames: number
  transitions: number
}

export class World {
  readonly random: Random
  readonly changes = new Changes(deadlineMs)
  readonly book = new Book()
  readonly model: ScriptedModel
  readonly gate: AdmissionGate
  readonly folder: HostFolder
  readonly counts: Counts = { requests: 0, restarts: 0, reconnects: 0, frames: 0, transitions: 0 }
  /** Those that are there, in the order in which they were seen. */
  sessionIds: string[] = []
  /** Between the signal and the next host: anything may be cut off. */
  isDown = false
  replay: Replay
  readonly #taken: Map<string, number>
  #host: HostProcess | null = null
  #observer: Screen | null = null
  readonly #screens: (Screen | null)[] = [null, null, null]
  #ids = 0

  private constructor(parts: {
    random: Random
    model: ScriptedModel
    gate: AdmissionGate
    folder: HostFolder
    taken: Map<string, number>
  }) {
    this.random = parts.random
    this.model = parts.model
    this.gate = parts.gate
    this.folder = parts.folder
    this.#taken = parts.taken
    this.replay = new Replay(parts.taken)
    this.model.watchers.add(this.changes)
    this.gate.watchers.add(this.changes)
  }

  static async open(random: Random, taken: Map<string, number>): Promise<World> {
    const model = await startScriptedModel()
    const gate = await AdmissionGate.start()
    const folder = new HostFolder({
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'no-key',
      TASK_SURFACE_TEST_ADMISSION: gate.url,
    })
    const world = new World({ random, model, gate, folder, taken })
    await world.start()
    return world
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host was started')
    return this.#host
  }

  get observer(): Screen {
    if (this.#observer === null) throw new Error('nobody watches')
    return this.#observer
  }

  get screens(): Screen[] {
    return this.#screens.filter((screen) => screen !== null)
  }

  /** Never used before in this case. */
  newId(kind: string): string {
    return `${kind}-${(this.#ids += 1)}`
  }

  async start(): Promise<void> {
    this.book.hostLife += 1
    this.#host = await this.folder.start()
    this.isDown = false
    this.replay = new Replay(this.#taken)
    const client = await Client.connect(this.host.ready, this.changes)
    this.#observer = new Screen(client, this.#listener(true))
    this.replay.begin((await client.call('inspect.subscribe', {})).actors)
    this.sessionIds = (await client.call('session.list', {})).sessions.map(({ id }) => id)
    await this.watchAll()
    for (const index of this.#screens.keys()) await this.connect(index)
  }

  /** Kills the host; every socket is gone with it. */
  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isDown = true
    const exit = await this.host.kill(signal)
    if (signal === 'SIGTERM' && exit.code !== 0)
      throw new Error(`SIGTERM: ${JSON.stringify(exit)}\n${this.host.stderr}`)
    if (signal === 'SIGKILL' && exit.signal !== 'SIGKILL') throw new Error(`it ended by itself\n${this.host.stderr}`)
    await Promise.all([...this.screens, this.observer].map(({ client }) => client.closed))
    this.read()
    this.counts.restarts += 1
    this.counts.frames += this.#framesShown()
    this.counts.transitions += this.replay.moves
    this.#observer = null
    this.#screens.fill(null)
  }

  /** A new socket in the place of an old one; it opens some sessions, or all. */
  async connect(index: number): Promise<void> {
    const before = this.#screens[index]
    if (before !== null && before !== undefined) {
      before.client.drop()
      await before.client.closed
      before.read()
      this.counts.frames += before.client.frames.length
      this.counts.reconnects += 1
      this.#screens[index] = null
    }
    const client = await orGone(Client.connect(this.host.ready, this.changes))
    if (client === null) return this.changes.assertSound()
    this.#screens[index] = new Screen(client, this.#listener(false))
    for (const sessionId of this.sessionIds) if (this.random.chance(0.8)) await this.open(index, sessionId)
  }

  /** Of a socket: null while it is not connected. */
  screen(index: number): Screen | null {
    return this.#screens[index] ?? null
  }

  async open(index: number, sessionId: string): Promise<void> {
    const screen = this.screen(index)
    if (screen === null) return
    const limit = this.random.chance(0.2) ? 1 + this.random.below(4) : 500
    const reply = await this.ask(screen.client, 'session.open', { sessionId, limit })
    if (reply?.ok === true) this.book.saw(sessionId, reply.result.events)
  }

  /** The fourth socket shows every session. */
  async watchAll(): Promise<void> {
    this.read()
    const { client } = this.observer
    for (const sessionId of this.sessionIds) {
      const view = client.viewById.get(sessionId)
      if (view !== undefined && view.renewals === 0) continue
      const reply = await this.ask(client, 'session.open', { sessionId, limit: 500 })
      if (reply?.ok === true) this.book.saw(sessionId, reply.result.events)
    }
  }

  /** Takes in what the sockets were told. */
  read(): void {
    for (const screen of [this.#observer, ...this.#screens]) screen?.read()
  }

  /** An answer of either kind; null where the socket went first. An error that nobody may get fails the case. */
  async ask<Name extends MethodName>(client: Client, method: Name, params: object): Promise<Outcome<Result<Name>>> {
    this.counts.requests += 1
    const late = this.#late(`${method} ${JSON.stringify(params)}`)
    const reply = await Promise.race([orGone(client.ask(method, params)), late.promise]).finally(late.cancel)
    if (reply === null) return this.#gone()
    if (!reply.ok && !this.#mayAnswer(reply.error.code)) {
      throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(reply.error)}\n${this.host.stderr}`)
    }
    return reply
  }

  async close(): Promise<void> {
    for (const screen of [this.#observer, ...this.#screens]) screen?.client.drop()
    await this.folder.remove()
    await Promise.all([this.model.close(), this.gate.close()])
  }

  #listener(isObserver: boolean): Listener {
    return {
      frame: (frame: SessionFrame) => this.book.take(frame),
      inspected: (frame) => (isObserver ? this.replay.take(frame) : undefined),
      session: (sessionId, there) => (isObserver ? this.#listed(sessionId, there) : undefined),
    }
  }

  #listed(sessionId: string, there: boolean): void {
    this.sessionIds = this.sessionIds.filter((id) => id !== sessionId)
    if (there) this.sessionIds.push(sessionId)
    else this.book.removed.add(sessionId)
  }

  /** A stopping host may answer that it is. */
  #mayAnswer(code: number): boolean {
    const { invalidParams, unknownSession, conflict, storage } = errorCodes
    return code === invalidParams || code === unknownSession || code === conflict || (code === storage && this.isDown)
  }

  #gone(): null {
    this.changes.assertSound()
    return null
  }

  #framesShown(): number {
    return [...this.screens, this.observer].reduce((sum, { client }) => sum + client.frames.length, 0)
  }

  #late(what: string): { promise: Promise<never>; cancel: () => void } {
    let timer: NodeJS.Timeout | undefined
    const promise = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to ${what}\n${this.host.stderr}`)), deadlineMs)
    })
    return { promise, cancel: () => clearTimeout(timer) }
  }
}

const lost = /socket closed|closed socket|ECONNREFUSED|ECONNRESET|socket hang up/

/** Null where the socket closed under the request, or could not be opened. */
async function orGone<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof Error && lost.test(cause.message)) return null
    throw cause
  }
}
