/* A session's title (SPEC 5): its own, else the first line of its first message. Notices are the host's words, not a message. */
import { z } from 'zod'
import { textOf } from '../message.ts'
import type { Projection } from './projection.ts'

/** Code points taken from a first message: one line of a session list. */
export const derivedTitleLength = 60

export const titleProjectionSchema = z.object({ title: z.string() })
export type TitleProjection = z.infer<typeof titleProjectionSchema>

/** `title` is `''` until there is one. */
export const title: Projection<TitleProjection> = {
  key: 'title',
  init: { title: '' },
  apply: (state, event) => {
    switch (event.type) {
      case 'session/created':
        return renamed(state, event.data.title ?? '')
      case 'session/title':
        return renamed(state, event.data.title)
      case 'user/message':
        if (state.title !== '' || event.data.message.source.kind === 'notice') return state
        return renamed(state, derivedTitle(textOf(event.data.message.content)))
      default:
        return state
    }
  },
}

function renamed(state: TitleProjection, next: string): TitleProjection {
  return next === state.title ? state : { title: next }
}

function derivedTitle(text: string): string {
  const [line = ''] = text.trim().split(/[\r\n\u2028\u2029]/, 1)
  // A code point takes at most two UTF-16 units; cutting first keeps a huge first line cheap.
  return Array.from(line.slice(0, derivedTitleLength * 2))
    .slice(0, derivedTitleLength)
    .join('')
    .trim()
}
