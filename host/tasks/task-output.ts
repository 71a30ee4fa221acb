/* The output of one task: bytes in, whole characters out through one consuming cursor (SPEC 7). A little stays in
   memory; what goes past it spills to a private file, so that a talkative task costs disk and not memory. What was read
   is forgotten. Past the limit bytes are dropped and counted, never silently. */
import { open, rm, type FileHandle } from 'node:fs/promises'
import type { TaskOutput } from './port.ts'
import { wholeCharacters } from './whole-characters.ts'

/** Kept in memory per task: most commands never need the file, and settled tasks stay listed for long. */
const memoryBytes = 16 * 1024
/** Kept in all, unless the producer says otherwise. */
export const defaultOutputLimitBytes = 64 * 1024 * 1024

export class TaskOutputBuffer {
  readonly #path: string
  readonly #limit: number
  /** First the bytes in memory, then those of the file. */
  #head: Uint8Array[] = []
  #headBytes = 0
  #file: FileHandle | null = null
  #fileBytes = 0
  #cursor = 0
  #dropped = 0
  #ended = false
  #work: Promise<unknown> = Promise.resolve()

  /** `path`: where output that does not fit in memory goes; made on first need, 0600. */
  constructor(path: string, limitBytes: number = defaultOutputLimitBytes) {
    this.#path = path
    this.#limit = limitBytes
  }

  /** Resolves once the chunk is kept. A full disk counts the rest as dropped. */
  write(chunk: Uint8Array): Promise<void> {
    return this.#serial(() => this.#write(chunk))
  }

  /** Nothing follows: a broken last character is then shown as such instead of being waited for. */
  end(): Promise<void> {
    return this.#serial(async () => {
      this.#ended = true
      // Settled tasks stay listed; their files must not use up what the process may open.
      await this.#close()
    })
  }

  /** At most `maxBytes`, at least four, from the cursor on, cut between characters. */
  read(maxBytes: number): Promise<TaskOutput> {
    return this.#serial(async () => {
      const bytes = await this.#slice(this.#cursor, maxBytes)
      const isAll = this.#cursor + bytes.length >= this.#size
      const whole = this.#ended && isAll ? bytes.length : wholeCharacters(bytes)
      this.#cursor += whole
      const more = !isAll
      if (this.#cursor === this.#size) await this.#forget()
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, whole))
      return { text, droppedBytes: this.#dropped, more }
    })
  }

  /** Forgets everything, the file included. */
  dispose(): Promise<void> {
    return this.#serial(async () => {
      this.#ended = true
      await this.#forget()
    })
  }

  get #size(): number {
    return this.#headBytes + this.#fileBytes
  }

  #serial<Value>(work: () => Promise<Value>): Promise<Value> {
    const run = this.#work.then(work)
    this.#work = run.catch(() => {})
    return run
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#ended) return
    const kept = chunk.subarray(0, Math.max(0, this.#limit - (this.#size - this.#cursor)))
    this.#dropped += chunk.length - kept.length
    if (kept.length === 0) return
    if (this.#fileBytes === 0 && this.#headBytes + kept.length <= memoryBytes) {
      // A copy: a stream may use its chunk again. `slice` of a Buffer would be none.
      this.#head.push(Uint8Array.from(kept))
      this.#headBytes += kept.length
      return
    }
    try {
      this.#file ??= await open(this.#path, 'w+', 0o600)
      const { bytesWritten } = await this.#file.write(kept, 0, kept.length, this.#fileBytes)
      this.#fileBytes += bytesWritten
      this.#dropped += kept.length - bytesWritten
    } catch {
      this.#dropped += kept.length
    }
  }

  async #slice(from: number, length: number): Promise<Uint8Array> {
    if (from >= this.#headBytes) return this.#readFile(from - this.#headBytes, length)
    const head = Buffer.concat(this.#head).subarray(from, from + length)
    const rest = length - head.length
    return rest <= 0 || this.#fileBytes === 0 ? head : Buffer.concat([head, await this.#readFile(0, rest)])
  }

  async #readFile(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, this.#fileBytes - position)
    if (wanted <= 0) return new Uint8Array()
    const bytes = Buffer.alloc(wanted)
    this.#file ??= await open(this.#path, 'r')
    const { bytesRead } = await this.#file.read(bytes, 0, wanted, position)
    if (this.#ended) await this.#close()
    return bytes.subarray(0, bytesRead)
  }

  async #forget(): Promise<void> {
    const hadFile = this.#fileBytes > 0 || this.#file !== null
    this.#head = []
    this.#headBytes = 0
    this.#fileBytes = 0
    this.#cursor = 0
    if (!hadFile) return
    await this.#close()
    await rm(this.#path, { force: true })
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close()
  }
}
