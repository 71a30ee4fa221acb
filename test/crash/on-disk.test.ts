/* SPEC 2, durable before visible, as far as no kill can show it: what the system was told to write survives SIGKILL, but a
   power cut only where the disk was waited for. No test can cut the power, so this one looks at what is asked of the
   binding, for everything that a host writes. */
import { ClassicLevel } from 'classic-level'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { taskKey } from '../../host/log/keys.ts'
import { openLevelDatabase } from '../../host/log/level-database.ts'
import { createLevelStore } from '../../host/log/level-store.ts'
import { taskIdSchema } from '../../shared/ids.ts'
import { appendOf, owned, session } from '../contract/log-backends.ts'

test('durable-first: no batch of a host is written without waiting for the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-on-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const scratch = new ClassicLevel(join(folder, 'scratch'))
  await scratch.open()
  const batch = scratch.batch()
  const write = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(batch)), 'write')
  const database = await openLevelDatabase(folder)
  try {
    const store = await createLevelStore(database)
    const ownership = await owned(store, session('a'))
    await store.appendGroup([appendOf(ownership, 0, ['x'])])
    await database.write([{ type: 'put', key: taskKey(taskIdSchema.parse('bash-1')), value: 'x' }])
    database.carry([{ type: 'put', key: 's!a!j!1', value: 'x' }])
    await database.flush()
    await store.remove(ownership)
    expect(write.mock.calls.length).toBeGreaterThanOrEqual(5)
    for (const call of write.mock.calls) expect(call).toEqual([{ sync: true }])
  } finally {
    write.mockRestore()
    await database.close()
    await batch.close()
    await scratch.close()
  }
})
