/* A page with the dock of one session, and everything around it in a test's hands: the answers of the host, its frames, the
   connection, the clock, the person. Does what a move of a walk (`model/dock-paths.ts`) says. */
import type { Page } from 'playwright-core'
import type { dockMachine } from '../../machines/dock.ts'
import { firstSurface, foreignMessage, ownMessage, writeMs, type DockWorld } from '../model/dock-paths.ts'
import type { WalkedMove } from '../model/page-walks.ts'
import { isSteady, traceOf, until } from './page-trace.ts'
import type { Answer, ScriptedHost } from './web-scripted-host.ts'

type DockMove = WalkedMove<typeof dockMachine, DockWorld>

const model = {
  version: 1,
  title: 'Say yes or no',
  sections: [],
  fields: [{ kind: 'text', id: 'answer', label: 'Answer', required: true }],
  submit: { label: 'Send it' },
}
const sessionId = 's1'
const failure: Answer = { error: { code: -32010, message: 'The store is away.' } }

export class DockStand {
  readonly #host: ScriptedHost
  readonly #reads: ((answer: Answer) => void)[] = []
  readonly #submits: ((answer: Answer) => void)[] = []
  readonly #dismissals: ((answer: Answer) => void)[] = []
  #seq = 1

  constructor(host: ScriptedHost) {
    this.#host = host
    const held = (list: ((answer: Answer) => void)[]) => () => new Promise<Answer>((answer) => void list.push(answer))
    host.on('taskSurface.getActive', held(this.#reads))
    host.on('taskSurface.submit', held(this.#submits))
    host.on('taskSurface.dismiss', held(this.#dismissals))
    host.add(sessionId).baseline = this.#projections({ named: null, bypassed: [] })
  }

  #projections({ named, bypassed }: Pick<DockWorld, 'named' | 'bypassed'>): object[] {
    this.#seq += 1
    const active = named === null ? null : { callId: 'call-1', surfaceId: named }
    const outcomes = bypassed.map((surfaceId) => ({ surfaceId, reason: 'bypassed', seq: 1 }))
    return [
      { type: 'session/projection', key: 'taskSurface', value: { active }, seq: this.#seq },
      { type: 'session/projection', key: 'taskSurfaceOutcomes', value: { outcomes }, seq: this.#seq },
    ]
  }

  #tell(body: object): void {
    this.#host.emit(sessionId, body)
  }

  #tellOutcomes(outcomes: object[]): void {
    this.#seq += 1
    this.#tell({ type: 'session/projection', key: 'taskSurfaceOutcomes', value: { outcomes }, seq: this.#seq })
  }

  async #first(list: ((answer: Answer) => void)[]): Promise<(answer: Answer) => void> {
    await until(() => list.length > 0)
    const answer = list.shift()
    if (answer === undefined) throw new Error('nothing there')
    return answer
  }

  /** The newest question is answered; those before it get an answer that nobody may heed. */
  async #answerRead(answer: Answer, reads: number): Promise<void> {
    await until(() => this.#reads.length === reads)
    for (const older of this.#reads.slice(0, -1)) older({ result: { active: false, reason: 'not-open' } })
    this.#reads.at(-1)?.(answer)
  }

  async perform(page: Page, move: DockMove, before: DockWorld): Promise<void> {
    const [event] = move.events
    if (event === undefined) throw new Error('nothing is heard of this move')
    const session = this.#host.sessions.get(sessionId)
    if (session === undefined) throw new Error('no session')
    session.baseline = this.#projections(move.world)
    switch (event.type) {
      case 'IDENTITY':
        return this.#tell(session.baseline[0] ?? {})
      case 'OUTCOME':
        return this.#tellOutcomes([{ surfaceId: event.surfaceId, reason: event.reason, seq: 1 }])
      case 'READ':
      case 'READ_FAILED':
        return this.#answerRead(readAnswer(event), before.reads)
      case 'ACCEPTED':
        return (await this.#first(this.#submits))({
          result: { accepted: true, messageId: ownMessage, phase: 'queued' },
        })
      case 'REFUSED': {
        const { reason, issues } = event
        return (await this.#first(this.#submits))({ result: { accepted: false, reason, issues } })
      }
      case 'SUBMIT_FAILED':
        return (await this.#first(this.#submits))(failure)
      case 'DISMISSED':
        return (await this.#first(this.#dismissals))({ result: { dismissed: true, eventSeq: 1 } })
      case 'DISMISS_REFUSED':
        return (await this.#first(this.#dismissals))({ result: { dismissed: false, reason: 'submission-pending' } })
      case 'DISMISS_FAILED':
        return (await this.#first(this.#dismissals))(failure)
      case 'PENDING':
        return this.#tell({ type: 'session/task-surface', surfaceId: event.surfaceId, pending: event.pending })
      case 'DISCARDED': {
        const { messageId, reason } = event
        return this.#tell({ type: 'session/discarded', itemId: 'item-1', messageId, reason, text: null })
      }
      case 'ROW_CHANGED':
        return this.#tell({ type: 'session/queue', items: move.world.hasRow ? [rowOf(move)] : [] })
      case 'RETRY_DUE':
        return page.clock.runFor(before.retryMs ?? 0)
      case 'EDITED':
        await page.getByRole('textbox', { name: 'Answer' }).fill(move.world.form?.filled === true ? 'Yes' : '')
        return
      case 'SUBMIT':
      case 'INVALID':
        return page.locator('#surface-title').press('Control+Enter')
      case 'DISMISS':
        return page.getByRole('button', { name: 'Dismiss' }).click()
      case 'ACKNOWLEDGE':
        return page.locator('.dock-ended').getByRole('button').click()
      case 'DOWN':
        return this.#host.drop({ stay: true })
      case 'UP':
        return before.isUp ? this.#showAnew() : this.#bringBack(page)
    }
  }

  /** What has to follow before the next move. */
  async settle(page: Page, move: DockMove): Promise<void> {
    switch (move.events[0]?.type) {
      case 'EDITED':
        return page.clock.runFor(writeMs)
      case 'OUTCOME':
        // What a page was told once it need not be told with each projection; a bypass goes on being told.
        if (move.world.bypassed.length === 0) this.#tellOutcomes([])
        return
      case 'UP':
        // A host that never says anything in between is asked less and less often.
        return this.#tell({ type: 'session/status', status: 'idle' })
      default:
    }
  }

  #showAnew(): void {
    const one = this.#host.sessions.get(sessionId)
    if (one === undefined) throw new Error('no session')
    const { incarnation, n, events } = one
    this.#host.sendAll({ type: 'session/subscribed', sessionId, lastSeq: events.length - 1, incarnation, n })
  }

  async #bringBack(page: Page): Promise<void> {
    this.#host.accept()
    await until(async () => {
      const trace = await traceOf(page, 'connection', 0)
      if (trace.at(-1)?.to.value === 'waiting') {
        await page.evaluate(() => void window.dispatchEvent(new Event('online')))
      }
      return isSteady(page)
    })
  }
}

function readAnswer(event: DockMove['events'][number]): Answer {
  if (event.type !== 'READ') return failure
  if (!event.open) return { result: { active: false, reason: 'not-open' } }
  const { surfaceId, readable, pending } = event
  const shown = readable ? model : { version: 99, title: 'From the future' }
  return { result: { active: true, callId: 'call-1', surfaceId, model: shown, pending } }
}

const rowOf = ({ heard }: DockMove): object => ({
  id: 'item-1',
  messageId: foreignMessage,
  placement: 'queued',
  source: {
    kind: 'user',
    rpcId: '1',
    taskSurface: {
      surfaceId: heard[0]?.before.context.surfaceId ?? firstSurface,
      submissionId: 'submission-row',
      callId: 'call-1',
      version: 1,
      values: {},
    },
  },
  content: [],
  preview: '',
  text: null,
})
