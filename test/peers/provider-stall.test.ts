/* A provider that says nothing for 30 s in the middle of an answer, in real time: it is waited for, and the form is shown and
   its answer read as ever (SPEC 5). Opt-in: `npm run test:peers`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expected, ProviderBench } from '../contract/provider-bench.ts'

let bench: ProviderBench
beforeAll(async () => {
  bench = await ProviderBench.open(120_000)
})
afterAll(() => bench.close())

test.concurrent.each(['openai-compatible', 'openai', 'deepseek', 'anthropic'] as const)(
  '5: %s streams, shows a form and reads the answer, after a stall of 30 s',
  async (provider) => {
    expect(await bench.play(provider, 'a stall of 30 s')).toEqual(expected('a stall of 30 s'))
  },
)
