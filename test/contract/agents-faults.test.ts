/* Every provider through a real host, from the first message to the read answer, and whatever spoils its first request. The
   stall of 30 s is waited for in `agents-every-provider.test.ts`, on a clock that a test moves, and in `test:peers`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expected, faults, ProviderBench } from './provider-bench.ts'

let bench: ProviderBench
beforeAll(async () => {
  bench = await ProviderBench.open(30_000)
})
afterAll(() => bench.close())

const providers = ['openai-compatible', 'openai', 'deepseek', 'anthropic'] as const
const cells = providers.flatMap((provider) =>
  faults.filter((fault) => !fault.includes('stall')).map((fault) => ({ provider, fault })),
)

test.concurrent.each(cells)(
  '5: $provider streams, shows a form and reads the answer, after $fault',
  async ({ provider, fault }) => {
    expect(await bench.play(provider, fault)).toEqual(expected(fault))
  },
)
