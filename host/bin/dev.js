/* `npm run dev`: compiles and restarts the host on every change, and serves the web client from its sources with the
   host's addresses passed through. Ctrl+C ends all three. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { ensureBuilt, ensureInstalled, root } from './prepare.js'

const pageUrl = 'http://127.0.0.1:4380'
const hostUrl = 'http://127.0.0.1:4381'
/** Known to the proxy, which presents it, so the page needs no start link. */
const token = randomUUID()

ensureInstalled()
ensureBuilt()
// Only now: a fresh clone has no vite before.
const { createServer } = await import('vite')

const children = [
  ['node_modules/typescript/bin/tsc', '-b', 'shared', 'machines', 'host', '--watch', '--preserveWatchOutput'],
  ['--watch', '--watch-preserve-output', 'dist/host/main.js', 'serve', '--port', '4381', '--token', token, '--no-open'],
].map((args, index) => {
  const more = index === 1 ? process.argv.slice(2) : []
  // Groups of their own: both start programs that would outlive them.
  return spawn(process.execPath, [...args, ...more], { cwd: root, stdio: 'inherit', detached: true })
})

const stop = () => {
  for (const { pid } of children) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
  }
  process.exit(0)
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)

/** The token is lent to the page alone: a request of another site goes on as it came, and the host refuses it. */
const present = (proxied, request) => {
  if (request.headers.origin !== pageUrl) return
  proxied.setHeader('origin', hostUrl)
  proxied.setHeader('authorization', `Bearer ${token}`)
}
const passedThrough = {
  target: hostUrl,
  changeOrigin: true,
  configure: (proxy) => {
    proxy.on('proxyReq', present)
    proxy.on('proxyReqWs', present)
  },
}
const vite = await createServer({
  root: 'web',
  configFile: 'vite.config.ts',
  server: {
    host: '127.0.0.1',
    port: 4380,
    strictPort: true,
    proxy: { '/rpc': passedThrough, '/healthz': passedThrough, '/ws': { ...passedThrough, ws: true } },
  },
})
await vite.listen()
vite.printUrls()
