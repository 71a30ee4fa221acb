/* `/mcp` as a function: whatever goes wrong inside is an answer, because nobody behind the socket waits for a rejection. */
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStore } from '../../host/log/memory-store.ts'
import { createMcpEndpoint } from '../../host/mcp/endpoint.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { startInProcessHost } from '../harness/in-process-host.ts'

test('mcp-contained: a request that the library cannot take is answered 500, and the next one as ever', async () => {
  const host = await startInProcessHost(createMemoryStore(), 'http://127.0.0.1:1/v1')
  const endpoint = createMcpEndpoint({
    directory: host.directory,
    version: '0.0.0',
    surfaceLimits: defaultTaskSurfaceLimits,
    defaultCwd: '/',
    maxBodyBytes: 1_000,
  })
  onTestFinished(async () => {
    await endpoint.close()
    await host.close()
  })
  const post = () =>
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"no/such"}',
    })
  const spent = post()
  await spent.text()
  expect((await endpoint.fetch(spent, null)).status).toBe(500)
  expect(host.errors).toHaveLength(1)
  expect((await endpoint.fetch(post(), null)).status).toBeLessThan(500)
})
