/* What a long list of tasks costs: from the request to the row of the new task, among 200 settled ones against none. The
   frame carries the whole list. Two sessions of one host take turns. */
import { inBlocks, inTurn, medianPair, printRow } from './figures.mjs'
import { openTasks } from './tasks-client.mjs'

const settled = 200
const withMany = 'session-1'
const withNone = 'session-2'

const tasks = await openTasks()
try {
  await tasks.watch(withMany)
  await tasks.watch(withNone)
  const startMs = async (sessionId) => {
    const ms = await tasks.startMs(sessionId)
    await tasks.settleMs(sessionId)
    return ms
  }
  for (let task = 0; task < settled; task += 1) await startMs(withMany)
  const samples = await inTurn({
    rounds: 100,
    warmUp: 10,
    value: () => startMs(withMany),
    floor: async () => {
      await tasks.forget(withNone)
      return startMs(withNone)
    },
  })
  printRow({
    name: 'task start to row visible among 200 tasks, against none',
    unit: 'ms',
    ...medianPair(inBlocks(samples, 10, 0.25)),
    goal: 1.5,
  })
} finally {
  await tasks.close()
}
