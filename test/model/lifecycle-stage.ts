/* One real host for all paths of a suite, and in it a session for each: what a person does goes over a socket, what
   the model says is scripted, and the transitions of the session's actors come as `actor/inspect` frames. */
import { z } from 'zod'
import type { ApprovalPolicy, SessionEvent, ToolMode } from '../../shared/event.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { Changes } from '../harness/changes.ts'
import { Client, type Address } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { scriptedAgent, startScriptedModel, type ModelCall, type ScriptedModel } from '../harness/scripted-model.ts'
import type { SessionView } from '../harness/session-view.ts'

/** On a busy machine all paths of a suite share two cores. */
const deadlineMs = 40_000

export class LifecycleStage {
  readonly model: ScriptedModel
  readonly gate: AdmissionGate
  readonly folder: HostFolder
  address: Address
  host: HostProcess
  #tags = 0

  private constructor(parts: { model: ScriptedModel; gate: AdmissionGate; folder: HostFolder; host: HostProcess }) {
    this.model = parts.model
    this.gate = parts.gate
    this.folder = parts.folder
    this.host = parts.host
    this.address = parts.host.ready
  }

  static async start(): Promise<LifecycleStage> {
    const model = await startScriptedModel()
    const gate = await AdmissionGate.start()
    const folder = new HostFolder({
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'no-key',
      TASK_SURFACE_TEST_ADMISSION: gate.url,
    })
    return new LifecycleStage({ model, gate, folder, host: await folder.start() })
  }

  /** A tag that no other path of this stage has, and that none begins with. */
  nextTag(): string {
    return `path-${(this.#tags += 1)}`
  }

  /** A host on the same data, after the one before has ended. */
  async restart(): Promise<void> {
    this.host = await this.folder.start()
    this.address = this.host.ready
  }

  async close(): Promise<void> {
    await this.folder.remove()
    await Promise.all([this.model.close(), this.gate.close()])
  }
}

/** What sessions need to know of a host, be it a process or not. */
export type StageOfSessions = Pick<LifecycleStage, 'address' | 'model' | 'nextTag'> & { gate: AdmissionGate | null }

export class LifecycleSession {
  readonly stage: StageOfSessions
  readonly tag: string
  readonly changes: Changes
  readonly client: Client
  readonly sessionId: string
  readonly #unwatch: readonly (() => void)[]
  #sent = 0

  private constructor(parts: {
    stage: StageOfSessions
    tag: string
    changes: Changes
    client: Client
    sessionId: string
    unwatch: readonly (() => void)[]
  }) {
    this.stage = parts.stage
    this.tag = parts.tag
    this.changes = parts.changes
    this.client = parts.client
    this.sessionId = parts.sessionId
    this.#unwatch = parts.unwatch
  }

  /** Cold, and watched: whatever becomes of it is seen from its first transition on. */
  static async open(
    stage: StageOfSessions,
    { approval = 'auto', toolMode = 'native' }: { approval?: ApprovalPolicy; toolMode?: ToolMode } = {},
  ): Promise<LifecycleSession> {
    const changes = new Changes(deadlineMs)
    const unwatch = [stage.model.watchers.add(changes)]
    if (stage.gate !== null) unwatch.push(stage.gate.watchers.add(changes))
    const client = await Client.connect(stage.address, changes)
    const { session } = await client.call('session.create', { agent: scriptedAgent, approval, toolMode })
    await client.open(session.id)
    await client.call('inspect.subscribe', { sessionId: session.id })
    return new LifecycleSession({ stage, tag: stage.nextTag(), changes, client, sessionId: session.id, unwatch })
  }

  get view(): SessionView {
    return this.client.view(this.sessionId)
  }

  /** Of one machine in this session, in the order in which they came. */
  entriesOf(machine: string): JournalEntry[] {
    return this.client.frames.flatMap((frame) =>
      frame.type === 'actor/inspect' && frame.entry.machine === machine && frame.entry.sessionId === this.sessionId
        ? [frame.entry]
        : [],
    )
  }

  async send(placement: 'queued' | 'steering' = 'queued'): Promise<string> {
    const { client, sessionId } = this
    const messageId = `${this.tag}-message-${(this.#sent += 1)}`
    await client.call('session.send', { sessionId, messageId, text: `${this.tag} message ${this.#sent}`, placement })
    return messageId
  }

  /** The call of this session's model that waits for its answer. */
  call(): Promise<ModelCall> {
    return this.until(() => this.parkedCall, 'a model call')
  }

  get parkedCall(): ModelCall | undefined {
    const own = `${this.tag} `
    // The texts of the others are not read: there may be hundreds of calls with hundreds of texts.
    return this.stage.model.calls.find((call) => call.isParked && call.userTexts.some((text) => text.startsWith(own)))
  }

  async interrupt(): Promise<void> {
    await this.client.call('session.interrupt', { sessionId: this.sessionId })
  }

  /** The log as it stands; null once the session is removed. All that the host told before has come by then. */
  async log(): Promise<SessionEvent[] | null> {
    const history = await this.client.ask('session.history', { sessionId: this.sessionId, limit: 500 })
    if (history.ok) return history.result.events
    if (history.error.code !== -32004) throw new Error(JSON.stringify(history.error))
    return null
  }

  until<Value>(condition: () => Value | undefined | null | false, what: string): Promise<Value> {
    return this.changes.until(condition, () => {
      const seen = ['session', 'turn', 'question', 'approval'].flatMap((machine) =>
        this.entriesOf(machine).map((entry) => moveOf(entry)),
      )
      return `${this.tag}: ${what}; seen were ${seen.map((move) => JSON.stringify(move)).join('\n')}`
    })
  }

  /** Whatever is held goes on, and nothing is watched any more; the session stays as it is. */
  leave(): void {
    this.stage.gate?.unguard(this.sessionId)
    for (const unwatch of this.#unwatch) unwatch()
  }

  async close(): Promise<void> {
    this.stage.gate?.unguard(this.sessionId)
    if (!this.client.isClosed) {
      await this.client.ask('session.remove', { sessionId: this.sessionId })
      await this.client.close()
    }
    this.leave()
  }
}

/** One transition as machine and host can both tell it. */
export interface Move {
  type: string
  from: unknown
  to: unknown
  accepted: boolean
}

const eventSchema = z.looseObject({ type: z.string() })

export function moveOf({ event, from, to, accepted }: JournalEntry): Move {
  return { type: eventSchema.parse(event).type, from, to, accepted }
}

interface AnyPath {
  start: { value: unknown }
  steps: readonly { event: { type: string }; snapshot: { value: unknown } }[]
}

/** What the journal of a host must say of the first `count` steps of a path. */
export function movesOf({ start, steps }: AnyPath, count = steps.length): Move[] {
  return steps.slice(0, count).map(({ event, snapshot }, index) => ({
    type: event.type,
    from: steps[index - 1]?.snapshot.value ?? start.value,
    to: snapshot.value,
    accepted: true,
  }))
}

export function titleOf({ steps }: AnyPath): string {
  return steps.length === 0 ? 'nothing' : steps.map(({ event }) => event.type).join(' → ')
}
