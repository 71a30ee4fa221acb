/* `edit_file`: replaces text in a file of the session's folder (SPEC 5). What is replaced must stand there exactly, and
   only once unless all of it is meant; everything around it stays as it is, byte for byte. */
import { z } from 'zod'
import { plainlyShown } from './approval-text.ts'
import { changedLines, type ChangedLines } from './changed-lines.ts'
import { openInside, replaceInside } from './open-file.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'
import { fileTextSchema, newFileMode, pathSchema, type FileToolDeps } from './file-input.ts'

/** Larger files are data: a command edits them better. */
const maxBytes = 8 * 1024 * 1024

const inputSchema = z.strictObject({
  path: pathSchema,
  oldText: fileTextSchema.min(1).describe('The exact text to replace, with enough around it to stand there once.'),
  newText: fileTextSchema,
  replaceAll: z.boolean().optional().describe('Replace every occurrence.'),
})
type Input = z.infer<typeof inputSchema>

interface Edited extends ChangedLines {
  count: number
}

export function createEditFile({ dataDir, umask }: FileToolDeps): Tool {
  return defineTool<Input, Edited>({
    name: 'edit_file',
    description: 'Replace text in a file inside the session folder. Read the file first: oldText must match exactly.',
    input: inputSchema,
    asks: ({ path, oldText, newText, replaceAll }) =>
      `Edit ${plainlyShown(path)}${replaceAll === true ? ', every occurrence' : ''}\n` +
      `${prefixed('-', oldText)}\n${newText === '' ? '' : prefixed('+', newText)}`.trimEnd(),
    async execute(input, { session }) {
      const { path } = input
      const fence = { folder: session.cwd, closed: dataDir }
      const { handle, stats } = await openInside(fence, path)
      let bytes: Buffer
      try {
        if (stats.size > maxBytes)
          throw new ToolFailure('FILE_TOO_LARGE', `${path} has ${stats.size} bytes; at most ${maxBytes} are edited.`)
        bytes = await handle.readFile()
      } finally {
        await handle.close()
      }
      const { content, edited } = replaceText(textOf(bytes, path), input)
      const mode = newFileMode(umask)
      await replaceInside(fence, { path, content: Buffer.from(content), mode, basis: stats })
      return edited
    },
    render: ({ path }, { count }) => (count === 1 ? `Edited ${path}.` : `Edited ${path} in ${count} places.`),
    presentationMeta: (_, { added, removed }) => ({ added, removed }),
  })
}

/** Refuses what could not be written back byte for byte. */
function textOf(bytes: Uint8Array, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Falls through: no UTF-8.
  }
  throw new ToolFailure('BINARY_FILE', `${path} is no UTF-8 text.`)
}

function replaceText(text: string, { path, oldText, newText, replaceAll }: Input): { content: string; edited: Edited } {
  const [from, to] = inLineEndsOf(text, oldText, newText)
  if (from === to) throw new ToolFailure('NOTHING_TO_DO', 'oldText and newText are the same.')
  const count = text.split(from).length - 1
  if (count === 0) throw new ToolFailure('TEXT_NOT_FOUND', `oldText does not stand in ${path}. Read it again.`)
  if (count > 1 && replaceAll !== true) {
    throw new ToolFailure(
      'TEXT_NOT_UNIQUE',
      `oldText stands in ${path} ${count} times. Give more of what is around it, or set replaceAll.`,
    )
  }
  // Not `replace`: it would read `$&` in the new text as an order.
  const content = text.split(from).join(to)
  return { content, edited: { count, ...changedLines(text, content) } }
}

/** Models write line feeds; a file that has CRLF instead keeps it. */
function inLineEndsOf(text: string, oldText: string, newText: string): [string, string] {
  if (text.includes(oldText) || !text.includes('\r\n')) return [oldText, newText]
  const withCrLf = (part: string) => part.replaceAll(/\r?\n/g, '\r\n')
  return [withCrLf(oldText), withCrLf(newText)]
}

function prefixed(mark: string, text: string): string {
  return plainlyShown(text)
    .split('\n')
    .map((line) => `${mark} ${line}`)
    .join('\n')
}
