/* The two waits around a claim that a test may hold (SPEC 14): before a row is taken, and inside its
   admission. Both awaits exist anyway; without the hook they resolve at once. The hook is no authority: an
   address that cannot be reached, or an answer that is none, means "go on". */
import { z } from 'zod'
import type { MessageId, SessionId } from '../../shared/ids.ts'

export type Admission = { admit: true } | { admit: false; reason: string }

export interface AdmissionHook {
  beforeClaim(at: { sessionId: SessionId; queue: readonly MessageId[] }): Promise<void>
  admit(at: { sessionId: SessionId; messageId: MessageId }): Promise<Admission>
}

export const openAdmission: AdmissionHook = {
  beforeClaim: async () => {},
  admit: async () => ({ admit: true }),
}

const admissionSchema = z.discriminatedUnion('admit', [
  z.object({ admit: z.literal(true) }),
  z.object({ admit: z.literal(false), reason: z.string() }),
])

/** Asks `url` by POST and waits for its answer, however long it takes. */
export function createHttpAdmissionHook(url: string): AdmissionHook {
  const post = async (body: object): Promise<unknown> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      return text === '' ? null : JSON.parse(text)
    } catch {
      return null
    }
  }
  return {
    async beforeClaim(at) {
      await post({ point: 'claim', ...at })
    },
    async admit(at) {
      const answer = admissionSchema.safeParse(await post({ point: 'admit', ...at }))
      return answer.success ? answer.data : { admit: true }
    },
  }
}
