/* What a host does before it listens: sessions are composed first, and some have something to say at once. */
import { expect, it, onTestFinished } from 'vitest'
import { createTransport } from '../../host/transport/server.ts'
import { createEngine } from '../../host/rpc/engine.ts'
import { connect, token } from './host-harness.ts'

it('publish-early: a frame published before the transport listens reaches nobody and does no harm', async () => {
  const transport = await createTransport({ files: new Map() })
  onTestFinished(() => transport.close())
  transport.publish('host', '{"type":"test/early"}')
  const engine = createEngine({ handlers: {}, newReference: () => 'fault', onFault: () => {} })
  const hello = () => JSON.stringify({ type: 'host/hello', bootId: 'boot-1', version: '0.0.0', serverTime: 1 })
  const bound = await transport.listen({ host: '127.0.0.1', port: 0, token, engine, hello })
  const client = await connect({ ...bound, transport, faults: [] })
  transport.publish('host', '{"type":"test/late"}')
  expect(await client.next()).toEqual({ type: 'test/late' })
})
