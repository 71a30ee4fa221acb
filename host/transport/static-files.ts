/* The files of the built web client, read into memory once: a closed list of known paths, so no request can name
   any other file, and a rebuild under a running host cannot mix two versions. The build puts `.br` and `.gz`
   beside what compresses (`host/bin/compress.js`); a file without them is served as it is. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import type { Reply } from './reply.ts'

type Encoding = 'br' | 'gzip'

interface StaticFile {
  headers: Reply['headers']
  /** Weak: the same for every encoding of the file. */
  etag: string
  plain: Buffer
  encoded: ReadonlyMap<Encoding, Buffer>
}

/** Files by URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const encodings: readonly { name: Encoding; suffix: string }[] = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
]

/** Vite names files under `assets/` after their content. */
const hashedPrefix = '/assets/'

/** Empty where the client was not built. Types outside the list, source maps among them, are not served. */
export function loadStaticFiles(directory: string): StaticFiles {
  const paths = new Set(listFiles(directory))
  const files = new Map<string, StaticFile>()
  for (const path of paths) {
    const mediaType = mediaTypes[extname(path)]
    if (mediaType === undefined) continue
    const plain = readFileSync(join(directory, path))
    const url = `/${path.split(sep).join('/')}`
    files.set(url, {
      plain,
      etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      headers: [
        ['Content-Type', mediaType],
        ['Cache-Control', url.startsWith(hashedPrefix) ? 'public, max-age=31536000, immutable' : 'no-cache'],
        ['Vary', 'Accept-Encoding'],
      ],
      encoded: new Map(
        encodings
          .filter(({ suffix }) => paths.has(path + suffix))
          .map(({ name, suffix }) => [name, readFileSync(join(directory, path + suffix))]),
      ),
    })
  }
  return files
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    throw cause
  }
}

export function fileReply(file: StaticFile, acceptEncoding: string, ifNoneMatch: string): Reply {
  const headers: Reply['headers'] = [...file.headers, ['ETag', file.etag]]
  if (ifNoneMatch.split(',').some((tag) => tag.trim() === file.etag))
    return { status: '304 Not Modified', headers, body: '' }
  const accepted = acceptedEncodings(acceptEncoding)
  for (const { name } of encodings) {
    const body = file.encoded.get(name)
    if (body !== undefined && accepted.has(name))
      return { status: '200 OK', headers: [...headers, ['Content-Encoding', name]], body }
  }
  return { status: '200 OK', headers, body: file.plain }
}

function acceptedEncodings(header: string): ReadonlySet<string> {
  const offers = header
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()))
  return new Set(
    offers.filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight)).map(([name]) => name ?? ''),
  )
}
