/* File tools while somebody swaps folders of the session for links under their hands (SPEC 12): a process of its own, as
   fast as it can. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { anchorFolder } from '../../host/tools/anchored-folder.ts'
import { openToolBench } from './tools-bench.ts'

/** Calls enough that one which trusts what it looked at before is caught out many times. */
const calls = 200

/**
 * Runs until the test ends: `sub` is a folder, then nothing, then a link to the outside, and a folder again. A write that
 * comes while it is nothing makes one of its own, which is thrown away.
 */
const swapper = `
const { renameSync, rmSync, symlinkSync } = require('node:fs')
process.chdir(process.argv[1])
process.stdout.write('swapping')
const attempt = (work) => { try { work() } catch {} }
for (;;) {
  attempt(() => renameSync('sub', 'aside'))
  attempt(() => symlinkSync(process.argv[2], 'sub'))
  attempt(() => rmSync('sub', { recursive: true }))
  attempt(() => renameSync('aside', 'sub'))
}`

async function swapped() {
  const bench = await openToolBench()
  const outside = join(bench.cwd, '..', 'outside')
  for (const folder of [outside, join(bench.cwd, 'sub')]) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'file.txt'), folder === outside ? 'secret' : 'here')
  }
  const untouched = statSync(outside, { bigint: true }).mtimeNs
  const child = spawn(process.execPath, ['-e', swapper, bench.cwd, outside], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  await once(child.stdout, 'data')
  return { ...bench, isUntouched: () => statSync(outside, { bigint: true }).mtimeNs === untouched }
}

it('fence: nothing is made, written or left outside, however folders are swapped for links', async () => {
  const { call, isUntouched } = await swapped()
  let written = 0
  for (let count = 0; count < calls || written === 0; count += 1) {
    const path = count % 3 === 0 ? `sub/new-${count}/file.txt` : 'sub/file.txt'
    const end = await call('write_file', { path, content: 'written' })
    if ('text' in end) written += 1
    expect(isUntouched()).toBe(true)
  }
})

it('fence: nothing outside is read, however folders are swapped for links', async () => {
  const { call } = await swapped()
  const read = new Set<string>()
  for (let count = 0; count < calls || read.size === 0; count += 1) {
    const end = await call('read_file', { path: 'sub/file.txt' })
    if ('text' in end) read.add(end.text)
  }
  expect([...read]).toEqual(['here'])
})

it('fence: a folder is entered step by step, through no link, and never where the host keeps its data', async () => {
  const { cwd, dataDir } = await openToolBench()
  mkdirSync(join(cwd, 'sub'))
  symlinkSync('sub', join(cwd, 'link'))
  const enter = (folder: string, closed = dataDir, makeMode: number | null = null) =>
    anchorFolder({ root: cwd, folder: join(cwd, folder), closed, makeMode, path: 'x' }).then((held) => held.close())
  await enter('sub')
  await enter('sub/deep/deeper', dataDir, 0o750)
  expect(statSync(join(cwd, 'sub/deep/deeper')).mode & 0o777).toBe(0o750)
  await expect(enter('link')).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  await expect(enter('link/deep', dataDir, 0o700)).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  // Moved here under a name that was judged before.
  await expect(enter('sub/deep', join(cwd, 'sub'))).rejects.toMatchObject({ code: 'OUTSIDE_FOLDER' })
  await expect(enter('sub', join(cwd, 'sub'))).rejects.toMatchObject({ code: 'OUTSIDE_FOLDER' })
})
