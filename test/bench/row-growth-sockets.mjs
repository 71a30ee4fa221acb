/* What sockets cost: a task frame to 1,000 against one to 100, until the last socket has its last byte, for each message. More
   sockets cost a raw server more for each message as well, so the growth of that is the floor. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endsWithUs } from './children.mjs'
import { inTurn, medianPair, printRow } from './figures.mjs'
import { startRawServer } from './floors.mjs'
import { frameBytes, openManySockets } from './many-sockets.mjs'

const few = 100
const many = 1000
/** Messages of one sample, whatever the number of sockets. */
const messages = 50_000
const token = 'a-token-for-the-bench'
const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.close', params: { sessionId: 'session-1' } })
const ofHost = { path: '/ws', headers: [`Authorization: Bearer ${token}`], greet: subscribe }

const hosts = []
const raws = []
try {
  const [hostFew, payload] = await hostWith(few)
  const [hostMany] = await hostWith(many)
  const rawFew = await rawWith(few, payload)
  const rawMany = await rawWith(many, payload)
  const samples = await inTurn({
    rounds: 21,
    warmUp: 2,
    value: async () => (await hostMany()) / (await hostFew()),
    floor: async () => (await rawMany()) / (await rawFew()),
  })
  printRow({
    name: 'a frame to 1,000 sockets, for each of them, against 100: growth, against that of the raw server',
    unit: '×',
    ...medianPair(samples),
    goal: 1.5,
  })
} finally {
  for (const host of hosts) {
    const gone = once(host, 'exit')
    host.kill()
    await gone
  }
  for (const raw of raws) await raw.stop()
}

/** What takes the milliseconds of one sample, and the bytes of a frame. */
async function hostWith(count) {
  const file = fileURLToPath(new URL('fanout-host.mjs', import.meta.url))
  const host = endsWithUs(spawn(process.execPath, [file, token], { stdio: ['pipe', 'pipe', 'inherit'] }))
  hosts.push(host)
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data')
  const { port, bytes } = JSON.parse(line)
  const sockets = await openManySockets(port, { count, ...ofHost })
  const publish = () => host.stdin.write(`{"count":${messages / count}}\n`)
  return [() => sockets.receive(messages * frameBytes(bytes), publish), bytes]
}

async function rawWith(count, bytes) {
  const raw = await startRawServer('publish')
  raws.push(raw)
  const sockets = await openManySockets(raw.port, { count, path: '/' })
  return () => sockets.receive(messages * frameBytes(bytes), () => raw.tell({ count: messages / count, bytes }))
}
