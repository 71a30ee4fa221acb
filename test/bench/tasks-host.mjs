/* The product's way of a background task to the wire, in a process of its own: task host with real processes and records in
   LevelDB, carrier, hub, transport. Asked by a socket it starts a command that reads one line from the pipe it is given
   and ends; asked again it forgets what there was. Says its port. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../dist/host/clock.js'
import { openLevelDatabase } from '../../dist/host/log/level-database.js'
import { createTaskRecordStore } from '../../dist/host/log/task-record-store.js'
import { createEngine } from '../../dist/host/rpc/engine.js'
import { SubscriptionHub } from '../../dist/host/session/hub.js'
import { carryTasks } from '../../dist/host/session/task-carrier.js'
import { runCommand } from '../../dist/host/tasks/run-command.js'
import { openTaskHost } from '../../dist/host/tasks/task-host.js'
import { throughShell } from '../../dist/host/tasks/through-shell.js'
import { createTransport } from '../../dist/host/transport/server.js'

const [, , token, dataDir, pipe] = process.argv
const silent = { info: () => {}, warn: () => {}, error: () => {} }
const faults = { passed: () => {} }

const database = await openLevelDatabase(join(dataDir, 'database'))
const { registry, processes } = await openTaskHost({
  clock: systemClock,
  logger: silent,
  dataDir,
  bootId: randomUUID(),
  records: createTaskRecordStore(database, silent),
  observe: (machine) => machine,
  environment: { PATH: process.env['PATH'] ?? '' },
  umask: 0o022,
  reaperFile: null,
})
const transport = await createTransport({ files: new Map(), idleTimeoutSeconds: 900 })
const hub = new SubscriptionHub({ fanout: transport, bootId: 'boot-1', faults, clock: systemClock })
carryTasks(registry, hub, () => {})

async function start(owner) {
  const shell = { file: 'bash', args: ['-c', 'read -r line < "$0"', pipe], cwd: dataDir }
  const run = runCommand(processes, throughShell(0o022, shell))
  await registry.start({ kind: 'bash', label: 'npm run build', owner, run })
}

const engine = createEngine({
  handlers: {
    'session.close': ({ sessionId }, { peer }) => {
      peer.subscribe(hub.topic(sessionId))
      return {}
    },
    'session.interrupt': async ({ sessionId }) => {
      await start(sessionId)
      return {}
    },
    'session.remove': async ({ sessionId }) => {
      await registry.disposeOwner(sessionId)
      return {}
    },
  },
  newReference: () => 'fault',
  onFault: ({ cause }) => {
    throw cause
  },
})
const hello = () => JSON.stringify({ type: 'host/hello', bootId: 'boot-1', version: '0', serverTime: 1 })
const { port } = await transport.listen({ host: '127.0.0.1', port: 0, token, engine, hello })
process.stdout.write(`${JSON.stringify({ port })}\n`)
