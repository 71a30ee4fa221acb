/* The second door to a Task Surface (SPEC 11): a client that can ask its person itself is handed the form, once, while it
   waits. Its answer is a submission like any other, so the first one wins and a later one is stale; the browser's door
   stays open all the while. Declining closes this door alone: it is no dismissal. */
import { randomUUID } from 'node:crypto'
import { rpcIdSchema, taskSurfaceSubmissionIdSchema, type SessionId, type TaskSurfaceId } from '../../shared/ids.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { readActive } from '../session/active-surface.ts'
import type { SessionDirectory } from '../session/session-directory.ts'
import { waitForOutcome } from '../session/surface-outcome.ts'
import { elicitationForm, elicitedValues, type ElicitationForm } from './elicitation-form.ts'

/** What the person made of the form. `content` is whatever the client sent. */
export type Elicited = { kind: 'accepted'; content: unknown } | { kind: 'declined' }

export type Door =
  /** The client asks nobody. */
  | { kind: 'none' }
  /** 2025-11-25: the client is asked while the call waits, and beyond. Rejects where it cannot be reached. */
  | { kind: 'push'; ask: (form: ElicitationForm, signal: AbortSignal) => Promise<Elicited> }
  /** 2026-07-28: the call is answered with the form, and made again with what came of it; null before that. */
  | { kind: 'round'; answered: Elicited | null }

/** Forms that are remembered as asked. A forgotten one may be asked twice. */
const maxAsked = 1_000
/** A form that was filled in wrongly is asked again so often. */
const maxTries = 3

const noOrder = 'The ranks must be 1, 2, 3 and so on, each given once.'

export class SecondDoor {
  readonly #directory: SessionDirectory
  readonly #asked = new Set<TaskSurfaceId>()

  constructor(directory: SessionDirectory) {
    this.#directory = directory
  }

  /** The form that the call must be answered with; null: it goes on to wait. */
  async open(sessionId: SessionId, surfaceId: TaskSurfaceId, door: Door): Promise<ElicitationForm | null> {
    if (door.kind === 'none') return null
    const active = await readActive(this.#directory, { sessionId, surfaceId })
    if (!active.active || active.pending !== null) return null
    const { model } = active
    const answered = door.kind === 'round' ? door.answered : null
    if (answered?.kind === 'declined') return null
    if (answered?.kind === 'accepted') {
      const problem = await this.#submit(sessionId, surfaceId, model, answered.content)
      return problem === null ? null : elicitationForm(model, problem)
    }
    if (this.#asked.has(surfaceId)) return null
    const form = elicitationForm(model, null)
    if (form === null) return null
    this.#remember(surfaceId)
    if (door.kind === 'round') return form
    void this.#push(sessionId, surfaceId, model, door.ask)
    return null
  }

  /** Asks until there is an answer that does, or the surface is closed. Never rejects. */
  async #push(
    sessionId: SessionId,
    surfaceId: TaskSurfaceId,
    model: TaskSurfaceModelV1,
    ask: (form: ElicitationForm, signal: AbortSignal) => Promise<Elicited>,
  ): Promise<void> {
    const closed = new AbortController()
    const over = new AbortController()
    const { logger } = this.#directory.deps
    void waitForOutcome(this.#directory, { sessionId, surfaceId }, over.signal).then(
      () => closed.abort(),
      () => closed.abort(),
    )
    try {
      let problem: string | null = null
      for (let tries = 0; tries < maxTries && !closed.signal.aborted; tries++) {
        const form = elicitationForm(model, problem)
        const elicited = form === null ? null : await ask(form, closed.signal)
        if (elicited?.kind !== 'accepted') return
        problem = await this.#submit(sessionId, surfaceId, model, elicited.content)
        if (problem === null) return
      }
    } catch (error) {
      logger.info({ sessionId, err: error }, 'an MCP client was not asked for an answer')
    } finally {
      over.abort()
    }
  }

  /** Null: it was taken, or came too late; else what is wrong with it, for the person. */
  async #submit(
    sessionId: SessionId,
    surfaceId: TaskSurfaceId,
    model: TaskSurfaceModelV1,
    content: unknown,
  ): Promise<string | null> {
    const values = elicitedValues(model, content)
    if (values === null) return noOrder
    const submissionId = taskSurfaceSubmissionIdSchema.parse(`mcp-${randomUUID()}`)
    const runtime = await this.#directory.load(sessionId)
    const result = await runtime.surfaces.submit(
      { sessionId, surfaceId, submissionId, values },
      rpcIdSchema.parse('mcp'),
    )
    if (result.accepted || result.reason !== 'invalid-submission') return null
    return (result.issues ?? []).map(({ path, message }) => `${path}: ${message}`).join('\n')
  }

  #remember(surfaceId: TaskSurfaceId): void {
    this.#asked.add(surfaceId)
    for (const oldest of this.#asked) {
      if (this.#asked.size <= maxAsked) return
      this.#asked.delete(oldest)
    }
  }
}
