/* Tokens in and out so far (SPEC 3), over the counted model calls. */
import { usageSchema } from '../message.ts'
import type { Usage } from '../message.ts'
import type { Projection } from './projection.ts'

export const usageProjectionSchema = usageSchema
export type UsageProjection = Usage

export const usage: Projection<UsageProjection> = {
  key: 'usage',
  init: { inputTokens: 0, outputTokens: 0 },
  apply: (state, event) => {
    if (event.type !== 'assistant/message' || event.data.usage === undefined) return state
    const { inputTokens, outputTokens } = event.data.usage
    if (inputTokens === 0 && outputTokens === 0) return state
    return { inputTokens: state.inputTokens + inputTokens, outputTokens: state.outputTokens + outputTokens }
  },
}
