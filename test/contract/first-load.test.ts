/* What the first screen costs (SPEC 15), without a clock or a browser: the built page and everything it names eagerly,
   compressed as the host serves it. Dynamic imports are not followed: they are what is loaded later. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../dist/web', import.meta.url))
const maxBytes = 250 * 1024

function contentOf(path: string): string {
  const file = join(folder, path)
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`)
  return readFileSync(file, 'utf8')
}

/** Paths that the browser loads as soon as it has read `path`. */
function namedBy(path: string, content: string): string[] {
  if (path.endsWith('.html')) {
    const tags = [...content.matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="\/([^"]+)"/gu)]
    return tags.flatMap(([, named]) => (named === undefined ? [] : [named]))
  }
  if (!path.endsWith('.js')) return []
  const imports = [...content.matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/gu)]
  return imports.flatMap(([, named]) => (named === undefined ? [] : [posix.join(dirname(path), named)]))
}

/** As the build compressed it; a build of the page alone leaves that out. */
function compressedSize(path: string, content: string): number {
  const copy = join(folder, `${path}.br`)
  return existsSync(copy) ? statSync(copy).size : brotliCompressSync(content).byteLength
}

/** Compressed bytes by path. */
function eagerFiles(path: string, found = new Map<string, number>()): Map<string, number> {
  if (found.has(path)) return found
  const content = contentOf(path)
  found.set(path, compressedSize(path, content))
  for (const named of namedBy(path, content)) eagerFiles(named, found)
  return found
}

it('first-load: the page and what it loads eagerly stay within 250 KiB compressed', () => {
  const files = eagerFiles('index.html')
  // The walk has found the page's code and style, else the sum would say nothing.
  expect([...files.keys()].some((path) => path.endsWith('.js') && path.startsWith('assets/'))).toBe(true)
  expect([...files.keys()].some((path) => path.endsWith('.css'))).toBe(true)
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0)
  expect(bytes, JSON.stringify([...files])).toBeLessThanOrEqual(maxBytes)
})

it('first-load: nothing that the page names comes from another origin', () => {
  const page = contentOf('index.html')
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, address]) => address)
  expect(addresses.length).toBeGreaterThan(0)
  expect(addresses.filter((address) => !address?.startsWith('/') && !address?.startsWith('#'))).toEqual([])
})
