/* The output of one task: bytes in, whole characters out through one consuming cursor (SPEC 7). The first part
   stays in memory; what goes past it spills to a private file, so that a talkative task costs disk and not
   memory. Past the limit bytes are dropped and counted, never silently. */
import { open, rm, type FileHandle } from 'node:fs/promises'

/** Kept in memory per task. Ten live tasks an owner stay far below what a host has. */
const memoryBytes = 64 * 1024
/** Kept in all, unless the producer says otherwise. */
export const defaultOutputLimitBytes = 64 * 1024 * 1024

export class TaskOutputBuffer {
  readonly #path: string
  readonly #limit: number
  readonly #head: Uint8Array[] = []
  #headBytes = 0
  #file: FileHandle | null = null
  #fileBytes = 0
  #cursor = 0
  #dropped = 0
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

  /**
   * At most `maxBytes` from the cursor on, cut between characters; `ended`: nothing follows, so a broken last
   * character is shown as such instead of being waited for.
   */
  read(maxBytes: number, ended: boolean): Promise<{ text: string; droppedBytes: number; more: boolean }> {
    return this.#serial(async () => {
      const bytes = await this.#slice(this.#cursor, maxBytes)
      const atEnd = this.#cursor + bytes.length >= this.#size
      const whole = ended && atEnd ? bytes.length : wholeCharacters(bytes)
      this.#cursor += whole
      return {
        text: new TextDecoder().decode(bytes.subarray(0, whole)),
        droppedBytes: this.#dropped,
        more: this.#cursor < this.#size && (whole > 0 || ended),
      }
    })
  }

  /** Forgets everything, the file included. */
  dispose(): Promise<void> {
    return this.#serial(async () => {
      await this.#file?.close()
      this.#file = null
      await rm(this.#path, { force: true })
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
    const kept = chunk.subarray(0, Math.max(0, this.#limit - this.#size))
    this.#dropped += chunk.length - kept.length
    if (kept.length === 0) return
    if (this.#file === null && this.#headBytes + kept.length <= memoryBytes) {
      // A copy: a stream may use its chunk again.
      this.#head.push(kept.slice())
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
    if (from < this.#headBytes) {
      const head = Buffer.concat(this.#head).subarray(from, from + length)
      const rest = length - head.length
      if (rest <= 0 || this.#fileBytes === 0) return head
      return Buffer.concat([head, await this.#readFile(0, rest)])
    }
    return this.#readFile(from - this.#headBytes, length)
  }

  async #readFile(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, this.#fileBytes - position)
    if (this.#file === null || wanted <= 0) return new Uint8Array()
    const bytes = Buffer.alloc(wanted)
    const { bytesRead } = await this.#file.read(bytes, 0, wanted, position)
    return bytes.subarray(0, bytesRead)
  }
}

/** Bytes before a UTF-8 character that is cut off at the end; all of them where the end is no such character. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
