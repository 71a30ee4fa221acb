/* Output of a call, in memory and spilled, whatever the pieces it comes in. The spill file is a real one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from '../../harness/property.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OutputCapture } from '../../../host/tools/output-capture.ts'

const inlineBytes = 32 * 1024
const headBytes = 16 * 1024
const tailBytes = 8 * 1024

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'task-surface-capture-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fresh() {
  const path = join(folder, `${(files += 1)}.txt`)
  return { path, capture: new OutputCapture(async () => ({ locator: 'result:x', file: await open(path, 'wx') })) }
}

const text = fc
  .constantFrom('a', 'é', '界', '🧪', '\n')
  .chain((unit) =>
    fc.integer({ min: 0, max: 60_000 }).map((bytes) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))),
  )

it('spilled: the file has every byte, the text a head and a tail of whole characters and a true count', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, fc.integer({ min: 500, max: 40_000 }), async (first, second, size) => {
      const whole = Buffer.from(first + second)
      const { path, capture } = fresh()
      const writes: Promise<void>[] = []
      for (let at = 0; at < whole.length; at += size) writes.push(capture.write(whole.subarray(at, at + size)))
      await Promise.all(writes)
      const captured = await capture.finish()
      expect(captured.bytes).toBe(whole.length)
      if (whole.length <= inlineBytes) {
        expect(captured).toEqual({ text: first + second, bytes: whole.length })
        return
      }
      expect(readFileSync(path).equals(whole)).toBe(true)
      expect(captured.locator).toBe('result:x')
      const [, head = '', left, tail = ''] =
        /^(.*)\n\n\[(\d+) bytes left out here\. [^\]]*\]\n\n(.*)$/s.exec(captured.text) ?? []
      expect(whole.toString().startsWith(head)).toBe(true)
      expect(whole.toString().endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(whole.length)
      expect(headBytes - Buffer.byteLength(head)).toBeLessThan(4)
      expect(tailBytes - Buffer.byteLength(tail)).toBeLessThan(4)
    }),
    { numRuns: 40 },
  )
})

it('copied: a chunk that is used again after the write does not change what was captured', async () => {
  const { capture } = fresh()
  const chunk = Buffer.from('first')
  await capture.write(chunk)
  chunk.fill('x')
  expect((await capture.finish()).text).toBe('first')
})

it('full-disk: output that cannot be kept costs its middle and says so, not the call', async () => {
  const capture = new OutputCapture(() => Promise.reject(new Error('no space left on device')))
  for (const letter of 'abcd') await capture.write(Buffer.alloc(inlineBytes / 2, letter))
  const captured = await capture.finish()
  expect(captured).not.toHaveProperty('locator')
  expect(captured.text.startsWith('a'.repeat(headBytes))).toBe(true)
  expect(captured.text).toContain('bytes left out here. They could not be kept.]')
  expect(captured.text.endsWith('d'.repeat(tailBytes))).toBe(true)
})
