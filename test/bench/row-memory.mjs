/* Memory of a live idle session (SPEC 15): how much a host's heap grows, after collection, by each session that was cold and
   is live now. The host is a process of its own, asked through the inspector. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { connect, startHost } from './bench-host.mjs'
import { printRow } from './figures.mjs'

const sessions = 1000
const goalKiB = 30

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const host = await startHost(folder, { nodeArguments: ['--inspect=127.0.0.1:0'] })
try {
  const heap = await openInspector(/ws:\/\/\S+/u.exec(host.stderr())[0])
  const client = await connect(host)
  const ids = []
  // The first one pays for whatever is loaded once.
  for (let index = 0; index <= sessions; index += 1) {
    const { session } = await client.call('session.create', { agent: 'demo', cwd: folder, title: 'An idle session' })
    ids.push(session.id)
  }
  const wake = (sessionId) => client.call('session.rename', { sessionId, title: 'A live session' })
  await wake(ids.pop())
  const before = await heap.usedBytes()
  for (const sessionId of ids) await wake(sessionId)
  const after = await heap.usedBytes()
  client.close()
  heap.close()
  printRow({
    name: 'memory of a live idle session',
    unit: 'KiB',
    value: (after - before) / sessions / 1024,
    goal: goalKiB,
  })
} finally {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function openInspector(url) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let calls = 0
  const call = async (method) => {
    const id = (calls += 1)
    socket.send(JSON.stringify({ id, method }))
    for (;;) {
      const [data] = await once(socket, 'message')
      const message = JSON.parse(String(data))
      if (message.id === id) return message.result
    }
  }
  return {
    /** What is left after two collections: the first may only make garbage of what held on to more. */
    async usedBytes() {
      await call('HeapProfiler.collectGarbage')
      await call('HeapProfiler.collectGarbage')
      const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage')
      return usedSize + embedderHeapUsedSize + backingStorageSize
    },
    close: () => socket.terminate(),
  }
}
