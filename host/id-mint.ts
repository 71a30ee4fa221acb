/* The one place where the host makes ids: random, never derived from content (SPEC 2). The prefix is for
   people who read logs. */
import { randomBytes } from 'node:crypto'
import {
  approvalIdSchema,
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  questionIdSchema,
  sessionIdSchema,
  taskSurfaceIdSchema,
} from '../shared/ids.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 random bits in Crockford's base 32: no collision worth planning for, and short enough to read aloud. */
function randomText(): string {
  return Array.from(randomBytes(16), (byte) => alphabet.charAt(byte & 31)).join('')
}

export type IdMint = ReturnType<typeof createIdMint>

/** `random` returns a text of the id alphabet that never repeats. */
export function createIdMint(random: () => string = randomText) {
  return {
    session: () => sessionIdSchema.parse(`s-${random()}`),
    message: () => messageIdSchema.parse(`m-${random()}`),
    inboxItem: () => inboxItemIdSchema.parse(`i-${random()}`),
    // Some providers accept only letters, digits, _ and - in a call id.
    call: () => callIdSchema.parse(`call_${random()}`),
    surface: () => taskSurfaceIdSchema.parse(`ts-${random()}`),
    approval: () => approvalIdSchema.parse(`a-${random()}`),
    question: () => questionIdSchema.parse(`q-${random()}`),
    boot: () => `boot-${random()}`,
  }
}
