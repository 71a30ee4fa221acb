/* The journal: transitions of every actor of a session, kept for people who look at lifecycles (SPEC 10). It decides
   nothing, so it is allowed to lose what it has not written when the host is killed, and it never delays anything:
   `record` answers at once, entries are written in chunks a moment later, together with what else is written then.

   | rule | |
   | --- | --- |
   | numbered | ids of a session grow without a gap in one life of the host, and go on behind the stored ones after a restart |
   | bounded | the newest `keptEntries` accepted entries stay, and a ring of refused ones: refusals never push out what happened |
   | gone-with-session | nothing is written for a session that does not exist | */
import type { SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { JournalChunk, JournalStore } from './journal-store.ts'

export type JournalDraft = Omit<JournalEntry, 'id'>

export interface JournalOptions {
  /** Accepted entries that stay of one session, give or take some chunks. */
  keptEntries?: number
}

const defaultKeptEntries = 10_000
const keptRefusals = 128
/** Entries between two looks for old chunks. */
const dropInterval = 64
/** Entries of a chunk at most: what is read to find the end of a journal. */
const chunkMaxLength = 256
/** How long entries gather before they are handed to the store. */
const gatherMs = 250
/** Chunks read at once. */
const readChunks = 32
/** Entries that may wait for the stored journal to be read; later ones are lost, as a store that hangs must fill nothing. */
const maxWaiting = 4096

interface Tail {
  /** Entries recorded while the stored journal is read; null once it is known where it ends. */
  waiting: { draft: JournalDraft; numbered: (entry: JournalEntry) => void }[] | null
  /** Resolves when nothing waits for that any more. */
  loaded: Promise<void>
  nextId: number
  /** Accepted entries not handed to the store yet. */
  fresh: JournalChunk
  refused: JournalEntry[]
  areRefusedStored: boolean
  /** Accepted entries of the session when old chunks were last looked for. */
  droppedAt: number
}

export class Journal {
  readonly #store: JournalStore
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #keptEntries: number
  readonly #tailById = new Map<SessionId, Tail>()
  readonly #changed = new Set<SessionId>()
  readonly #stop = new AbortController()
  #gathering = false

  constructor(deps: { store: JournalStore; clock: Clock; logger: Logger }, options: JournalOptions = {}) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#keptEntries = options.keptEntries ?? defaultKeptEntries
  }

  /** `numbered` is called once the entry has its id, at once except for the first entries of a session. */
  record(sessionId: SessionId, draft: JournalDraft, numbered: (entry: JournalEntry) => void = () => {}): void {
    const tail = this.#tailById.get(sessionId) ?? this.#begin(sessionId)
    if (tail.waiting === null) this.#add(sessionId, tail, draft, numbered)
    else if (tail.waiting.length < maxWaiting) tail.waiting.push({ draft, numbered })
  }

  /**
   * Entries behind `afterId` in order, refused ones among them, written or not, as it stood when it was asked: what is
   * recorded or written meanwhile belongs to a later page, or there would be holes in this one.
   */
  async read(
    sessionId: SessionId,
    afterId: number,
    limit: number,
  ): Promise<{ entries: JournalEntry[]; hasMore: boolean }> {
    // What happened before the question is part of the answer, also where it has no number yet.
    await this.#tailById.get(sessionId)?.loaded
    const tail = this.#tailById.get(sessionId)
    const known = tail?.waiting === null ? tail : undefined
    const end = known?.nextId ?? Number.MAX_SAFE_INTEGER
    const unwritten = known?.fresh.entries.slice() ?? []
    const refused = (known?.refused ?? (await this.#store.refused(sessionId))).filter((entry) => idOf(entry) > afterId)
    const accepted: JournalEntry[] = []
    let from = afterId + 1
    for (;;) {
      const chunks = await this.#store.chunks(sessionId, from, readChunks)
      for (const { entries } of chunks) {
        accepted.push(...entries.filter((entry) => idOf(entry) >= from && idOf(entry) < end))
      }
      from = idOf(accepted.at(-1) ?? { id: String(afterId) }) + 1
      if (chunks.length < readChunks || accepted.length > limit) break
    }
    const entries = [...accepted, ...unwritten.filter((entry) => idOf(entry) >= from), ...refused].toSorted(
      (a, b) => idOf(a) - idOf(b),
    )
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit }
  }

  /** The session is going to be removed: nothing of it is written any more. */
  forget(sessionId: SessionId): void {
    this.#tailById.delete(sessionId)
    this.#changed.delete(sessionId)
  }

  /** The session turned cold: its tail is read again when something happens in it. */
  settle(sessionId: SessionId): void {
    if (this.#tailById.get(sessionId)?.waiting !== null) return
    this.#write(sessionId)
    this.#tailById.delete(sessionId)
  }

  /** Hands over everything that was recorded. */
  close(): void {
    this.#stop.abort()
    for (const sessionId of this.#changed) this.#write(sessionId)
    this.#changed.clear()
  }

  #begin(sessionId: SessionId): Tail {
    const tail: Tail = {
      waiting: [],
      loaded: Promise.resolve(),
      nextId: 1,
      fresh: { before: 0, entries: [] },
      refused: [],
      areRefusedStored: true,
      droppedAt: 0,
    }
    this.#tailById.set(sessionId, tail)
    tail.loaded = this.#load(sessionId, tail)
    return tail
  }

  async #load(sessionId: SessionId, tail: Tail): Promise<void> {
    try {
      const stored = await this.#store.load(sessionId)
      if (this.#tailById.get(sessionId) !== tail) return
      if (stored === null) return void this.#tailById.delete(sessionId)
      const { newest, refused } = stored
      if (newest !== null) tail.fresh.before = newest.before + newest.entries.length
      tail.droppedAt = tail.fresh.before
      tail.refused = refused
      const lastIds = [newest?.entries.at(-1), refused.at(-1)].map((entry) => (entry === undefined ? 0 : idOf(entry)))
      tail.nextId = Math.max(...lastIds) + 1
      const waiting = tail.waiting ?? []
      tail.waiting = null
      for (const { draft, numbered } of waiting) this.#add(sessionId, tail, draft, numbered)
    } catch (error) {
      if (this.#tailById.get(sessionId) === tail) this.#tailById.delete(sessionId)
      this.#logger.warn(
        { sessionId, err: error },
        'the journal of a session cannot be read; what happened is not noted',
      )
    }
  }

  #add(sessionId: SessionId, tail: Tail, draft: JournalDraft, numbered: (entry: JournalEntry) => void): void {
    const entry = { id: String(tail.nextId), ...draft }
    tail.nextId += 1
    if (entry.accepted) {
      tail.fresh.entries.push(entry)
      if (tail.fresh.entries.length >= chunkMaxLength) this.#write(sessionId)
    } else {
      tail.refused.push(entry)
      if (tail.refused.length > keptRefusals) tail.refused.shift()
      tail.areRefusedStored = false
    }
    this.#changed.add(sessionId)
    if (!this.#gathering) void this.#gather()
    numbered(entry)
  }

  async #gather(): Promise<void> {
    this.#gathering = true
    await this.#clock.sleep(gatherMs, this.#stop.signal)
    this.#gathering = false
    for (const sessionId of this.#changed) this.#write(sessionId)
    this.#changed.clear()
  }

  #write(sessionId: SessionId): void {
    const tail = this.#tailById.get(sessionId)
    if (tail === undefined) return
    const { fresh, refused, areRefusedStored } = tail
    const count = fresh.before + fresh.entries.length
    if (fresh.entries.length > 0) {
      this.#store.put(sessionId, { chunk: fresh })
      tail.fresh = { before: count, entries: [] }
    }
    if (!areRefusedStored) this.#store.put(sessionId, { refused })
    tail.areRefusedStored = true
    if (count - tail.droppedAt < dropInterval) return
    tail.droppedAt = count
    if (count > this.#keptEntries) this.#drop(sessionId, count - this.#keptEntries)
  }

  #drop(sessionId: SessionId, count: number): void {
    this.#store.drop(sessionId, count).catch((error: unknown) => {
      this.#logger.warn({ sessionId, err: error }, 'old entries of a journal could not be deleted')
    })
  }
}

function idOf({ id }: Pick<JournalEntry, 'id'>): number {
  return Number(id)
}
