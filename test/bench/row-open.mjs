/* Opening a session of 100,000 events against one of 100 (SPEC 15): `session.open` over the socket until its answer,
   both sessions cold in one host, taking turns. */
import { connect, startHost } from './bench-host.mjs'
import { inBlocks, inTurn, medianPair, printRow } from './figures.mjs'
import { longSession, millionEvents, shortSession } from './large-logs.mjs'

const rounds = 200
const warmUp = 10

const host = await startHost(await millionEvents())
try {
  const client = await connect(host)
  const openMs = async (sessionId) => {
    const begun = performance.now()
    await client.call('session.open', { sessionId })
    const ms = performance.now() - begun
    await client.call('session.close', { sessionId })
    return ms
  }
  const samples = await inTurn({
    rounds,
    warmUp,
    value: () => openMs(longSession),
    floor: () => openMs(shortSession),
  })
  client.close()
  printRow({
    name: 'opening a session of 100,000 events, against one of 100, both of 1,000,000 events in 1,000 sessions',
    unit: 'ms',
    ...medianPair(inBlocks(samples, 10)),
    goal: 1.5,
  })
} finally {
  await host.stop()
}
