/* Whatever the sockets of a case went through, they show the same of each session: what one is told that opens it now, at
   the same `n` of the same incarnation, and the rows that the session's own machine holds. */
import { z } from 'zod'
import { Client } from '../harness/client.ts'
import { Screen, textOfShown, type Shown } from './screen.ts'
import type { World } from './world.ts'

const deaf = { frame: () => {}, inspected: () => {}, session: () => {} }

const rowSchema = z.array(z.looseObject({ itemId: z.string(), messageId: z.string(), placement: z.string() }))

/** Nothing may be asked meanwhile; what goes on by itself may. */
export async function converge(world: World): Promise<void> {
  await world.watchAll()
  for (const [index, screen] of world.screens.entries()) {
    for (const [sessionId, view] of screen.client.viewById) {
      if (view.renewals > 0 && world.sessionIds.includes(sessionId)) await world.open(index, sessionId)
    }
  }
  const fresh = new Screen(await Client.connect(world.host.ready, world.changes), deaf)
  for (const sessionId of world.sessionIds) {
    const reply = await world.ask(fresh.client, 'session.open', { sessionId, limit: 500 })
    if (reply?.ok === true) world.book.saw(sessionId, reply.result.events)
  }
  const screens = [fresh, world.observer, ...world.screens]
  const differences = () => {
    world.read()
    // One that begins while this is looked at is looked at the next time.
    const looked = world.sessionIds.filter((sessionId) => fresh.client.viewById.has(sessionId))
    return looked.flatMap((sessionId) => difference(world, screens, sessionId) ?? [])
  }
  await world.changes.until(
    () => differences().length === 0,
    () => `sockets that show the same\n${differences().join('\n')}`,
  )
  fresh.client.drop()
}

function difference(
  world: World,
  [fresh, ...others]: readonly (Screen | undefined)[],
  sessionId: string,
): string | null {
  const wanted = fresh?.shown(sessionId) ?? null
  const view = fresh?.client.viewById.get(sessionId)
  if (fresh === undefined || wanted === null || view === undefined) return `${sessionId} was not opened`
  if (wanted.status === null) return `${sessionId}: the baseline is not complete`
  const text = textOfShown(wanted)
  for (const [index, other] of others.entries()) {
    const shown = other?.shown(sessionId) ?? null
    const otherView = other?.client.viewById.get(sessionId)
    if (shown === null || otherView === undefined) continue
    const at = `${otherView.incarnation} ${otherView.n} ${otherView.lastSeq}`
    const place = `${view.incarnation} ${view.n} ${view.lastSeq}`
    if (at !== place) return `${sessionId}: socket ${index} stands at ${at}, a new one at ${place}`
    const otherText = textOfShown(shown)
    if (otherText !== text) return `${sessionId}: socket ${index} shows ${otherText}\na new one ${text}`
    for (const [messageId, stream] of view.streams) {
      const streamed = JSON.stringify(otherView.streams.get(messageId))
      if (streamed !== JSON.stringify(stream)) return `${messageId}: ${streamed}, a new one ${JSON.stringify(stream)}`
    }
  }
  return rowsDiffer(world, sessionId, wanted)
}

function rowsDiffer(world: World, sessionId: string, { queue }: Shown): string | null {
  const actor = world.replay.session(sessionId)
  if (actor?.status !== 'active') return null
  const rows = rowSchema
    .parse(actor.context.rows)
    .map(({ itemId, messageId, placement }) => ({ itemId, messageId, placement }))
  const shown = queue.map(({ id, messageId, placement }) => ({ itemId: id, messageId, placement }))
  const same = JSON.stringify(rows) === JSON.stringify(shown)
  return same ? null : `${sessionId}: the machine holds ${JSON.stringify(rows)}, shown is ${JSON.stringify(shown)}`
}
