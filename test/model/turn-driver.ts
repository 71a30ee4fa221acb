/* Drives the turn of one session of a real host by the events of the turn machine: the model is scripted, the person steers
   and interrupts. The driver decides nothing: it does what makes the host tell the turn of an event. */
import type { EventFrom, SnapshotFrom } from 'xstate'
import type { turnMachine } from '../../machines/turn.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { openSurface } from '../harness/counted-log.ts'
import type { ScriptedToolCall } from '../harness/scripted-model.ts'
import type { LifecycleSession } from './lifecycle-stage.ts'

type Event = EventFrom<typeof turnMachine>
type Snapshot = SnapshotFrom<typeof turnMachine>

/** Waits until it is answered, so that a test can stand between a call and its result. */
const ask: ScriptedToolCall = {
  name: 'ask_user_question',
  arguments: { questions: [{ id: 'q', question: 'Which one?' }] },
}
const show: ScriptedToolCall = {
  name: 'show_task_surface',
  arguments: {
    model: {
      version: 1,
      title: 'A form',
      sections: [],
      fields: [{ kind: 'text', id: 'answer', label: 'Answer' }],
      submit: { label: 'Send' },
    },
  },
}

/** Longer than any test: a wait that only an interrupt ends. */
const longWaitS = 250
/** Without a wish of the model. */
const firstWaitMs = 1_000
/** Ways in which a call of a model fails for a while. */
const failings = ['status', 'cut', 'drop'] as const

export class TurnDriver {
  readonly session: LifecycleSession
  /** How long the host must say that it waits. */
  waitMs = 0
  #failed = 0

  constructor(session: LifecycleSession) {
    this.session = session
  }

  async perform(event: Event, next: Event | undefined): Promise<void> {
    if ('steering' in event && event.steering) await this.session.send('steering')
    switch (event.type) {
      case 'ANSWERED':
        return this.#answer(event, next)
      case 'ACTED':
        return this.#answerQuestion()
      case 'FAILED':
        return this.#fail(event.transient, next?.type === 'RETRY')
      case 'INTERRUPT':
        return this.session.interrupt()
      case 'RETRY':
      case 'ENDED':
        // The host's own: its wait is over, its append is durable.
        return
    }
  }

  async #answer({ calls, stop }: Extract<Event, { type: 'ANSWERED' }>, next: Event | undefined): Promise<void> {
    const call = await this.session.call()
    if (stop !== null) {
      const stream = call.stream().text('Half a')
      if (calls > 0) stream.calls([ask])
      return stream.finish(stop === 'blocked' ? 'content_filter' : 'length')
    }
    if (calls === 0) return call.answerText('Well.')
    const concludes = next?.type === 'ACTED' && next.concluded
    if (concludes) await this.#dismissSurface()
    call.answerCalls(concludes ? [ask, show] : [ask])
  }

  /** A second surface over an open one would be refused, and conclude nothing. */
  async #dismissSurface(): Promise<void> {
    const { client, sessionId, view, tag } = this.session
    const open = openSurface(view.events)
    if (open === null) return
    const { surfaceId } = open
    await client.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId: `${tag}-dismissal` })
  }

  async #answerQuestion(): Promise<void> {
    const { client, sessionId, view } = this.session
    const [questionId] = view.questions.keys()
    const answers = [{ id: 'q', selected: [], custom: 'This one.' }]
    const answer = await client.call('question.answer', { sessionId, questionId, answers })
    if (!answer.accepted) throw new Error(`not accepted: ${answer.reason}`)
  }

  async #fail(transient: boolean, retried: boolean): Promise<void> {
    const call = await this.session.call()
    if (!transient) return call.answerError(400, 'No such thing.')
    this.waitMs = retried ? firstWaitMs : longWaitS * 1_000
    if (!retried) return call.answerError(429, 'Too many of you.', longWaitS)
    switch (failings[(this.#failed += 1) % failings.length]) {
      case 'cut':
        return call.stream().text('Half a').cut()
      case 'drop':
        return call.drop()
      default:
        return call.answerError(503, 'Too busy.')
    }
  }

  /** Waits until `count` steps are done and the host stands where nothing happens by itself. */
  async settle(at: Snapshot, count: number): Promise<void> {
    const { session } = this
    await session.until(() => this.entries.length > count, `${count} transitions of the turn`)
    if (at.matches({ live: 'calling' })) await session.call()
    if (at.matches({ live: 'acting' })) await session.until(() => session.view.questions.size === 1, 'a question')
    if (at.matches({ live: 'waiting' })) await session.until(() => session.view.status?.retry, 'a retry in sight')
  }

  /** The journal of the first turn. */
  get entries(): JournalEntry[] {
    return entriesOfFirst(this.session.entriesOf('turn'))
  }
}

export const entriesOfFirst = (entries: readonly JournalEntry[]): JournalEntry[] =>
  entries.filter(({ actorId }) => actorId.startsWith('turn:1:'))
