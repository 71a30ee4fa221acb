/* What can be done to the composer of a page from outside, and the walks that follow: the person sends, the host answers late,
   never or with a refusal, messages and discards appear, the session is shown anew. Walked by `e2e/composer-paths.test.ts`. */
import { transition } from 'xstate'
import { composerMachine, type ComposerMachineEvent, type ComposerSnapshot } from '../../machines/composer.ts'
import { messageIdSchema, type MessageId } from '../../shared/ids.ts'
import { pageWalks, type LeftOut, type Move } from './page-walks.ts'

export interface ComposerWorld {
  isOpen: boolean
  nowMs: number
  /** Deliveries that are not answered, in the order of their ends. */
  calls: readonly { messageId: MessageId; endsAtMs: number }[]
  /** What the page keeps until its message or discard is seen. */
  kept: readonly { messageId: MessageId; answered: boolean }[]
  resendAtMs: number | null
}
type ComposerMove = Move<typeof composerMachine, ComposerWorld>

export const [callMs, resendMs, breathMs] = [20_000, 6_000, 100]

const own = [messageIdSchema.parse('message-1'), messageIdSchema.parse('message-2')] as const
export const foreign = messageIdSchema.parse('message-foreign')

/** What the machine hears, and what it delivers of that, after which a breath is taken. */
function told(name: string, at: ComposerSnapshot, world: ComposerWorld, events: ComposerMachineEvent[]): ComposerMove {
  let snapshot = at
  const sent: MessageId[] = []
  for (const event of events) {
    if (!snapshot.can(event)) continue
    const [next, actions] = transition(composerMachine, snapshot, event)
    snapshot = next
    if (actions.some(({ type }) => type === 'deliver')) {
      sent.push(...(event.type === 'SEND' ? [event.messageId] : next.context.onTheWay))
    }
  }
  const endsAtMs = world.nowMs + callMs
  const calls = [...world.calls, ...sent.map((messageId) => ({ messageId, endsAtMs }))]
  return { name, events, world: { ...world, calls, nowMs: world.nowMs + (sent.length > 0 ? breathMs : 0) } }
}

/** The next thing that is due: calls whose time is over at one moment, or the delivery that waited for it. */
function timePasses(at: ComposerSnapshot, world: ComposerWorld): ComposerMove[] {
  const { calls, resendAtMs } = world
  const endsAtMs = calls[0]?.endsAtMs ?? Number.POSITIVE_INFINITY
  if (resendAtMs !== null && resendAtMs < endsAtMs) {
    const later = { ...world, nowMs: resendAtMs, resendAtMs: null }
    return [told('the wait is over', at, later, [{ type: 'RESEND' }])]
  }
  if (calls.length === 0) return []
  const over = calls.filter((call) => call.endsAtMs === endsAtMs)
  const events = over.map(({ messageId }) => ({ type: 'LOST', messageId }) as const)
  const left = { ...world, nowMs: endsAtMs, calls: calls.slice(over.length), resendAtMs: endsAtMs + resendMs }
  return [{ name: `no answer comes for ${over.map(({ messageId }) => messageId).join(' and ')}`, events, world: left }]
}

function answers(world: ComposerWorld): ComposerMove[] {
  return own.flatMap((messageId): ComposerMove[] => {
    const first = world.calls.findIndex((call) => call.messageId === messageId)
    // With two on their way nobody could say which of them is answered.
    if (first < 0 || world.calls.some((call, at) => at > first && call.messageId === messageId)) return []
    const calls = world.calls.filter((call) => call.messageId !== messageId)
    const kept = world.kept.map((one) => (one.messageId === messageId ? { ...one, answered: true } : one))
    const dropped = world.kept.filter((one) => one.messageId !== messageId)
    return [
      { name: `${messageId} is accepted`, events: [{ type: 'ACCEPTED', messageId }], world: { ...world, calls, kept } },
      {
        name: `${messageId} is refused`,
        events: [{ type: 'REFUSED', messageId }],
        world: { ...world, calls, kept: dropped },
      },
    ]
  })
}

function moves(snapshot: ComposerSnapshot, world: ComposerWorld): ComposerMove[] {
  const { value } = snapshot
  if (!world.isOpen) {
    const open = { ...world, isOpen: true }
    const found = { ...open, kept: own.map((messageId) => ({ messageId, answered: false })) }
    return [
      { name: 'a page opens', events: [{ type: 'RESEND' }], world: open },
      told('a page opens after one that was left', snapshot, found, [
        { type: 'FOUND', messageIds: own },
        { type: 'RESEND' },
      ]),
    ]
  }
  const isFree = (id: MessageId) => ![...world.kept, ...world.calls].some(({ messageId }) => messageId === id)
  const next = own.find(isFree)
  const unanswered = world.kept.flatMap(({ messageId, answered }) => (answered ? [] : [messageId]))
  const seen = world.kept.flatMap(({ messageId }): ComposerMove[] => {
    const kept = world.kept.filter((one) => one.messageId !== messageId)
    const events = [{ type: 'SETTLED', messageId } as const]
    return [{ name: `the message ${messageId} is seen`, events, world: { ...world, kept } }]
  })
  const sending =
    next === undefined || value === 'held'
      ? []
      : [
          told(
            `the person sends ${next}`,
            snapshot,
            { ...world, kept: [...world.kept, { messageId: next, answered: false }] },
            [{ type: 'SEND', messageId: next }],
          ),
        ]
  return [
    ...sending,
    ...answers(world),
    ...seen,
    { name: 'a discard of another page is seen', events: [{ type: 'SETTLED', messageId: foreign }], world },
    ...timePasses(snapshot, world),
    told('the session is shown anew', snapshot, world, [
      ...(unanswered.length === 0 ? [] : [{ type: 'FOUND', messageIds: unanswered } as const]),
      { type: 'RESEND' },
    ]),
  ]
}

export const beforeThePage: ComposerWorld = { isOpen: false, nowMs: 0, calls: [], kept: [], resendAtMs: null }

export const { walks: composerWalks, targets: composerTargets } = pageWalks({
  machine: composerMachine,
  start: beforeThePage,
  moves,
  keyOf: ({ value, context }, { isOpen, calls, kept, resendAtMs }) => {
    const onTheWay = calls.map(({ messageId, endsAtMs }) => [messageId, endsAtMs - (calls[0]?.endsAtMs ?? 0)])
    return JSON.stringify([value, context, isOpen, onTheWay, kept, resendAtMs !== null])
  },
  maxMoves: 24,
})

export const composerLeftOut: readonly LeftOut[] = [
  { states: ['delivering'], events: ['SEND'], why: 'every text gets an id that was never used' },
  { states: ['held'], events: ['SEND'], why: 'the field sends nothing while a text is held' },
  {
    states: ['idle'],
    events: ['FOUND'],
    why: 'what is found unanswered is never none, and always new to an idle page',
  },
]
