/* `write_file`: a whole text file in the session's folder, new or replaced (SPEC 5). */
import { z } from 'zod'
import { fileTextSchema, newFileMode, pathSchema, type FileToolDeps } from './file-input.ts'
import { changedLines, type ChangedLines } from './changed-lines.ts'
import type { Fence } from './folder-fence.ts'
import { openInside, replaceInside } from './open-file.ts'
import { plainlyShown } from './approval-text.ts'
import { defineTool, type Tool } from './tool.ts'

const inputSchema = z.strictObject({ path: pathSchema, content: fileTextSchema })

/** Lines of a larger file are not counted: nobody waits for that. */
const maxCountedBytes = 8 * 1024 * 1024

interface Written {
  created: boolean
  bytes: number
  /** Null: nothing that could be counted was there, or too much. */
  changed: ChangedLines | null
}

export function createWriteFile({ dataDir, umask }: FileToolDeps): Tool {
  return defineTool<z.infer<typeof inputSchema>, Written>({
    name: 'write_file',
    description:
      'Write a whole text file inside the session folder. Missing folders are made; a file there is replaced.',
    input: inputSchema,
    asks: ({ path, content }) => `Write ${Buffer.byteLength(content)} bytes to ${plainlyShown(path)}`,
    async execute({ path, content }, { session }) {
      const bytes = Buffer.from(content)
      const fence = { folder: session.cwd, closed: dataDir }
      const before = await textBefore(fence, path)
      const { created } = await replaceInside(fence, { path, content: bytes, mode: newFileMode(umask) })
      const basis = created ? '' : before
      return { created, bytes: bytes.length, changed: basis === null ? null : changedLines(basis, content) }
    },
    render: ({ path }, { created, bytes }) => `${created ? 'Made' : 'Replaced'} ${path}, ${bytes} bytes.`,
    presentationMeta: (_, { created, bytes, changed }) => ({ created, bytes, ...changed }),
  })
}

/** What a file of text says, for comparison; whether it may be written at all is judged elsewhere. */
async function textBefore(fence: Fence, path: string): Promise<string | null> {
  try {
    const { handle, stats } = await openInside(fence, path)
    try {
      if (stats.size > maxCountedBytes) return null
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile())
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}
