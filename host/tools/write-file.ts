/* `write_file`: a whole text file in the session's folder, new or replaced (SPEC 5). */
import { z } from 'zod'
import { fileTextSchema, newFileMode, pathSchema, type FileToolDeps } from './file-input.ts'
import { replaceInside } from './open-file.ts'
import { plainlyShown } from './approval-text.ts'
import { defineTool, type Tool } from './tool.ts'

const inputSchema = z.strictObject({ path: pathSchema, content: fileTextSchema })

export function createWriteFile({ dataDir, umask }: FileToolDeps): Tool {
  return defineTool<z.infer<typeof inputSchema>, { created: boolean; bytes: number }>({
    name: 'write_file',
    description:
      'Write a whole text file inside the session folder. Missing folders are made; a file there is replaced.',
    input: inputSchema,
    asks: ({ path, content }) => `Write ${Buffer.byteLength(content)} bytes to ${plainlyShown(path)}`,
    async execute({ path, content }, { session }) {
      const bytes = Buffer.from(content)
      const fence = { folder: session.cwd, closed: dataDir }
      const { created } = await replaceInside(fence, { path, content: bytes, mode: newFileMode(umask) })
      return { created, bytes: bytes.length }
    },
    render: ({ path }, { created, bytes }) => `${created ? 'Made' : 'Replaced'} ${path}, ${bytes} bytes.`,
    presentationMeta: (_, { created, bytes }) => ({ created, bytes }),
  })
}
