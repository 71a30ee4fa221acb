/* Opening a session of 100,000 events against one of 100 (SPEC 15): `session.open` over the socket until its answer,
   both sessions cold in one host, taking turns. */
import { connect, startHost } from './bench-host.mjs'
import { medianPair, printRow } from './figures.mjs'
import { dataFolderOf } from './large-logs.mjs'

const rounds = 120
const warmUp = 10

const host = await startHost(await dataFolderOf('opening', [100, 100_000]))
try {
  const client = await connect(host)
  const openMs = async (sessionId) => {
    const begun = performance.now()
    await client.call('session.open', { sessionId })
    const ms = performance.now() - begun
    await client.call('session.close', { sessionId })
    return ms
  }
  const samples = { short: [], long: [] }
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const short = await openMs('session-0')
    const long = await openMs('session-1')
    if (round < warmUp) continue
    samples.short.push(short)
    samples.long.push(long)
  }
  client.close()
  printRow({
    name: 'opening a session of 100,000 events, against one of 100',
    unit: 'ms',
    ...medianPair(samples.long, samples.short),
    goal: 1.5,
  })
} finally {
  await host.stop()
}
