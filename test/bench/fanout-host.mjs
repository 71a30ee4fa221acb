/* The product's way of a frame to many sockets, in a process of its own: hub, serialisation, transport. It says its port
   and the bytes of a frame; told `{count}` on stdin, it publishes as many `session/tasks` frames to who subscribed. */
import { systemClock } from '../../dist/host/clock.js'
import { createEngine } from '../../dist/host/rpc/engine.js'
import { SubscriptionHub } from '../../dist/host/session/hub.js'
import { createTransport } from '../../dist/host/transport/server.js'

const sessionId = 'session-1'
const tasks = [
  { id: 'bash-1', kind: 'bash', label: 'npm run build', status: 'running', startedAt: 1_790_000_000_000 },
  { id: 'bash-2', kind: 'bash', label: 'npm test', status: 'stopping', startedAt: 1_790_000_000_500 },
]

// The clients are bare: they answer no ping.
const transport = await createTransport({ files: new Map(), idleTimeoutSeconds: 900 })
const faults = { passed: () => {} }
let bytes = 0
const fanout = {
  publish(topic, text) {
    bytes = text.length
    transport.publish(topic, text)
  },
}
const hub = new SubscriptionHub({ fanout, bootId: 'boot-1', faults, clock: systemClock })
const publish = () => hub.publish(sessionId, { type: 'session/tasks', tasks })
// From here on the number in every frame has four digits, so all are of one size.
for (let n = 0; n < 1000; n += 1) publish()
const engine = createEngine({
  handlers: {
    // Any method with a session will do: this one answers in few bytes.
    'session.close': ({ sessionId: id }, { peer }) => {
      peer.subscribe(hub.topic(id))
      return {}
    },
  },
  newReference: () => 'fault',
  onFault: ({ cause }) => {
    throw cause
  },
})
const hello = () => JSON.stringify({ type: 'host/hello', bootId: 'boot-1', version: '0', serverTime: 1 })
const { port } = await transport.listen({ host: '127.0.0.1', port: 0, token: process.argv[2], engine, hello })
process.stdout.write(`${JSON.stringify({ port, bytes })}\n`)

let input = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  input += chunk
  for (let end = input.indexOf('\n'); end >= 0; end = input.indexOf('\n')) {
    let left = JSON.parse(input.slice(0, end)).count
    input = input.slice(end + 1)
    const next = () => {
      publish()
      if ((left -= 1) > 0) setImmediate(next)
    }
    next()
  }
})
