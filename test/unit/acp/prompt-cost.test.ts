/* What agents say a prompt has cost, each in its own way. */
import { expect, it } from 'vitest'
import { costOf, promptedSchema } from '../../../host/acp/updates.ts'

const cost = (answer: object) => costOf(promptedSchema.parse({ stopReason: 'end_turn', ...answer }))
const quota = { quota: { token_count: { input_tokens: 40, output_tokens: 2 }, model_usage: [] } }

it.each([
  ['nothing', {}, null],
  [
    'what is cached apart',
    { usage: { inputTokens: 10, cachedReadTokens: 90, outputTokens: 5, totalTokens: 105 } },
    [100, 5],
  ],
  [
    'what is cached within',
    { usage: { inputTokens: 100, cachedReadTokens: 90, outputTokens: 5, totalTokens: 105 } },
    [100, 5],
  ],
  ['thoughts apart', { usage: { inputTokens: 10, outputTokens: 5, thoughtTokens: 7, totalTokens: 22 } }, [10, 5]],
  ['zeros', { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }, null],
  ['nonsense', { usage: { inputTokens: 'many' }, _meta: 7 }, null],
  ['a quota', { _meta: quota }, [40, 2]],
  ['both', { usage: { inputTokens: 41, outputTokens: 3 }, _meta: quota }, [41, 3]],
] as const)('11: an agent that tells %s', (_, answer, expected) => {
  const [inputTokens, outputTokens] = expected ?? []
  expect(cost(answer)).toEqual(expected === null ? null : { inputTokens, outputTokens })
})
