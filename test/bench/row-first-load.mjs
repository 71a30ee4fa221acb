/* First page load over the wire (SPEC 15): every byte of content that a browser with an empty cache receives until the page
   has nothing more to load, as Chromium counts it. Where there is no Chromium: what the page names eagerly. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startHost } from './bench-host.mjs'
import { printRow } from './figures.mjs'

const goalKiB = 250

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const host = await startHost(folder)
try {
  const browserPath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', chromium.executablePath()].find(
    (path) => path !== undefined && existsSync(path),
  )
  const bytes = browserPath === undefined ? await eagerBytes() : await loadedBytes(browserPath)
  printRow({ name: 'first page load, compressed', unit: 'KiB', value: bytes / 1024, goal: goalKiB })
} finally {
  await host.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function loadedBytes(executablePath) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const bytesByRequest = new Map()
    session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
      bytesByRequest.set(requestId, (bytesByRequest.get(requestId) ?? 0) + encodedDataLength)
    })
    await page.goto(`http://127.0.0.1:${host.port}/?token=${host.token}`, { waitUntil: 'networkidle' })
    return [...bytesByRequest.values()].reduce((sum, bytes) => sum + bytes, 0)
  } finally {
    await browser.close()
  }
}

async function eagerBytes() {
  const seen = new Set()
  const load = async (path) => {
    if (seen.has(path)) return 0
    seen.add(path)
    const headers = { authorization: `Bearer ${host.token}`, 'accept-encoding': 'br' }
    const response = await fetch(`http://127.0.0.1:${host.port}${path}`, { headers })
    const text = await response.text()
    const named = [...text.matchAll(/(?:src|href)="([^"]+)"|(?:from|import)\s*"(\.[^"]+)"/gu)]
    const paths = named.map(([, attribute, module]) => attribute ?? new URL(module, `http://host${path}`).pathname)
    const below = await Promise.all(paths.filter((next) => next.startsWith('/')).map(load))
    return below.reduce((sum, bytes) => sum + bytes, Number(response.headers.get('content-length')))
  }
  return load('/')
}
