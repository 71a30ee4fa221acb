/* Drives one Task Surface of a real host by the events of the surface machine. What a person or a browser does goes
   over the socket; CLAIM and COMMIT are the host's own steps, held and released by the admission gate. The driver
   decides nothing: it does what stands for an event and reports what can be seen from outside. */
import type { DiscardReason } from '../../shared/message.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { TaskSurfacePendingSubmission } from '../../shared/surface/operations.ts'
import type { AdmissionGate } from '../harness/admission-gate.ts'
import { Changes } from '../harness/changes.ts'
import { Client, type Address } from '../harness/client.ts'
import { openSurface } from '../harness/counted-log.ts'
import { scriptedAgent, type ModelCall, type ScriptedModel } from '../harness/scripted-model.ts'
import type { SessionView } from '../harness/session-view.ts'

export interface SurfaceStage {
  address: Address
  model: ScriptedModel
  gate: AdmissionGate
  /** Unique among the drivers that share the model server. */
  tag: string
}

/** What the outside knows of the occurrence. */
export interface SeenSurface {
  /** By a fold of the log. */
  open: boolean
  active: boolean
  pending: TaskSurfacePendingSubmission | null
  /** The reason in `taskSurfaceOutcomes`. */
  outcome: string | null
}

export class SurfaceDriver {
  readonly changes: Changes
  readonly client: Client
  readonly sessionId: string
  readonly surfaceId: string
  readonly #stage: SurfaceStage
  readonly #unwatch: readonly (() => void)[]
  #sent = 0
  /** The row a person wrote before the surface was answered: it will bypass. */
  #ordinary: string | null = null

  private constructor(parts: {
    stage: SurfaceStage
    changes: Changes
    client: Client
    sessionId: string
    surfaceId: string
    unwatch: readonly (() => void)[]
  }) {
    this.#stage = parts.stage
    this.#unwatch = parts.unwatch
    this.changes = parts.changes
    this.client = parts.client
    this.sessionId = parts.sessionId
    this.surfaceId = parts.surfaceId
  }

  /** A session in which the agent has just shown a surface and nothing else goes on. */
  static async open(stage: SurfaceStage): Promise<SurfaceDriver> {
    const changes = new Changes()
    const unwatch = [stage.model.watchers.add(changes), stage.gate.watchers.add(changes)]
    const client = await Client.connect(stage.address, changes)
    const { session } = await client.call('session.create', { agent: scriptedAgent })
    const sessionId = session.id
    const view = await client.open(sessionId)
    const text = `${stage.tag} begin`
    await client.call('session.send', { sessionId, messageId: `${stage.tag}-begin`, text })
    const call = await parkedCall(stage, changes, text)
    const model = { version: 1, title: stage.tag, sections: [], fields: [field], submit: { label: 'Send' } }
    call.answerCalls([{ name: 'show_task_surface', arguments: { model } }])
    const shown = await changes.until(() => view.eventsOf('turn/end')[0] && openSurface(view.events), 'an open surface')
    await changes.until(() => view.status?.status === 'idle', 'an idle session')
    stage.gate.guard(sessionId)
    return new SurfaceDriver({ stage, changes, client, sessionId, surfaceId: shown.surfaceId, unwatch })
  }

  get view(): SessionView {
    return this.client.view(this.sessionId)
  }

  /** Every value of `pending` that was pushed, in order. */
  get pushes(): (TaskSurfacePendingSubmission | null)[] {
    return this.view.pushes.map(({ pending }) => pending)
  }

  get discards(): DiscardReason[] {
    return this.view.discarded.map(({ reason }) => reason)
  }

  /** A message written now stands ahead of a later submission. */
  async writeAhead(): Promise<void> {
    this.#ordinary = await this.#send()
  }

  submit(submissionId = `${this.#stage.tag}-submission-${(this.#sent += 1)}`): Promise<Result<'taskSurface.submit'>> {
    const { sessionId, surfaceId } = this
    return this.client.call('taskSurface.submit', { sessionId, surfaceId, submissionId, values: { answer: 'x' } })
  }

  dismiss(dismissalId = `${this.#stage.tag}-dismissal`): Promise<Result<'taskSurface.dismiss'>> {
    const { sessionId, surfaceId } = this
    return this.client.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId })
  }

  interrupt(): Promise<object> {
    return this.client.call('session.interrupt', { sessionId: this.sessionId })
  }

  /** Takes the first row of the queue into admission and holds it there. */
  claim(): Promise<string> {
    return this.#stage.gate.claim(this.sessionId, this.changes)
  }

  /** Admits the held message and ends the turn it starts. */
  async commit(messageId: string): Promise<void> {
    this.#stage.gate.decide(this.sessionId, { admit: true }, messageId)
    const message = await this.changes.until(
      () => this.view.eventsOf('user/message').find(({ data }) => data.message.id === messageId),
      `the message ${messageId}`,
    )
    const text = message.data.message.content.map((block) => block.text).join('\n')
    ;(await parkedCall(this.#stage, this.changes, text)).answerText('Thank you.')
    const isOver = () => this.view.eventsOf('turn/end').some(({ seq }) => seq > message.seq)
    await this.changes.until(() => isOver() && this.view.status?.status === 'idle', 'the end of the turn')
  }

  /** An ordinary message, through to the end of its turn. */
  async bypass(): Promise<void> {
    const messageId = this.#ordinary ?? (await this.#send())
    const claimed = await this.claim()
    if (claimed !== messageId) throw new Error(`claimed is ${claimed}, not ${messageId}`)
    await this.commit(messageId)
  }

  /** `session.updateQueue` for the row of the submission, or for one that never was. */
  async removeRow(): Promise<'removed' | 'queue-item-not-found'> {
    const { sessionId } = this
    const row = this.view.queue.find(({ source }) => source.kind === 'user' && source.taskSurface !== undefined)
    const itemId = row?.id ?? 'never-made'
    const reply = await this.client.ask('session.updateQueue', { sessionId, itemId, action: { kind: 'remove' } })
    if (reply.ok) return 'removed'
    if (reply.error.data?.code !== 'queue-item-not-found') throw new Error(JSON.stringify(reply.error))
    return 'queue-item-not-found'
  }

  async remove(): Promise<{ known: boolean }> {
    const reply = await this.client.ask('session.remove', { sessionId: this.sessionId })
    if (!reply.ok && reply.error.code !== -32004) throw new Error(JSON.stringify(reply.error))
    return { known: reply.ok }
  }

  /** Null once the session is removed. Everything the host published before has arrived when this answers. */
  async see(): Promise<SeenSurface | null> {
    const { sessionId, surfaceId } = this
    const history = await this.client.ask('session.history', { sessionId, limit: 500 })
    const active = await this.client.ask('taskSurface.getActive', { sessionId, surfaceId })
    if (!history.ok || !active.ok) {
      if (history.ok || active.ok) throw new Error('a session that is half there')
      return null
    }
    return {
      open: openSurface(history.result.events)?.surfaceId === surfaceId,
      active: active.result.active,
      pending: active.result.active ? active.result.pending : null,
      outcome: this.#outcome(),
    }
  }

  async close(): Promise<void> {
    this.#stage.gate.unguard(this.sessionId)
    await this.remove()
    this.leave()
    await this.client.close()
  }

  /** Whatever is held goes on, and nothing is watched any more; the session stays as it is. */
  leave(): void {
    this.#stage.gate.unguard(this.sessionId)
    for (const unwatch of this.#unwatch) unwatch()
  }

  async #send(): Promise<string> {
    const { sessionId } = this
    const messageId = `${this.#stage.tag}-ordinary-${(this.#sent += 1)}`
    await this.client.call('session.send', { sessionId, messageId, text: `${this.#stage.tag} ordinary ${this.#sent}` })
    return messageId
  }

  #outcome(): string | null {
    const value = this.view.projections.get('taskSurfaceOutcomes')?.value
    if (typeof value !== 'object' || value === null || !('outcomes' in value) || !Array.isArray(value.outcomes))
      return null
    for (const outcome of value.outcomes) {
      if (typeof outcome !== 'object' || outcome === null || !('reason' in outcome)) continue
      if (outcome.surfaceId === this.surfaceId) return String(outcome.reason)
    }
    return null
  }
}

const field = { kind: 'text', id: 'answer', label: 'Answer' } as const

function parkedCall({ model }: SurfaceStage, changes: Changes, text: string): Promise<ModelCall> {
  const find = () => model.calls.find((call) => call.isParked && call.userTexts.at(-1) === text)
  return changes.until(find, `a model call for ${text}`)
}
