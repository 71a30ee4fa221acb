/* A chunk of a journal as it is stored (SPEC 10). */
import { expect, it } from 'vitest'
import { decodeChunk, encodeChunk } from '../../../host/log/journal-chunk.ts'
import { sessionIdSchema } from '../../../shared/ids.ts'
import { fc } from '../../harness/property.ts'

const sessionId = sessionIdSchema.parse('s-one')

/** Ids grow with gaps, where refused entries stand; the clock may be set back. */
const entries = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 40 }),
      at: fc.integer({ min: 0, max: 2_000_000_000_000 }),
      actor: fc.constantFrom(['session:s-one', 'session'], ['turn:1:s-one', 'turn'], ['surface:ts-1', 'surface']),
      event: fc.record({ type: fc.string(), cause: fc.record({ seq: fc.nat() }) }),
      from: fc.oneof(fc.constant(null), fc.string(), fc.dictionary(fc.constantFrom('live', 'end'), fc.string())),
      to: fc.string(),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((drafts) => {
    let id = 0
    return drafts.map(({ gap, at, actor: [actorId = '', machine = ''], ...moved }) => {
      id += gap
      return { id: String(id), at, actorId, machine, sessionId, ...moved, accepted: true }
    })
  })

it('10: what is read is what was written', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (written, before) => {
      // Dictionaries come without a prototype.
      const chunk = JSON.parse(JSON.stringify({ before, entries: written }))
      expect(decodeChunk(sessionId, JSON.parse(encodeChunk(chunk)))).toEqual(chunk)
    }),
  )
})

it.each([
  ['nothing', null],
  ['no rows', { before: 0, id: 1, at: 0, actors: [], rows: [] }],
  ['an actor that is not named', { before: 0, id: 1, at: 0, actors: [], rows: [[0, 0, 0, { type: 'A' }, null, 'a']] }],
])('10: %s is no chunk', (_, stored) => {
  expect(decodeChunk(sessionId, stored)).toBeNull()
})
