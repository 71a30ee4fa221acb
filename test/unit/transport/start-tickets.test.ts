import { expect, it } from 'vitest'
import { createStartTickets, ticketMs } from '../../../host/transport/start-tickets.ts'

function stage() {
  let minted = 0
  const time = { now: 1_000 }
  const tickets = createStartTickets({ mint: () => `ticket-${(minted += 1)}`, now: () => time.now })
  return { ...tickets, time }
}

it('access/ticket: opens once', () => {
  const { issue, spend } = stage()
  const ticket = issue()
  expect([spend(ticket), spend(ticket)]).toEqual([true, false])
})

it('access/ticket: what is wrong opens nothing and costs the right one nothing', () => {
  const { issue, spend } = stage()
  expect(spend('')).toBe(false)
  const ticket = issue()
  expect([spend(''), spend(`${ticket}x`), spend(ticket)]).toEqual([false, false, true])
})

it('access/ticket: opens for a minute', () => {
  const { issue, spend, time } = stage()
  const [first] = [issue()]
  time.now += ticketMs - 1
  expect(spend(first)).toBe(true)
  const second = issue()
  time.now += ticketMs
  expect(spend(second)).toBe(false)
})

it('access/ticket: a newer one takes the place of the one before', () => {
  const { issue, spend } = stage()
  const [older, newer] = [issue(), issue()]
  expect([spend(older), spend(newer)]).toEqual([false, true])
})
