/* The output of one call as the model reads it (SPEC 5): whole while it is short, else head, tail and a locator of the
   private file that has all of it. Memory stays bounded however much comes. */
import type { FileHandle } from 'node:fs/promises'
import { firstCharacter, wholeCharacters } from '../tasks/whole-characters.ts'

/** What a model can read at once without losing its thread. */
const inlineBytes = 32 * 1024
const headBytes = 16 * 1024
const tailBytes = 8 * 1024
/** What a single call may cost on disk. */
const fileMaxBytes = 64 * 1024 * 1024

type CreateFile = () => Promise<{ locator: string; file: FileHandle }>

export interface Captured {
  text: string
  bytes: number
  /** Set where the text is not the whole output. */
  locator?: string
}

export class OutputCapture {
  readonly #create: CreateFile
  #head: Uint8Array[] = []
  #tail: Uint8Array = new Uint8Array()
  #bytes = 0
  #fileBytes = 0
  #spill: { locator: string; file: FileHandle } | null = null
  #work: Promise<unknown> = Promise.resolve()

  constructor(create: CreateFile) {
    this.#create = create
  }

  /** Resolves once the chunk is kept. Chunks keep the order of the calls. */
  write(chunk: Uint8Array): Promise<void> {
    const run = this.#work.then(() => this.#write(chunk))
    this.#work = run
    return run
  }

  async finish(): Promise<Captured> {
    await this.#work
    const kept = Buffer.concat(this.#head)
    const bytes = this.#bytes
    if (bytes <= inlineBytes) return { text: decode(kept), bytes }
    await this.#spill?.file.close()
    const head = kept.subarray(0, wholeCharacters(kept.subarray(0, headBytes)))
    const tail = this.#tail.subarray(firstCharacter(this.#tail))
    const left = bytes - head.length - tail.length
    const text = `${decode(head)}\n\n[${left} bytes left out here. ${this.#whereabouts()}]\n\n${decode(tail)}`
    return { text, bytes, ...(this.#spill !== null && { locator: this.#spill.locator }) }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
    if (this.#bytes <= inlineBytes) {
      // A copy: a stream may use its chunk again. `slice` of a Buffer would be none.
      this.#head.push(Uint8Array.from(chunk))
      return
    }
    try {
      if (this.#spill === null) {
        this.#spill = await this.#create()
        await this.#store(Buffer.concat(this.#head))
        // The head of the text may lie in the chunk that was one too many.
        this.#head.push(Uint8Array.from(chunk.subarray(0, headBytes)))
      }
      await this.#store(chunk)
    } catch {
      // A full disk costs the middle of the output, not the call.
      this.#head.push(...(this.#spill === null ? [Uint8Array.from(chunk.subarray(0, headBytes))] : []))
    }
  }

  async #store(chunk: Uint8Array): Promise<void> {
    const kept = chunk.subarray(0, Math.max(0, fileMaxBytes - this.#fileBytes))
    if (kept.length === 0 || this.#spill === null) return
    const { bytesWritten } = await this.#spill.file.write(kept)
    this.#fileBytes += bytesWritten
  }

  #whereabouts(): string {
    if (this.#spill === null) return 'They could not be kept.'
    const { locator } = this.#spill
    const all = this.#fileBytes === this.#bytes ? 'All' : `The first ${this.#fileBytes}`
    return `${all} of the ${this.#bytes} bytes are kept: call read_file with path "${locator}".`
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
