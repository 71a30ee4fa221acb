/* `read_file`, `write_file`, `edit_file` (SPEC 5, 12): inside the session's folder, whole or not at all. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fc } from '../harness/property.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { placeOf } from '../../host/tools/folder-fence.ts'
import { replaceInside } from '../../host/tools/open-file.ts'
import { openToolBench, type ToolBench } from './tools-bench.ts'

async function files() {
  const bench = await openToolBench()
  const put = (path: string, content: string | Uint8Array) => writeFileSync(join(bench.cwd, path), content)
  const get = (path: string) => readFileSync(join(bench.cwd, path), 'utf8')
  return { ...bench, put, get }
}

/** One of each tool on a path; all must refuse it, and nothing may have changed. */
async function expectRefused(bench: ToolBench, path: string, code: string): Promise<void> {
  expect(await bench.call('read_file', { path })).toMatchObject({ code })
  expect(await bench.call('write_file', { path, content: 'written' })).toMatchObject({ code })
  expect(await bench.call('edit_file', { path, oldText: 'secret', newText: 'edited' })).toMatchObject({ code })
}

describe('the fence', () => {
  it('fence: no path with dots, no absolute path and no link leads out of the folder', async () => {
    const bench = await files()
    const outside = join(bench.cwd, '..', 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.txt'), 'secret')
    mkdirSync(join(bench.cwd, 'sub'))
    symlinkSync(join(outside, 'secret.txt'), join(bench.cwd, 'link.txt'))
    symlinkSync(outside, join(bench.cwd, 'linked'))
    symlinkSync('linked', join(bench.cwd, 'link-to-link'))
    symlinkSync(join('..', '..', 'outside'), join(bench.cwd, 'sub', 'up'))
    for (const path of [
      '../outside/secret.txt',
      'sub/../../outside/secret.txt',
      join(outside, 'secret.txt'),
      'link.txt',
      'linked/secret.txt',
      'link-to-link/secret.txt',
      'sub/up/secret.txt',
      `${bench.cwd}-sibling/secret.txt`,
    ])
      await expectRefused(bench, path, 'OUTSIDE_FOLDER')
    // Where a new file would come to lie counts as well.
    for (const path of ['../new.txt', 'linked/new.txt', 'linked/deep/new.txt', 'sub/up/new.txt'])
      expect(await bench.call('write_file', { path, content: 'x' })).toMatchObject({ code: 'OUTSIDE_FOLDER' })
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(outside)).toEqual(['secret.txt'])
  })

  it('fence: a link that leads nowhere is not followed into being', async () => {
    const bench = await files()
    const target = join(bench.cwd, '..', 'made-by-link')
    symlinkSync(target, join(bench.cwd, 'dangling'))
    await expectRefused(bench, 'dangling', 'OUTSIDE_FOLDER')
    expect(existsSync(target)).toBe(false)
    symlinkSync('loop', join(bench.cwd, 'loop'))
    await expectRefused(bench, 'loop', 'OUTSIDE_FOLDER')
  })

  it('fence: links inside the folder work, and a write goes to what they name', async () => {
    const { put, get, text, cwd } = await files()
    put('real.txt', 'one')
    symlinkSync('real.txt', join(cwd, 'link.txt'))
    expect(await text('read_file', { path: 'link.txt' })).toBe('one')
    await text('write_file', { path: 'link.txt', content: 'two' })
    expect(get('real.txt')).toBe('two')
    expect(execFileSync('readlink', [join(cwd, 'link.txt')], { encoding: 'utf8' })).toBe('real.txt\n')
  })

  it('fence: a name that begins with dots is a name', async () => {
    const { call, get } = await files()
    expect(await call('write_file', { path: '..name', content: 'x' })).toHaveProperty('text')
    expect(await call('write_file', { path: '.../deep', content: 'y' })).toHaveProperty('text')
    expect([get('..name'), get('.../deep')]).toEqual(['x', 'y'])
  })

  it('fence: the folder may itself be reached through a link', async () => {
    const { put, call, cwd } = await files()
    put('a.txt', 'here')
    symlinkSync(cwd, `${cwd}-link`)
    expect(await call('read_file', { path: 'a.txt' }, { cwd: `${cwd}-link` })).toMatchObject({ text: 'here' })
  })

  it('fence: the data folder of the host stays closed even where it lies inside', async () => {
    const bench = await files()
    writeFileSync(join(bench.dataDir, 'settings.json'), 'secret')
    const cwd = join(bench.dataDir, '..')
    for (const path of ['data/settings.json', 'work/../data/settings.json', join(bench.dataDir, 'settings.json')]) {
      expect(await bench.call('read_file', { path }, { cwd })).toMatchObject({ code: 'OUTSIDE_FOLDER' })
      expect(await bench.call('write_file', { path, content: 'x' }, { cwd })).toMatchObject({ code: 'OUTSIDE_FOLDER' })
    }
    expect(readFileSync(join(bench.dataDir, 'settings.json'), 'utf8')).toBe('secret')
  })

  it('fence: no path made of any parts is judged inside and lies outside', async () => {
    const bench = await files()
    mkdirSync(join(bench.cwd, 'a'))
    symlinkSync('..', join(bench.cwd, 'a', 'up'))
    symlinkSync('/', join(bench.cwd, 'root'))
    const part = fc.constantFrom('a', 'up', 'root', '..', '.', '', 'new', '/', bench.cwd)
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        const fence = { folder: bench.cwd, closed: bench.dataDir }
        const place = await placeOf(fence, parts.join('/')).catch(() => null)
        if (place !== null) expect(`${place.path}/`.startsWith(`${bench.cwd}/`)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('no-devices: what is no ordinary file is neither read nor replaced, and does not block', async () => {
    const bench = await files()
    execFileSync('mkfifo', [join(bench.cwd, 'pipe')])
    await expectRefused(bench, 'pipe', 'NOT_A_FILE')
    mkdirSync(join(bench.cwd, 'folder'))
    await expectRefused(bench, 'folder', 'NOT_A_FILE')
    await expectRefused(bench, '.', 'NOT_A_FILE')
  })

  it('clear-errors: a missing file, a file as a folder, a NUL and a missing session folder', async () => {
    const bench = await files()
    bench.put('file', 'x')
    expect(await bench.call('read_file', { path: 'none.txt' })).toEqual({
      code: 'NOT_FOUND',
      message: 'none.txt does not exist.',
    })
    expect(await bench.call('read_file', { path: 'file/deeper' })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await bench.call('write_file', { path: 'file/deeper', content: '' })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await bench.call('read_file', { path: 'a\0b' })).toMatchObject({ code: 'INVALID_INPUT' })
    const cwd = join(bench.cwd, 'gone')
    expect(await bench.call('read_file', { path: 'x' }, { cwd })).toMatchObject({ code: 'FOLDER_MISSING' })
    expect(await bench.call('write_file', { path: 'x'.repeat(300), content: '' })).toMatchObject({
      code: 'FILE_FAILED',
    })
  })
})

describe('read_file', () => {
  it('pages: lines from offset on, and how to read on', async () => {
    const { put, text } = await files()
    put('lines.txt', Array.from({ length: 10 }, (_, line) => `line ${line + 1}\n`).join(''))
    expect(await text('read_file', { path: 'lines.txt', offset: 3, limit: 2 })).toBe(
      'line 3\nline 4\n\n[lines 3 to 4; read on with offset 5]',
    )
    expect(await text('read_file', { path: 'lines.txt', offset: 9 })).toBe('line 9\nline 10')
    expect(await text('read_file', { path: 'lines.txt', offset: 9, limit: 2 })).toBe('line 9\nline 10')
    expect(await text('read_file', { path: 'lines.txt', offset: 11 })).toBe('(the file has no line 11)')
  })

  it('pages: reading on from page to page gives every line once, whatever the lines are', async () => {
    const { put, text } = await files()
    const line = fc.oneof(
      // A last line that is itself what a page ends with cannot be told from it; the dot makes these ordinary lines.
      fc.constantFrom('', 'x', '界🧪', '\r', '[lines 1 to 2; read on with offset 3].'),
      fc.integer({ min: 1, max: 2 }).map((times) => 'long '.repeat(times * 4_000)),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 5 }),
        async (lines, endsOpen, limit) => {
          const whole = lines.join('\n') + (endsOpen ? '' : '\n')
          if (whole === '') return
          put('any.txt', whole)
          const seen: string[] = []
          let offset: number | undefined = 1
          while (offset !== undefined) {
            const page: string = await text('read_file', { path: 'any.txt', offset, limit })
            const next = /\n\n\[lines (\d+) to (\d+); read on with offset (\d+)\]$/.exec(page)
            expect(next === null || Number(next[1]) === offset).toBe(true)
            seen.push(next === null ? page : page.slice(0, next.index))
            offset = next === null ? undefined : Number(next[3])
          }
          // A page drops the line end of its last line, which may be CRLF.
          const without = (from: string) => from.replaceAll('\r', '')
          expect(without(seen.join('\n'))).toBe(without(whole.replace(/\n$/, '')))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('pages: a line longer than a page is cut between characters, and says so', async () => {
    const { put, text } = await files()
    put('wide.txt', `x${'界'.repeat(30_000)}\nnext\n`)
    const page = await text('read_file', { path: 'wide.txt' })
    expect(page).toMatch(/^x界{16383}\n\n\[line 1 is cut: it is longer than can be shown; read on with offset 2\]$/)
    expect(await text('read_file', { path: 'wide.txt', offset: 2 })).toBe('next')
  })

  it('pages: a line that fills a page to the byte is whole, and what follows is not lost', async () => {
    const { put, text } = await files()
    const line = 'x'.repeat(48 * 1024)
    put('exact.txt', `${line}\nnext\n`)
    expect(await text('read_file', { path: 'exact.txt' })).toBe(`${line}\n\n[lines 1 to 1; read on with offset 2]`)
    put('exact.txt', `${line}\n`)
    expect(await text('read_file', { path: 'exact.txt' })).toBe(`${line}\n\n[lines 1 to 1; read on with offset 2]`)
    expect(await text('read_file', { path: 'exact.txt', offset: 2 })).toBe('(the file has no line 2)')
  })

  it('size: a file of many gigabytes costs a page', async () => {
    const { put, text, cwd } = await files()
    put('huge.txt', `${'first line\n'.repeat(10_000)}`)
    truncateSync(join(cwd, 'huge.txt'), 20 * 1024 ** 3)
    expect(await text('read_file', { path: 'huge.txt', limit: 1 })).toBe(
      'first line\n\n[lines 1 to 1; read on with offset 2]',
    )
  })

  it('binary: refused by its first bytes; other encodings come as far as they are text', async () => {
    const { put, call, text } = await files()
    put('image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))
    expect(await call('read_file', { path: 'image.png' })).toMatchObject({ code: 'BINARY_FILE' })
    put('latin1.txt', Buffer.from('caf\xe9', 'latin1'))
    expect(await text('read_file', { path: 'latin1.txt' })).toBe('caf\uFFFD')
  })

  it('empty: an empty file and an empty line are told apart', async () => {
    const { put, text } = await files()
    put('empty.txt', '')
    put('line.txt', '\n')
    expect(await text('read_file', { path: 'empty.txt' })).toBe('(the file is empty)')
    expect(await text('read_file', { path: 'line.txt' })).toBe('')
  })

  it('no-approval: reading asks nobody, writing and editing do, with all there is to know', async () => {
    const { asks } = await files()
    expect(asks('read_file', { path: 'a.txt' })).toBeNull()
    expect(asks('write_file', { path: 'a\u202E.txt', content: 'héllo' })).toBe('Write 6 bytes to a<U+202E>.txt')
    expect(asks('edit_file', { path: 'a.txt', oldText: 'one\ntwo', newText: 'three', replaceAll: true })).toBe(
      'Edit a.txt, every occurrence\n- one\n- two\n+ three',
    )
    expect(asks('edit_file', { path: 'a.txt', oldText: 'one', newText: '' })).toBe('Edit a.txt\n- one')
  })
})

describe('write_file', () => {
  it('write: a new file in new folders, with the modes of the person', async () => {
    const before = process.umask(0o077)
    onTestFinished(() => void process.umask(before))
    const { call, get, cwd } = await files()
    expect(await call('write_file', { path: 'deep/er/new.txt', content: 'héllo\n' })).toEqual({
      text: 'Made deep/er/new.txt, 7 bytes.',
      meta: { created: true, bytes: 7, added: 1, removed: 0 },
    })
    expect(get('deep/er/new.txt')).toBe('héllo\n')
    expect(statSync(join(cwd, 'deep/er/new.txt')).mode & 0o777).toBe(0o644)
    expect(statSync(join(cwd, 'deep')).mode & 0o777).toBe(0o755)
    expect(statSync(join(cwd, 'deep/er')).mode & 0o777).toBe(0o755)
  })

  it('write: a file there is replaced whole, keeps its mode, and nothing lies beside it', async () => {
    const { put, call, get, cwd } = await files()
    put('run.sh', 'a long old content')
    chmodSync(join(cwd, 'run.sh'), 0o751)
    expect(await call('write_file', { path: 'run.sh', content: 'new' })).toMatchObject({ meta: { created: false } })
    expect(get('run.sh')).toBe('new')
    expect(statSync(join(cwd, 'run.sh')).mode & 0o777).toBe(0o751)
    expect(readdirSync(cwd)).toEqual(['run.sh'])
  })

  it('write: a row can say what changed in lines; of what is no text, or too large, it does not', async () => {
    const { put, call } = await files()
    const write = async (content: string) => {
      const end = await call('write_file', { path: 'a.txt', content })
      return 'meta' in end ? end.meta : end
    }
    put('a.txt', 'one\ntwo\nthree\nfour\n')
    expect(await write('one\n2\nthree\nfour\nfive\n')).toEqual({ created: false, bytes: 22, added: 2, removed: 1 })
    put('a.txt', Buffer.from([0xff, 0xfe, 0x0a]))
    expect(await write('text\n')).toEqual({ created: false, bytes: 5 })
    put('a.txt', 'x'.repeat(8 * 1024 * 1024 + 1))
    expect(await write('text\n')).toEqual({ created: false, bytes: 5 })
  })

  it('atomic: whoever reads meanwhile sees the old file or the new one, never a part', async () => {
    const { put, call, get } = await files()
    const texts = ['a', 'b'].map((letter) => letter.repeat(500_000))
    put('big.txt', texts[0] ?? '')
    const seen = new Set<boolean>()
    let writing = true
    const done = (async () => {
      for (let round = 0; round < 10; round += 1)
        await call('write_file', { path: 'big.txt', content: texts[round % 2] ?? '' })
      writing = false
    })()
    while (writing) {
      const text = get('big.txt')
      seen.add(texts.includes(text))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await done
    expect([...seen]).toEqual([true])
  })

  it('atomic: a write that fails leaves the old file and nothing else', async () => {
    const { put, get, cwd, dataDir } = await files()
    put('kept.txt', 'old')
    const basis = statSync(join(cwd, 'kept.txt'))
    put('kept.txt', 'changed by somebody')
    const replacing = replaceInside(
      { folder: cwd, closed: dataDir },
      { path: 'kept.txt', content: Buffer.from('new'), mode: 0o644, basis },
    )
    await expect(replacing).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect(get('kept.txt')).toBe('changed by somebody')
    expect(readdirSync(cwd)).toEqual(['kept.txt'])
  })

  it('text: a lone surrogate would be written as something else and is refused', async () => {
    const { tools } = await files()
    const prepared = tools.find('write_file', 'both')?.prepare('{"path":"a.txt","content":"\\ud800"}')
    expect(prepared).toMatchObject({ failure: { code: 'INVALID_INPUT' } })
  })
})

describe('edit_file', () => {
  it('edit: the one place, byte for byte around it, and what changed in lines', async () => {
    const { put, call, get } = await files()
    put('code.ts', '\uFEFFone\ntwo\nthree\n')
    expect(await call('edit_file', { path: 'code.ts', oldText: 'two\n', newText: '2\n2b\n' })).toEqual({
      text: 'Edited code.ts.',
      meta: { added: 2, removed: 1 },
    })
    expect(get('code.ts')).toBe('\uFEFFone\n2\n2b\nthree\n')
  })

  it('edit: new text is text, no pattern of replacement', async () => {
    const { put, call, get } = await files()
    put('a.txt', 'price: X')
    await call('edit_file', { path: 'a.txt', oldText: 'X', newText: "$& $1 $' $$" })
    expect(get('a.txt')).toBe("price: $& $1 $' $$")
  })

  it('edit: once unless all of it is meant', async () => {
    const { put, call, get } = await files()
    put('a.txt', 'x x x')
    expect(await call('edit_file', { path: 'a.txt', oldText: 'x', newText: 'y' })).toMatchObject({
      code: 'TEXT_NOT_UNIQUE',
      message: expect.stringContaining('3 times'),
    })
    expect(get('a.txt')).toBe('x x x')
    const all = await call('edit_file', { path: 'a.txt', oldText: 'x', newText: 'y', replaceAll: true })
    expect(all).toMatchObject({ text: 'Edited a.txt in 3 places.', meta: { added: 1, removed: 1 } })
    expect(get('a.txt')).toBe('y y y')
  })

  it('edit: what is not there, the same text and an empty text change nothing', async () => {
    const { put, call, get } = await files()
    put('a.txt', 'content')
    const edit = (oldText: string, newText: string) => call('edit_file', { path: 'a.txt', oldText, newText })
    expect(await edit('absent', 'x')).toMatchObject({ code: 'TEXT_NOT_FOUND' })
    expect(await edit('content', 'content')).toMatchObject({ code: 'NOTHING_TO_DO' })
    expect(await edit('', 'x')).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await call('edit_file', { path: 'none.txt', oldText: 'a', newText: 'b' })).toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(get('a.txt')).toBe('content')
  })

  it('edit: line feeds of the model match a file with CRLF, which keeps it', async () => {
    const { put, call, get } = await files()
    put('dos.txt', 'one\r\ntwo\r\nthree\r\n')
    await call('edit_file', { path: 'dos.txt', oldText: 'one\ntwo\n', newText: '1\n2\n' })
    expect(get('dos.txt')).toBe('1\r\n2\r\nthree\r\n')
  })

  it('edit: what could not be written back byte for byte is refused', async () => {
    const { put, call, cwd } = await files()
    const latin1 = Buffer.from('caf\xe9 au lait', 'latin1')
    put('latin1.txt', latin1)
    put('nul.bin', 'a\0b')
    const edits = [
      ['latin1.txt', 'lait'],
      ['nul.bin', 'a'],
    ] as const
    for (const [path, oldText] of edits)
      expect(await call('edit_file', { path, oldText, newText: 'x' })).toMatchObject({ code: 'BINARY_FILE' })
    expect(readFileSync(join(cwd, 'latin1.txt'))).toEqual(latin1)
    put('large.txt', 'x'.repeat(9 * 1024 * 1024))
    expect(await call('edit_file', { path: 'large.txt', oldText: 'x', newText: 'y' })).toMatchObject({
      code: 'FILE_TOO_LARGE',
    })
  })
})
