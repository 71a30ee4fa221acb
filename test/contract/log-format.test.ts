/* The stored format: goes red when what a log, header or checkpoint holds changes its shape, until its version is raised
   on purpose. A change that older logs survive still needs the new hash below: look at it twice. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import * as keys from '../../host/log/keys.ts'
import { storeFormatVersion } from '../../host/log/level-database.ts'
import { sessionHeaderSchema } from '../../host/log/session-state.ts'
import { logFormatVersion, sessionEventSchema } from '../../shared/event.ts'
import { session } from './log-backends.ts'

/** One line a version: what was stored under it. */
const logHashes: Readonly<Record<number, string>> = {
  1: '5928cca9714b3144',
}
const storeHashes: Readonly<Record<number, string>> = {
  1: '0056baac1eb1e077',
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' })

it('log/format: events and header have the shape of this format version', () => {
  const hash = hashOf([schemaOf(sessionEventSchema), schemaOf(sessionHeaderSchema)])
  expect(hash, `raise logFormatVersion and add { ${logFormatVersion + 1}: '${hash}' }`).toBe(
    logHashes[logFormatVersion],
  )
})

it('log/format: keys lie where this store version puts them', () => {
  const id = session('a.b')
  const layout = [
    keys.formatKey,
    keys.lossKey,
    keys.headerKey(id),
    keys.markerKey(id),
    keys.checkpointKey(id),
    keys.eventKey(id, 12),
    keys.indexKey(id, 'surface', 's'),
    keys.journalKey(id, 12),
    keys.refusedKey(id),
    keys.sessionRange(id),
    keys.eventRange(id, 0, Number.MAX_SAFE_INTEGER),
  ]
  const hash = hashOf(layout)
  expect(hash, `raise storeFormatVersion and add { ${storeFormatVersion + 1}: '${hash}' }`).toBe(
    storeHashes[storeFormatVersion],
  )
})
