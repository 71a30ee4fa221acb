/* The fold and fork fixtures through a real LevelDB (SPEC 2): imported, opened cold, forked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogStore } from '../../host/log/port.ts'
import { createSessionLog, type SessionLog } from '../../host/log/session-log.ts'
import { fixtureCases } from './fixtures-cases.ts'
import { levelMedium, session } from './log-backends.ts'

const cases = fixtureCases('folds.json')
let medium: Awaited<ReturnType<typeof levelMedium>>
let store: LogStore
let log: SessionLog

beforeAll(async () => {
  medium = await levelMedium()
  store = await medium.open()
  log = createSessionLog({ store })
})
afterAll(async () => {
  await log.close()
  await store.close()
  await medium.dispose()
})

describe('log/fixtures', () => {
  it.each(cases)('log/fixtures: $name', async (entry) => {
    const index = cases.indexOf(entry)
    const sessionId = session(`case-${index}`)
    async function* read() {
      if (Array.isArray(entry.log)) yield* entry.log
    }
    const imported = await log.import({ sessionId, read })
    if (entry.verdict === 'refused') {
      expect(imported).toMatchObject({ kind: 'invalid', index: entry.refusedAt })
      return
    }
    expect(imported).toMatchObject({ kind: 'imported' })
    const state = await log.readState(sessionId)
    const { taskSurface, taskSurfaceOutcomes, fork } = entry
    const projections = { taskSurface, taskSurfaceOutcomes }
    if (fork === undefined) {
      expect(state.projections).toMatchObject(projections)
      return
    }
    const child = session(`child-${index}`)
    const atSeq = typeof fork === 'object' && fork !== null && 'atSeq' in fork ? Number(fork.atSeq) : null
    const forked = await log.fork(state, { child, time: 1, ...(atSeq === null ? {} : { atSeq }) })
    if (entry.verdict === 'fork-unavailable') {
      expect(forked).toEqual({ kind: 'fork-unavailable' })
      return
    }
    const copied = Array.isArray(entry.copied) ? entry.copied : []
    const opened = await log.readState(child)
    expect(opened.projections).toMatchObject(projections)
    expect(opened).toMatchObject({ lastSeq: copied.length, header: { parent: { seq: copied.at(-1) } } })
  })
})
