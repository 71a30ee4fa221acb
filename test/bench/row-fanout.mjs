/* A task frame to 1,000 sockets (SPEC 15): messages per second until the last socket has its last byte, against a raw
   server that publishes texts of the same size. Both servers are processes of their own with the same clients. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endsWithUs } from './children.mjs'
import { inTurn, medianPair, printRow } from './figures.mjs'
import { startRawServer } from './floors.mjs'
import { frameBytes, openManySockets } from './many-sockets.mjs'

const sockets = 1000
const frames = 100
const rounds = 21
const token = 'a-token-for-the-bench'

const hostFile = fileURLToPath(new URL('fanout-host.mjs', import.meta.url))
const host = endsWithUs(spawn(process.execPath, [hostFile, token], { stdio: ['pipe', 'pipe', 'inherit'] }))
const raw = await startRawServer('publish')
try {
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data')
  const { port, bytes: payload } = JSON.parse(line)
  const subscribe = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'session.close',
    params: { sessionId: 'session-1' },
  })
  const headers = [`Authorization: Bearer ${token}`]
  const ofHost = await openManySockets(port, { count: sockets, path: '/ws', headers, greet: subscribe })
  const ofRaw = await openManySockets(raw.port, { count: sockets, path: '/' })
  const bytes = sockets * frames * frameBytes(payload)
  const perSecond = (ms) => (sockets * frames) / (ms / 1000)
  const samples = await inTurn({
    rounds,
    value: async () => perSecond(await ofHost.receive(bytes, () => host.stdin.write(`{"count":${frames}}\n`))),
    floor: async () => perSecond(await ofRaw.receive(bytes, () => raw.tell({ count: frames, bytes: payload }))),
  })
  ofHost.close()
  ofRaw.close()
  printRow({
    name: 'task frames to 1,000 sockets',
    unit: '1/s',
    ...medianPair(samples),
    goal: 0.9,
    atLeast: true,
  })
} finally {
  const gone = once(host, 'exit')
  host.kill()
  await gone
  await raw.stop()
}
