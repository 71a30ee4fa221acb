/* What one client can still tell about a session after its host died: what it asked, what it was answered and shown. */
import { z } from 'zod'
import type { SessionEvent } from '../../shared/event.ts'
import type { Asked, Client } from '../harness/client.ts'

export interface Known {
  /** Every event it was shown, rewound ones too. */
  seen: readonly SessionEvent[]
  /** Texts sent under each message id: the first one, and what it was edited to. */
  texts: ReadonlyMap<string, readonly string[]>
  /** By id; `messageId` is null where no answer came. */
  submissions: ReadonlyMap<string, { params: z.infer<typeof submitSchema>; messageId: string | null }>
  dismissals: readonly z.infer<typeof dismissSchema>[]
  removed: 'not-asked' | 'asked' | 'answered'
}

const sendSchema = z.object({ messageId: z.string(), text: z.string() })
const submitSchema = z.object({ surfaceId: z.string(), submissionId: z.string(), values: z.json() })
const dismissSchema = z.object({ surfaceId: z.string(), dismissalId: z.string() })
const editSchema = z.object({ itemId: z.string(), action: z.object({ kind: z.literal('edit'), text: z.string() }) })
const acceptedSchema = z.object({ accepted: z.literal(true), messageId: z.string() })

export function known(client: Client, sessionId: string): Known {
  const asked = client.asked.filter(({ params }) => 'sessionId' in params && params.sessionId === sessionId)
  const texts = new Map<string, string[]>()
  const submissions = new Map<string, { params: z.infer<typeof submitSchema>; messageId: string | null }>()
  const dismissals: z.infer<typeof dismissSchema>[] = []
  let removed: Known['removed'] = 'not-asked'
  const messageOf = rowNames(client, sessionId)
  for (const request of asked) {
    if (request.method === 'session.send') {
      const { messageId, text } = sendSchema.parse(request.params)
      texts.set(messageId, [...(texts.get(messageId) ?? []), text])
    } else if (request.method === 'session.updateQueue') {
      const edit = editSchema.safeParse(request.params)
      const messageId = edit.success ? messageOf.get(edit.data.itemId) : undefined
      if (edit.success && messageId !== undefined) texts.get(messageId)?.push(edit.data.action.text)
    } else if (request.method === 'taskSurface.submit') {
      const params = submitSchema.parse(request.params)
      submissions.set(params.submissionId, { params, messageId: acceptedOf(request) })
    } else if (request.method === 'taskSurface.dismiss') dismissals.push(dismissSchema.parse(request.params))
    else if (request.method === 'session.remove') removed = request.reply?.ok === true ? 'answered' : 'asked'
  }
  return { seen: seenBy(client, sessionId), texts, submissions, dismissals, removed }
}

function acceptedOf({ reply }: Asked): string | null {
  const accepted = acceptedSchema.safeParse(reply?.ok === true ? reply.result : null)
  return accepted.success ? accepted.data.messageId : null
}

/** Message ids by the ids of their rows. */
function rowNames({ frames }: Client, sessionId: string): Map<string, string> {
  const rows = frames.flatMap((frame) =>
    frame.type === 'session/queue' && frame.sessionId === sessionId ? frame.items : [],
  )
  return new Map(rows.map(({ id, messageId }) => [id, messageId]))
}

function seenBy({ frames }: Client, sessionId: string): SessionEvent[] {
  return frames.flatMap((frame) =>
    frame.type === 'session/event' && frame.sessionId === sessionId ? [frame.event] : [],
  )
}
