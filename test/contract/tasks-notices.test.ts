/* Notices that cannot be delivered (SPEC 7): what is as it should be is not logged as a warning. */
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStore } from '../../host/log/memory-store.ts'
import type { TaskRecord } from '../../host/tasks/port.ts'
import { taskIdSchema } from '../../shared/ids.ts'
import { startInProcessHost } from '../harness/in-process-host.ts'
import { stranger } from './tasks-bench.ts'

const id = taskIdSchema.parse('bash-1')
const ended: TaskRecord = {
  id,
  owner: stranger,
  view: { id, kind: 'bash', label: 'npm test', status: 'completed', startedAt: 1, finishedAt: 2 },
  stoppedBy: null,
  modelTold: false,
}
const warning = 'a completion notice was not delivered'

async function open() {
  const store = createMemoryStore()
  let fails = false
  const acquire: typeof store.acquire = (...args) =>
    fails ? Promise.reject(new Error('the disk is gone')) : store.acquire(...args)
  const host = await startInProcessHost({ ...store, acquire }, 'http://127.0.0.1:1/v1')
  onTestFinished(() => host.close())
  const { id: owner } = await host.directory.create({ agent: 'demo', cwd: '/' })
  return { host, owner, breakStore: () => (fails = true) }
}

test('quiet-stop: what a stopping host no longer tells, and a session that is gone, are no warnings', async () => {
  const { host, owner } = await open()
  await host.directory.notifyTaskDone(stranger, ended)
  await host.directory.close()
  await host.directory.notifyTaskDone(owner, ended)
  expect(host.warnings).toEqual([])
})

test('quiet-stop: a notice that fails for another reason is one', async () => {
  const { host, owner, breakStore } = await open()
  breakStore()
  await host.directory.notifyTaskDone(owner, ended)
  expect(host.warnings).toEqual([warning])
})
