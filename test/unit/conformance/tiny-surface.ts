/* A second implementation of one Task Surface, in memory, written from the contract's words and not from our machines: a form
   that lies on a desk, and a tray in which its answer waits. And the driver that holds it to the executable contract. */
import type { ConformanceDriver, LifecycleEvent, Seen } from '../../../machines/conformance.ts'

interface Answer {
  submissionId: string
  messageId: string
}

export class TinySurface {
  /** Null: the form lies open. */
  outcome: string | null = null
  tray: Answer | null = null
  isTaken = false
  lastDiscard: string | null = null

  submit(answer: Answer): boolean {
    if (this.outcome !== null || this.tray !== null) return false
    this.tray = answer
    this.lastDiscard = null
    return true
  }

  /** The agent takes the answer out of the tray, and has not written it down yet. */
  take(): boolean {
    if (this.tray === null || this.isTaken) return false
    this.isTaken = true
    return true
  }

  writeDown(): boolean {
    if (!this.isTaken) return false
    return this.close('submitted')
  }

  giveBack(reason: string): boolean {
    if (this.tray === null) return false
    this.emptyTray()
    this.lastDiscard = reason
    return true
  }

  dismiss(): boolean {
    if (this.tray !== null) return false
    return this.close('dismissed')
  }

  close(outcome: string): boolean {
    if (this.outcome !== null) return false
    this.emptyTray()
    this.outcome = outcome
    return true
  }

  private emptyTray(): void {
    this.tray = null
    this.isTaken = false
  }
}

function send(surface: TinySurface, event: LifecycleEvent): boolean {
  switch (event.type) {
    case 'SUBMIT':
      return surface.submit({ submissionId: String(event['submissionId']), messageId: String(event['messageId']) })
    case 'CLAIM':
      return surface.take()
    case 'COMMIT':
      return surface.writeDown()
    case 'DISCARD':
      return surface.giveBack(String(event['reason']))
    case 'DISMISS':
      return surface.dismiss()
    case 'BYPASS':
      return surface.close('bypassed')
    case 'SUPERSEDE':
      return surface.close('superseded')
    case 'REMOVE':
      return surface.close('removed')
    default:
      throw new Error(`a surface knows no ${event.type}`)
  }
}

function read({ outcome, tray, isTaken, lastDiscard }: TinySurface): Seen {
  const live = tray === null ? 'live.open' : isTaken ? 'live.claiming' : 'live.queued'
  const submission = tray === null ? null : { ...tray }
  return { state: outcome === null ? live : 'closed', context: { submission, discarded: lastDiscard, closed: outcome } }
}

export const driver: ConformanceDriver = {
  start() {
    const surface = new TinySurface()
    return { send: (event) => send(surface, event), read: () => read(surface) }
  },
}
