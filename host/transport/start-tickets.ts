/* Words that open the start link once, in place of the token (SPEC 12): the browser is a program that is told its address
   in the list of processes, which everybody on the machine may read, and some keep it there for as long as they run. */
import { sameToken } from './access.ts'

export interface StartTickets {
  /** A new ticket; the one before is void. */
  issue(): string
  /** True once for the ticket that was issued last, while it is fresh. */
  spend(given: string): boolean
}

/** A browser that has to be started first takes its time. */
export const ticketMs = 60_000

export function createStartTickets(deps: { mint: () => string; now: () => number }): StartTickets {
  let open: { ticket: string; until: number } | null = null
  return {
    issue() {
      const ticket = deps.mint()
      open = { ticket, until: deps.now() + ticketMs }
      return ticket
    },
    spend(given) {
      if (open === null || !sameToken(given, open.ticket)) return false
      const isFresh = deps.now() < open.until
      open = null
      return isFresh
    },
  }
}
