/* What a person at a socket does next: any request of the wire, at the right moment or at any other, anew, once more, or
   with what is long gone. Which of them and with what is drawn from the seed; what comes back goes into the book. */
import { setImmediate } from 'node:timers/promises'
import type { QueueAction } from '../../shared/protocol/methods.ts'
import type { Random } from './random.ts'
import type { Shown } from './screen.ts'
import { answerQuestion, decideApproval, dismiss, submit } from './surface-moves.ts'
import type { World } from './world.ts'

export interface At {
  world: World
  /** Of the socket. */
  index: number
  sessionId: string
  /** As the socket that sees everything shows it. */
  shown: Shown
}

type Place = Omit<At, 'shown'>

type Move = (at: At) => Promise<void>

const moves: readonly (readonly [weight: number, move: Move])[] = [
  [16, send],
  [4, sendAgain],
  [10, updateQueue],
  [14, submit],
  [7, dismiss],
  [7, answerQuestion],
  [9, decideApproval],
  [7, interrupt],
  [3, hurry],
  [3, configure],
  [2, rename],
  [4, rewind],
  [4, fork],
  [5, dismissAndFork],
  [1, remove],
  [2, create],
  [4, reopen],
  [3, read],
  [2, reconnect],
]

export async function randomMove(world: World): Promise<void> {
  const { random } = world
  const index = random.below(3)
  const sessionId = random.pick(world.sessionIds)
  const shown = sessionId === undefined ? null : world.observer.shown(sessionId)
  if (sessionId === undefined || shown === null) return create({ world, index })
  await random.weighted(moves)?.({ world, index, sessionId, shown })
}

async function send({ world, index, sessionId }: Place): Promise<void> {
  const messageId = world.newId('m')
  const placement = world.random.one('queued', 'queued', 'steering')
  await sendText({ world, index, sessionId }, messageId, `text of ${messageId}`, placement)
}

/** A duplicate, or the id with another text, in any session. */
async function sendAgain({ world, index, sessionId }: At): Promise<void> {
  const sent = world.random.pick([...world.book.sent.values()])
  if (sent === undefined) return
  const text = world.random.chance(0.7) ? sent.text : 'another text'
  await sendText(
    { world, index, sessionId: sent.sessionId },
    sent.messageId,
    text,
    world.random.one('queued', 'steering'),
  )
  if (world.random.chance(0.3)) await sendText({ world, index, sessionId }, world.newId('m'), 'after it', 'queued')
}

export async function sendText(
  { world, index, sessionId }: Place,
  messageId: string,
  text: string,
  placement: 'queued' | 'steering',
): Promise<void> {
  const screen = world.screen(index)
  if (screen === null) return
  const { hostLife } = world.book
  const reply = await world.ask(screen.client, 'session.send', { sessionId, messageId, text, placement })
  if (reply?.ok !== true) return
  world.book.sent.set(`${sessionId} ${messageId}`, { kind: 'message', sessionId, messageId, text, hostLife })
}

async function updateQueue({ world, index, sessionId, shown }: At): Promise<void> {
  const { random, book } = world
  const screen = world.screen(index)
  if (screen === null) return
  const row = random.chance(0.85) ? random.pick(shown.queue) : undefined
  const itemId = row?.id ?? random.pick(book.old.items) ?? 'item-never'
  const action: QueueAction | undefined = random.weighted<QueueAction>([
    [5, { kind: 'edit', text: `edited ${world.newId('e')}` }],
    [2, { kind: 'remove' }],
    [5, { kind: 'steer' }],
  ])
  if (action === undefined) return
  // Before the answer: the row may become a message with this text while it is on its way.
  const messageId = book.messageByItem.get(itemId)
  if (action.kind === 'edit' && messageId !== undefined) {
    book.edits.set(messageId, [...(book.edits.get(messageId) ?? []), action.text])
  }
  await world.ask(screen.client, 'session.updateQueue', { sessionId, itemId, action })
}

async function interrupt({ world, index, sessionId }: Place): Promise<void> {
  const screen = world.screen(index)
  if (screen !== null) await world.ask(screen.client, 'session.interrupt', { sessionId })
}

/** A message and, in the moments in which it is written, several who cut it off or come behind it. */
export async function hurry({ world, index, sessionId }: Place): Promise<void> {
  const { random } = world
  const sent = [send({ world, index, sessionId })]
  for (let times = 6; times > 0; times -= 1) {
    for (let ticks = random.below(25); ticks > 0; ticks -= 1) await setImmediate()
    const at = { world, index: random.below(3), sessionId }
    sent.push(random.chance(0.6) ? interrupt(at) : send(at))
  }
  await Promise.all(sent)
}

async function configure({ world, index, sessionId }: At): Promise<void> {
  const screen = world.screen(index)
  const approval = world.random.one('ask', 'auto')
  const toolMode = world.random.one('native', 'native', 'both')
  if (screen !== null) await world.ask(screen.client, 'session.configure', { sessionId, approval, toolMode })
}

async function rename({ world, index, sessionId }: At): Promise<void> {
  const screen = world.screen(index)
  const title = world.newId('title')
  if (screen !== null) await world.ask(screen.client, 'session.rename', { sessionId, title })
}

/** An end of a turn, the beginning, or any number. */
function someSeq(random: Random, { world, sessionId }: At): number {
  const seen = [...(world.book.seen.get(sessionId)?.values() ?? [])]
  const ends = seen.filter(({ type }) => type === 'turn/end' || type === 'task-surface/dismissed')
  return random.chance(0.75) ? (random.pick(ends)?.seq ?? 0) : random.below(seen.length + 5)
}

async function rewind(at: At): Promise<void> {
  const { world, index, sessionId } = at
  const screen = world.screen(index)
  if (screen === null) return
  const toSeq = world.random.chance(0.1) ? 0 : someSeq(world.random, at)
  const reply = await world.ask(screen.client, 'session.rewind', { sessionId, toSeq })
  if (reply?.ok !== true) return
  const { lastSeq, text } = reply.result
  world.book.rewound.push({ sessionId, toSeq, lastSeq, text })
}

async function fork(at: At): Promise<void> {
  const { world, index, sessionId } = at
  const screen = world.screen(index)
  if (screen === null || world.sessionIds.length > 7) return
  const atSeq = world.random.chance(0.4) ? undefined : someSeq(world.random, at)
  const before = world.book.lastSeen(sessionId)
  const reply = await world.ask(screen.client, 'session.fork', { sessionId, ...(atSeq !== undefined && { atSeq }) })
  if (reply?.ok !== true) return
  world.read()
  const childId = reply.result.session.id
  world.book.forked.push({ sourceId: sessionId, childId, atSeq, lastSeq: [before, world.book.lastSeen(sessionId)] })
  await world.open(index, childId)
}

/** The dismissal right behind a turn comes along. */
async function dismissAndFork(at: At): Promise<void> {
  await dismiss(at)
  await fork(at)
}

async function remove({ world, index, sessionId }: At): Promise<void> {
  const screen = world.screen(index)
  if (screen === null || world.sessionIds.length < 3) return
  world.book.removed.add(sessionId)
  await world.ask(screen.client, 'session.remove', { sessionId })
}

export async function create({ world, index }: Pick<At, 'world' | 'index'>): Promise<void> {
  const screen = world.screen(index)
  if (screen === null || world.sessionIds.length > 4) return
  const agent = 'openai-compatible/scripted'
  const approval = world.random.one('ask', 'auto')
  const reply = await world.ask(screen.client, 'session.create', { agent, approval, toolMode: 'native' })
  if (reply?.ok === true) await world.open(index, reply.result.session.id)
}

async function reopen({ world, index, sessionId }: At): Promise<void> {
  const screen = world.screen(index)
  if (screen === null) return
  if (world.random.chance(0.3)) await world.ask(screen.client, 'session.close', { sessionId })
  if (world.random.chance(0.8)) await world.open(index, sessionId)
}

async function read({ world, index, sessionId }: At): Promise<void> {
  const { random, book } = world
  const screen = world.screen(index)
  if (screen === null) return
  const surfaceId = random.pick([...book.surfaces.keys()]) ?? 'ts-none'
  const way = random.weighted<() => Promise<unknown>>([
    [1, () => world.ask(screen.client, 'session.list', {})],
    [1, () => world.ask(screen.client, 'taskSurface.getActive', { sessionId, surfaceId })],
    [1, () => world.ask(screen.client, 'inspect.journal', { sessionId, limit: 5 })],
  ])
  await way?.()
  const reply = await world.ask(screen.client, 'session.history', { sessionId, limit: 1 + random.below(5) })
  if (reply?.ok === true) book.saw(sessionId, reply.result.events)
}

async function reconnect({ world, index }: At): Promise<void> {
  await world.connect(index)
}
