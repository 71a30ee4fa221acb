import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from '../../harness/property.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TaskOutputBuffer } from '../../../host/tasks/task-output.ts'

let folder: string
let files = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'task-surface-output-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const fresh = (limit?: number) => {
  const path = join(folder, `${(files += 1)}.out`)
  return { path, output: new TaskOutputBuffer(path, limit) }
}

/** Texts of one to four bytes a character, with some bytes that belong to none. */
const hostileBytes = fc
  .array(fc.oneof(fc.constantFrom('a', '\n', 'é', '界', '🧪', '\uFEFF'), fc.uint8Array({ minLength: 1, maxLength: 3 })))
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))))

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)]
}

describe('one cursor', () => {
  it('whole-characters: however writes and reads cut the bytes, the text is that of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileBytes,
        fc.array(fc.nat(9), { maxLength: 20 }),
        fc.array(fc.integer({ min: 4, max: 12 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        async (bytes, sizes, reads, readNow) => {
          const { output } = fresh()
          let text = ''
          let round = 0
          const read = async () => {
            const got = await output.read(reads[(round += 1) % reads.length] ?? 4)
            text += got.text
            return got
          }
          for (const [index, chunk] of cut(bytes, sizes).entries()) {
            await output.write(chunk)
            if (readNow[index % readNow.length]) await read()
          }
          await output.end()
          for (let more = true; more;) ({ more } = await read())
          expect(text).toBe(decode(bytes))
          await output.dispose()
        },
      ),
    )
  })

  it('whole-characters: while a task runs, the bytes of half a character wait for the rest', async () => {
    const { output } = fresh()
    const [first, second] = cut(Buffer.from('界界'), [4])
    await output.write(first ?? new Uint8Array())
    expect(await output.read(100)).toEqual({ text: '界', droppedBytes: 0, more: false })
    expect(await output.read(100)).toEqual({ text: '', droppedBytes: 0, more: false })
    await output.write(second ?? new Uint8Array())
    expect((await output.read(100)).text).toBe('界')
  })

  it('whole-characters: half a character at the very end is shown as broken', async () => {
    const { output } = fresh()
    await output.write(Buffer.from('界').subarray(0, 2))
    await output.end()
    expect(await output.read(100)).toEqual({ text: '\uFFFD', droppedBytes: 0, more: false })
  })

  it('consuming: what was read does not come again, and more says that something waits', async () => {
    const { output } = fresh()
    await output.write(Buffer.from('0123456789'))
    expect(await output.read(4)).toEqual({ text: '0123', droppedBytes: 0, more: true })
    expect(await output.read(100)).toEqual({ text: '456789', droppedBytes: 0, more: false })
    expect(await output.read(100)).toEqual({ text: '', droppedBytes: 0, more: false })
  })

  it('consuming: calls at once are answered one after the other', async () => {
    const { output } = fresh()
    const writes = ['one ', 'two ', 'three'].map((text) => output.write(Buffer.from(text)))
    const [a, b] = await Promise.all([output.read(8), output.read(8), ...writes])
    expect([a?.text, b?.text]).toEqual(['one two ', 'three'])
  })

  it('copied: a chunk that is used again after the write does not change the output', async () => {
    const { output } = fresh()
    const chunk = Buffer.from('first')
    await output.write(chunk)
    chunk.fill('x')
    expect((await output.read(100)).text).toBe('first')
  })
})

/** Paths of the files this process has open, by the system's account. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })
}

describe('bounds', () => {
  const kilobytes = (count: number, text: string) => Buffer.from(text.repeat((count * 1024) / text.length))

  it('spills: what does not fit in memory lies in a file that only its owner may read, and reads on as one', async () => {
    const { path, output } = fresh()
    await output.write(kilobytes(12, 'abcd'))
    expect(existsSync(path)).toBe(false)
    await output.write(kilobytes(12, 'efgh'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await output.read(64 * 1024)).text).toBe(`${'abcd'.repeat(3072)}${'efgh'.repeat(3072)}`)
  })

  it('spills: the file goes once everything in it was read, and comes again when needed', async () => {
    const { path, output } = fresh()
    for (let round = 0; round < 2; round += 1) {
      await output.write(kilobytes(24, 'abcd'))
      expect(existsSync(path)).toBe(true)
      expect((await output.read(24 * 1024)).more).toBe(false)
      expect(existsSync(path)).toBe(false)
    }
  })

  it('spills: the end of the task leaves the output readable and no file open', async () => {
    const { path, output } = fresh()
    await output.write(kilobytes(24, 'abcd'))
    await output.end()
    expect(openFiles()).not.toContain(path)
    expect((await output.read(20 * 1024)).more).toBe(true)
    expect(openFiles()).not.toContain(path)
    expect((await output.read(20 * 1024)).text).toBe('abcd'.repeat(1024))
    expect(existsSync(path)).toBe(false)
  })

  it('limit: what comes on top of the unread limit is dropped and counted, never silently', async () => {
    const { output } = fresh(10)
    await output.write(Buffer.from('01234567'))
    await output.write(Buffer.from('89abcdef'))
    expect(await output.read(4)).toEqual({ text: '0123', droppedBytes: 6, more: true })
    await output.write(Buffer.from('wxyz!'))
    expect(await output.read(100)).toEqual({ text: '456789wxyz', droppedBytes: 7, more: false })
  })

  it('limit: a task that writes for ever goes on being readable as long as somebody reads', async () => {
    const { output } = fresh(100)
    for (let round = 0; round < 50; round += 1) {
      await output.write(Buffer.from('x'.repeat(90)))
      expect(await output.read(1_000)).toEqual({ text: 'x'.repeat(90), droppedBytes: 0, more: false })
    }
  })

  it('full-disk: output that cannot be kept is counted as dropped, and the task goes on', async () => {
    const output = new TaskOutputBuffer(join(folder, 'no-such-folder', 'x.out'))
    await output.write(kilobytes(12, 'abcd'))
    await output.write(kilobytes(12, 'abcd'))
    expect(await output.read(64 * 1024)).toMatchObject({ droppedBytes: 12 * 1024, more: false })
  })

  it('disposal: nothing is left, and what a producer writes afterwards leaves nothing either', async () => {
    const { path, output } = fresh()
    await output.write(kilobytes(24, 'abcd'))
    await output.dispose()
    await output.dispose()
    await output.write(kilobytes(24, 'abcd'))
    expect(existsSync(path)).toBe(false)
    expect(await output.read(100)).toEqual({ text: '', droppedBytes: 0, more: false })
  })
})
