/* `read_file`: lines of a text file in the session's folder, or of a result that was too large for the transcript
   (SPEC 5). A page is bounded in lines and bytes and says how to read on. */
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import type { SpilledResults } from '../tasks/spilled-results.ts'
import { wholeCharacters } from '../tasks/whole-characters.ts'
import { openInside, openRegular } from './open-file.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'
import { pathSchema } from './file-input.ts'

const defaultLines = 2_000
const maxLines = 10_000
/** What a model can read at once without losing its thread. */
const pageBytes = 48 * 1024
const chunkBytes = 64 * 1024
/** A NUL this early makes a file binary: text has none. */
const sniffBytes = 8 * 1024

const inputSchema = z.strictObject({
  path: pathSchema.describe('Relative to the session folder, or the locator of a large result.'),
  offset: z.int().min(1).optional().describe('The first line, from 1.'),
  limit: z.int().min(1).max(maxLines).optional().describe(`Lines at most, ${defaultLines} if left out.`),
})

interface Page {
  text: string
  firstLine: number
  /** 0: none. */
  lines: number
  /** Null: this is the end. */
  next: number | null
  /** The last line was longer than a page. */
  isCut: boolean
}

export interface ReadFileDeps {
  results: SpilledResults
  /** Closed to the model. */
  dataDir: string
}

export function createReadFile({ results, dataDir }: ReadFileDeps): Tool {
  return defineTool<z.infer<typeof inputSchema>, Page>({
    name: 'read_file',
    description: 'Read a text file inside the session folder, whole or from a line on.',
    input: inputSchema,
    concurrencySafe: true,
    async execute({ path, offset = 1, limit = defaultLines }, { session, signal }) {
      const spilled = results.pathOf(path)
      const opening =
        spilled === null ? openInside({ folder: session.cwd, closed: dataDir }, path) : openRegular(spilled, path)
      const { handle } = await opening
      try {
        return await readPage(handle, { path, isResult: spilled !== null, offset, limit, signal })
      } finally {
        await handle.close()
      }
    },
    render(_, { text, firstLine, lines, next, isCut }) {
      if (lines === 0) return firstLine === 1 ? '(the file is empty)' : `(the file has no line ${firstLine})`
      if (next === null) return text
      const shown = isCut
        ? `line ${firstLine} is cut: it is longer than can be shown`
        : `lines ${firstLine} to ${firstLine + lines - 1}`
      return `${text}\n\n[${shown}; read on with offset ${next}]`
    },
  })
}

interface Wanted {
  path: string
  /** What a command printed may hold anything. */
  isResult: boolean
  offset: number
  limit: number
  signal: AbortSignal
}

async function readPage(file: FileHandle, { path, isResult, offset, limit, signal }: Wanted): Promise<Page> {
  if (!isResult && (await readAt(file, 0, sniffBytes)).includes(0))
    throw new ToolFailure('BINARY_FILE', `${path} is no text file.`)
  const start = await startOfLine(file, offset, signal)
  // One byte more than a page tells whether the file goes on behind it.
  const bytes = start === null ? new Uint8Array() : await readAt(file, start, pageBytes + 1)
  const ends: number[] = []
  for (let at = bytes.indexOf(10); at !== -1 && at < pageBytes && ends.length < limit; at = bytes.indexOf(10, at + 1))
    ends.push(at + 1)
  const isLast = bytes.length <= pageBytes && ends.length < limit
  if (isLast) {
    const lines = ends.at(-1) === bytes.length ? ends.length : ends.length + 1
    return { text: textOf(bytes), firstLine: offset, lines: bytes.length === 0 ? 0 : lines, next: null, isCut: false }
  }
  const end = ends.at(-1)
  if (end === undefined) {
    const text = textOf(bytes.subarray(0, wholeCharacters(bytes.subarray(0, pageBytes))))
    return { text, firstLine: offset, lines: 1, next: offset + 1, isCut: bytes[pageBytes] !== 10 }
  }
  const isEnd = end === bytes.length
  const next = isEnd ? null : offset + ends.length
  return { text: textOf(bytes.subarray(0, end)), firstLine: offset, lines: ends.length, next, isCut: false }
}

/** Null where the file has no such line. */
async function startOfLine(file: FileHandle, line: number, signal: AbortSignal): Promise<number | null> {
  if (line === 1) return 0
  let before = line - 1
  for (let position = 0; ;) {
    const chunk = await readAt(file, position, chunkBytes)
    if (signal.aborted) throw new ToolFailure('INTERRUPTED', 'The call was interrupted.')
    if (chunk.length === 0) return null
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      before -= 1
      if (before === 0) return position + at + 1
    }
    position += chunk.length
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** Without the line end of the last line: the page is put among other lines. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '')
}
