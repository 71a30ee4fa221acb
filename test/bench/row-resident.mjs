/* Resident memory of a host with 1,000,000 events in 1,000 sessions, after it has listed them and opened its longest and a
   hundred others: the most it had until then, where the system tells. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { connect, startHost } from './bench-host.mjs'
import { printRow } from './figures.mjs'
import { longSession, millionEvents } from './large-logs.mjs'

const opened = 100
const goalMiB = 150

const host = await startHost(await millionEvents())
try {
  const client = await connect(host)
  const { sessions } = await client.call('session.list')
  for (const sessionId of [longSession, ...sessions.slice(0, opened).map(({ id }) => id)]) {
    await client.call('session.open', { sessionId })
    await client.call('session.close', { sessionId })
  }
  client.close()
  printRow({
    name: 'resident memory with 1,000,000 events in 1,000 sessions',
    unit: 'MiB',
    value: residentKiB(host.pid) / 1024,
    goal: goalMiB,
  })
} finally {
  await host.stop()
}

function residentKiB(pid) {
  const statusFile = `/proc/${pid}/status`
  if (existsSync(statusFile)) return Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync(statusFile, 'utf8'))[1])
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }))
}
