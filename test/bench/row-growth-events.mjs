/* What a change costs in a long session: a title that is durable and answered, in a session of 100,000 events against one of
   100, both live in one host, taking turns. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, startHost } from './bench-host.mjs'
import { inBlocks, inTurn, medianPair, printRow } from './figures.mjs'
import { longSession, shortAndLong, shortSession } from './large-logs.mjs'

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
cpSync(await shortAndLong(), folder, { recursive: true })
const host = await startHost(folder)
try {
  const client = await connect(host)
  let changes = 0
  const changeMs = async (sessionId) => {
    const title = `Plans, version ${(changes += 1)}`
    const begun = performance.now()
    await client.call('session.rename', { sessionId, title })
    return performance.now() - begun
  }
  const samples = await inTurn({
    rounds: 200,
    warmUp: 20,
    value: () => changeMs(longSession),
    floor: () => changeMs(shortSession),
  })
  client.close()
  printRow({
    name: 'a change in a session of 100,000 events, against one of 100',
    unit: 'ms',
    ...medianPair(inBlocks(samples, 10, 0.25)),
    goal: 1.5,
  })
} finally {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
}
