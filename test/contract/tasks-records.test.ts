/* The task record port (SPEC 7), one suite for every store; then what LevelDB alone must bear. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { taskKey } from '../../host/log/keys.ts'
import { openLevelDatabase, type LevelDatabase } from '../../host/log/level-database.ts'
import { createLevelStore } from '../../host/log/level-store.ts'
import { createTaskRecordStore } from '../../host/log/task-record-store.ts'
import { silentLogger } from '../../host/logger.ts'
import { createMemoryTaskRecords, type StoredTask, type TaskRecords } from '../../host/tasks/task-records.ts'
import { sessionIdSchema, taskIdSchema } from '../../shared/ids.ts'

const bash = (name: string, more: Partial<StoredTask> = {}): StoredTask => ({
  id: taskIdSchema.parse(`bash-${name}`),
  owner: sessionIdSchema.parse('s-1'),
  kind: 'bash',
  label: 'npm run "build"\u2028',
  startedAt: 5,
  ...more,
})

async function levelDatabase(): Promise<{ folder: string; database: LevelDatabase }> {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-records-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = await openLevelDatabase(folder)
  onTestFinished(() => database.close())
  return { folder, database }
}

const backends: { name: string; open: () => Promise<TaskRecords> }[] = [
  { name: 'LevelDB', open: async () => createTaskRecordStore((await levelDatabase()).database, silentLogger) },
  { name: 'memory', open: async () => createMemoryTaskRecords() },
]

const byId = (tasks: readonly StoredTask[]) => tasks.toSorted((a, b) => a.id.localeCompare(b.id))

describe.each(backends)('records in $name', ({ open }) => {
  it('records: what was put is there, whole, until it is removed', async () => {
    const records = await open()
    const tasks = [
      bash('a', { process: { pid: 77, startTime: 'boot/12' } }),
      bash('b', { end: { status: 'failed', detail: 'exit code 1', finishedAt: 9 } }),
      bash('c', { process: { pid: 78, startTime: null }, end: { status: 'completed', finishedAt: 9 } }),
    ]
    for (const task of tasks) await records.put(task)
    expect(byId(await records.all())).toEqual(tasks)
    await records.remove(taskIdSchema.parse('bash-b'))
    expect(byId(await records.all())).toEqual([tasks[0], tasks[2]])
  })

  it('records: a later put replaces the whole record', async () => {
    const records = await open()
    await records.put(bash('a', { process: { pid: 77, startTime: 'boot/12' } }))
    await records.put(bash('a'))
    expect(await records.all()).toEqual([bash('a')])
  })

  it('records: removing what is not there does nothing', async () => {
    const records = await open()
    await records.remove(taskIdSchema.parse('bash-none'))
    expect(await records.all()).toEqual([])
  })

  it('records: more than a page of them all come back', async () => {
    const records = await open()
    const names = Array.from({ length: 1_205 }, (_, index) => String(index).padStart(5, '0'))
    await Promise.all(names.map((name) => records.put(bash(name))))
    expect((await records.all()).map(({ id }) => id).toSorted()).toEqual(names.map((name) => `bash-${name}`))
  })
})

describe('records beside the log', () => {
  it('one-database: they outlive closing and opening, and are in the way of no session', async () => {
    const { folder, database } = await levelDatabase()
    await createTaskRecordStore(database, silentLogger).put(bash('a'))
    await database.close()
    const again = await openLevelDatabase(folder)
    onTestFinished(() => again.close())
    const store = await createLevelStore(again)
    expect(await store.headers({ limit: 10 })).toEqual([])
    expect(await createTaskRecordStore(again, silentLogger).all()).toEqual([bash('a')])
  })

  it('damaged: a record that cannot be read is reported and costs no other', async () => {
    const { database } = await levelDatabase()
    const warned: object[] = []
    const records = createTaskRecordStore(database, { ...silentLogger, warn: (fields) => warned.push(fields) })
    for (const name of ['a', 'b', 'c']) await records.put(bash(name))
    const key = taskKey(taskIdSchema.parse('bash-b'))
    const sealed = (await database.get(key)) ?? ''
    for (const value of [sealed.replace('npm', 'nqm'), '', 'no record']) {
      await database.write([{ type: 'put', key, value }])
      expect((await records.all()).map(({ id }) => id)).toEqual(['bash-a', 'bash-c'])
    }
    expect(warned).toEqual([{ key }, { key }, { key }])
  })

  it('not-as-if: a write that is not on disk rejects', async () => {
    const { database } = await levelDatabase()
    const records = createTaskRecordStore(database, silentLogger)
    await database.close()
    await expect(records.put(bash('a'))).rejects.toMatchObject({ code: 'unavailable' })
  })
})
