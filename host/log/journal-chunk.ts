/* How a chunk of a journal is stored (SPEC 10): the names of its actors once, then a short row for each entry, because the
   journal is half of what a busy host writes. Pure; the session's id is in the record's key. */
import { z } from 'zod'
import type { SessionId } from '../../shared/ids.ts'
import { jsonSchema } from '../../shared/json.ts'
import type { JournalChunk } from '../lifecycles/journal-store.ts'

const offsetSchema = z.int().min(0)

const chunkSchema = z.object({
  before: z.int().min(0),
  /** Of the first entry. */
  id: z.int().positive(),
  /** Of the first entry, in epoch milliseconds. */
  at: z.number(),
  /** `[actorId, machine]`. */
  actors: z.array(z.tuple([z.string(), z.string()])),
  /** `[id and milliseconds since the first entry, place of the actor, event, from, to]`. */
  rows: z.array(z.tuple([offsetSchema, z.number(), offsetSchema, jsonSchema, jsonSchema, jsonSchema])).min(1),
})

/** `chunk` holds accepted entries alone, one at least. */
export function encodeChunk({ before, entries }: JournalChunk): string {
  const [{ id, at } = { id: '1', at: 0 }] = entries
  const first = Number(id)
  const placeById = new Map<string, number>()
  const actors: [string, string][] = []
  const rows = entries.map((entry) => {
    let place = placeById.get(entry.actorId)
    if (place === undefined) {
      place = actors.push([entry.actorId, entry.machine]) - 1
      placeById.set(entry.actorId, place)
    }
    return [Number(entry.id) - first, entry.at - at, place, entry.event, entry.from, entry.to]
  })
  return JSON.stringify({ before, id: first, at, actors, rows })
}

/** Null: this is no chunk. */
export function decodeChunk(sessionId: SessionId, stored: unknown): JournalChunk | null {
  const { data: chunk } = chunkSchema.safeParse(stored)
  if (chunk === undefined) return null
  const { before, id: first, at, actors, rows } = chunk
  const entries = rows.map(([offset, later, place, event, from, to]) => {
    const [actorId = '', machine = ''] = actors[place] ?? []
    return { id: String(first + offset), at: at + later, actorId, machine, sessionId, event, from, to, accepted: true }
  })
  return entries.some(({ actorId }) => actorId === '') ? null : { before, entries }
}
