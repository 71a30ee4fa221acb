/* The one place where the host makes ids: random, never derived from content (SPEC 2). The prefix is for
   people who read logs. */
import { randomFillSync } from 'node:crypto'
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
const length = 16

/** Random bytes are drawn for many ids at once: a draw costs more than all the rest of an id. */
function createRandomText(): () => string {
  const pool = Buffer.alloc(length * 256)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    let text = ''
    for (const end = next + length; next < end; next += 1) text += alphabet.charAt(pool.readUInt8(next) & 31)
    return text
  }
}

export type IdMint = ReturnType<typeof createIdMint>

/** `random` returns a text of the id alphabet that never repeats. */
export function createIdMint(random: () => string = createRandomText()) {
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
