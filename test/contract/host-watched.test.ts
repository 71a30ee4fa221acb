/* A session that is watched closely while others follow it: what they are sent is counted, not timed. */
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'

const transitions = 10_000
/** Requests in flight at a time. */
const inFlight = 500

const entriesOf = (client: Client) =>
  client.frames.flatMap((frame) => (frame.type === 'actor/inspect' ? [frame.entry] : []))
const textsOf = (client: Client) =>
  client.frames.flatMap((frame) =>
    frame.type === 'session/queue' && frame.incarnation !== undefined
      ? frame.items.flatMap(({ text }) => (text !== null && /^\d+$/.test(text) ? [Number(text)] : []))
      : [],
  )

test(
  '8 inspect: with one who watches everything and ten thousand transitions, every frame reaches the others, in order',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const person = await stage.connect()
    const watcher = await stage.connect()
    const others = [await stage.connect()]
    const { id: sessionId } = await stage.createSession(person)
    for (const client of [person, ...others]) await client.open(sessionId)
    await watcher.call('inspect.subscribe', {})
    await person.call('session.send', { sessionId, messageId: 'm-1', text: 'begin' })
    const call = await stage.call('begin')
    // A row that waits; every edit of it is one transition of the session, and one frame for each who follows.
    await person.call('session.send', { sessionId, messageId: 'm-2', text: '0' })
    const itemId = await stage.until(() => person.view(sessionId).queue[0]?.id, 'the row')
    for (let first = 1; first <= transitions; first += inFlight) {
      await Promise.all(
        Array.from({ length: inFlight }, (_, offset) =>
          person.call('session.updateQueue', {
            sessionId,
            itemId,
            action: { kind: 'edit', text: String(first + offset) },
          }),
        ),
      )
    }
    const numbers = Array.from({ length: transitions + 1 }, (_, index) => index)
    // That no number of a frame is left out, `Client` holds against each as it comes.
    for (const client of [person, ...others]) {
      await stage.until(() => textsOf(client).at(-1) === transitions, 'the last frame')
      expect(textsOf(client)).toEqual(numbers)
      expect(client.isClosed).toBe(false)
      expect(entriesOf(client)).toEqual([])
    }
    const edits = () => entriesOf(watcher).filter(({ event }) => isDeepStrictEqual(event, { type: 'EDIT', itemId }))
    await stage.until(() => entriesOf(watcher).length >= transitions && edits().length >= transitions, 'every entry')
    const ids = edits().map(({ id }) => Number(id))
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right))
    expect(ids).toHaveLength(transitions)
    expect(watcher.isClosed).toBe(false)
    await person.call('session.updateQueue', { sessionId, itemId, action: { kind: 'remove' } })
    call.answerText('done')
  },
)
