/* The last step of a build: puts a brotli and a gzip copy beside each file of the web client that gets smaller by
   it, so that the host never compresses while it serves. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { root } from './prepare.js'

const folder = join(root, 'dist/web')
const compressible = /\.(css|html|js|json|svg|txt|webmanifest)$/
/** Below this a copy saves less than its headers cost. */
const minBytes = 512

for (const name of readdirSync(folder, { recursive: true })) {
  if (!compressible.test(name)) continue
  const path = join(folder, name)
  const content = readFileSync(path)
  if (content.length < minBytes) continue
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
}
