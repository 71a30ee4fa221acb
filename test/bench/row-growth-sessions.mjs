/* What sessions cost each other: a change that is durable and answered, among 1,000 live sessions against one that is alone,
   and the list of 1,000 against that of 100, for each of them. Two hosts take turns. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, startHost } from './bench-host.mjs'
import { inBlocks, inTurn, medianPair, printRow } from './figures.mjs'

const few = 100
const many = 1000

const hosts = []
try {
  const small = await hostWith({ sessions: few, live: 1 })
  const large = await hostWith({ sessions: many, live: many })
  const changes = await inTurn({ rounds: 200, warmUp: 20, value: large.changeMs, floor: small.changeMs })
  const lists = await inTurn({ rounds: 100, warmUp: 10, value: large.listMs, floor: small.listMs })
  printRow({
    name: 'a change with 1,000 live sessions, against 1',
    unit: 'ms',
    ...medianPair(inBlocks(changes, 10, 0.25)),
    goal: 1.5,
  })
  printRow({
    name: 'listing 1,000 sessions, for each of them, against 100',
    unit: 'ms',
    ...medianPair(inBlocks(lists, 10, 0.25)),
    goal: 1.5,
  })
} finally {
  for (const { host, folder } of hosts) {
    await host.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function hostWith({ sessions, live }) {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
  const host = await startHost(folder)
  hosts.push({ host, folder })
  const client = await connect(host)
  const ids = []
  for (let index = 0; index < sessions; index += 1) {
    const { session } = await client.call('session.create', { agent: 'demo', cwd: folder, title: 'Plans' })
    ids.push(session.id)
  }
  let changes = 0
  const change = (sessionId) => client.call('session.rename', { sessionId, title: `Plans ${(changes += 1)}` })
  for (const id of ids.slice(0, live)) await change(id)
  const timed = async (work) => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }
  return {
    changeMs: () => timed(() => change(ids[0])),
    listMs: async () => (await timed(() => client.call('session.list'))) / sessions,
  }
}
