/* This product's own driver of the executable contract of a surface: a real host, its sockets and its LevelDB, one session a
   case. The machine's ids stand for what a host makes itself, so the driver translates them; what it cannot see or do
   it says, and decides nothing. */
import type {
  ConformanceDriver,
  ConformanceSession,
  LifecycleEvent,
  LifecycleState,
  Seen,
} from '../../machines/conformance.ts'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { HostFolder } from '../harness/host-process.ts'
import { startScriptedModel } from '../harness/scripted-model.ts'
import { SurfaceDriver } from './surface-driver.ts'

export interface SurfaceContract {
  driver: ConformanceDriver
  close(): Promise<void>
}

export async function startSurfaceContract(): Promise<SurfaceContract> {
  const [model, gate] = await Promise.all([startScriptedModel(), AdmissionGate.start()])
  const folder = new HostFolder({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'no-key',
    TASK_SURFACE_TEST_ADMISSION: gate.url,
  })
  const host = await folder.start()
  let tags = 0
  return {
    driver: {
      async start(events) {
        const tag = `contract-${(tags += 1)}`
        return new HostSession(await SurfaceDriver.open({ address: host.ready, model, gate, tag }), events)
      },
      cannot,
    },
    async close() {
      await folder.remove()
      await Promise.all([model.close(), gate.close()])
    },
  }
}

function cannot({ type }: LifecycleEvent, { state, context }: LifecycleState): string | null {
  if (context['closed'] === 'removed') return null
  if (type === 'SUPERSEDE') return 'a live host opens no surface over an open one'
  if (type === 'BYPASS' && state === 'live.claiming') return 'only one row is claimed at a time'
  if (type === 'CLAIM' && state === 'live.claiming') return 'the host claims by itself, and holds a claim already'
  if (type === 'REMOVE' && state === 'closed') return 'removing the session removes what could be seen of it'
  return null
}

interface Submission {
  submissionId: string
  messageId: string
}

class HostSession implements ConformanceSession {
  readonly #driver: SurfaceDriver
  readonly #events: readonly LifecycleEvent[]
  #sent = 0
  /** What the machine calls the submission, and what the host does. */
  #named: Submission | null = null
  #real: Submission | null = null
  #isClaimed = false
  #isRemoved = false
  #discarded: { reason: string; expected: string; named: string } | null = null

  constructor(driver: SurfaceDriver, events: readonly LifecycleEvent[]) {
    this.#driver = driver
    this.#events = events
  }

  async send(event: LifecycleEvent): Promise<boolean | void> {
    const driver = this.#driver
    const next = this.#events[(this.#sent += 1)]
    if (this.#isRemoved) return (await driver.remove()).known
    switch (event.type) {
      case 'SUBMIT':
        // A message that is to bypass the submission must stand ahead of it.
        if (next?.type === 'BYPASS' && this.#real === null) await driver.writeAhead()
        return this.#submit(event)
      case 'DISMISS':
        return (await driver.dismiss(`${driver.sessionId}-${this.#sent}`)).dismissed
      case 'CLAIM':
        return this.#claim()
      case 'COMMIT':
        return this.#commit()
      case 'DISCARD':
        return this.#discard(String(event['reason']))
      case 'BYPASS':
        this.#real = null
        return driver.bypass()
      case 'REMOVE':
        this.#isRemoved = true
        return (await driver.remove()).known
      default:
        throw new Error(`no way to bring about ${event.type}`)
    }
  }

  async read(): Promise<Seen> {
    const seen = await this.#driver.see()
    if (seen === null) return { state: 'closed', context: { closed: 'removed', submission: null } }
    const { open, active, pending, outcome } = seen
    if (open !== active) return { state: `open: ${open}, but active: ${active}` }
    if (!open)
      return { state: 'closed', context: { closed: outcome, submission: pending === null ? null : { ...pending } } }
    if (pending === null)
      return { state: 'live.open', context: { closed: outcome, submission: null, ...this.#reason() } }
    const { phase, ...submission } = pending
    return { state: `live.${phase}`, context: { closed: outcome, submission: { ...this.#asNamed(submission) } } }
  }

  end(): Promise<void> {
    return this.#driver.close()
  }

  async #submit(event: LifecycleEvent): Promise<boolean> {
    // A machine does not know which ids were used before; a host does, so each attempt has its own.
    const submissionId = `${this.#driver.sessionId}-${this.#sent}`
    const answer = await this.#driver.submit(submissionId)
    if (!answer.accepted) return false
    this.#named = { submissionId: String(event['submissionId']), messageId: String(event['messageId']) }
    this.#real = { submissionId, messageId: answer.messageId }
    this.#discarded = null
    return true
  }

  /** The host claims and commits by itself, once it is let: without a submission there is nothing to let. */
  async #claim(): Promise<boolean | void> {
    if (this.#real === null) return this.#idle()
    const claimed = await this.#driver.claim()
    if (claimed !== this.#real.messageId) throw new Error(`claimed is ${claimed}`)
    this.#isClaimed = true
  }

  async #commit(): Promise<boolean | void> {
    if (this.#real === null || !this.#isClaimed) return this.#idle()
    await this.#driver.commit(this.#real.messageId)
    this.#isClaimed = false
    this.#real = null
  }

  async #discard(named: string): Promise<boolean> {
    const isClaimed = this.#isClaimed
    const before = this.#driver.discards.length
    if (isClaimed) await this.#driver.interrupt()
    else if ((await this.#driver.removeRow()) !== 'removed') {
      await this.#idle()
      return false
    }
    await this.#driver.see()
    const reason = this.#driver.discards[before] ?? 'none was told'
    this.#discarded = { reason, expected: isClaimed ? 'cancelled' : 'removed', named }
    this.#isClaimed = false
    this.#real = null
    return true
  }

  /** An interrupt where nothing is claimed must cause nothing. */
  async #idle(): Promise<void> {
    await this.#driver.interrupt()
  }

  #asNamed(submission: Submission): Submission {
    const isOurs = submission.submissionId === this.#real?.submissionId && submission.messageId === this.#real.messageId
    return isOurs && this.#named !== null ? this.#named : submission
  }

  #reason(): { discarded: string | null } {
    if (this.#discarded === null) return { discarded: null }
    const { reason, expected, named } = this.#discarded
    return { discarded: reason === expected ? named : reason }
  }
}
