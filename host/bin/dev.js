/* `npm run dev`: compiles and restarts the host on every change, and serves the web client from its sources with the
   host's addresses passed through. Ctrl+C ends all three. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { ensureBuilt, ensureInstalled, root } from './prepare.js'

const hostUrl = 'http://127.0.0.1:4381'
/** Known to the proxy, which presents it, so the page needs no start link. The host listens on loopback only. */
const token = randomUUID()

ensureInstalled()
ensureBuilt()
// Only now: a fresh clone has no vite before.
const { createServer } = await import('vite')

const present = (request) => {
  request.setHeader('origin', hostUrl)
  request.setHeader('authorization', `Bearer ${token}`)
}
const target = {
  target: hostUrl,
  changeOrigin: true,
  configure: (proxy) => {
    proxy.on('proxyReq', present)
    proxy.on('proxyReqWs', present)
  },
}
const children = [
  spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '--watch', '--preserveWatchOutput'], {
    cwd: root,
    stdio: 'inherit',
  }),
  spawn(
    process.execPath,
    [
      '--watch',
      '--watch-preserve-output',
      'dist/host/main.js',
      'serve',
      '--port',
      '4381',
      '--token',
      token,
      '--no-open',
      ...process.argv.slice(2),
    ],
    {
      cwd: root,
      stdio: 'inherit',
    },
  ),
]
const vite = await createServer({
  root: 'web',
  configFile: 'vite.config.ts',
  server: {
    host: '127.0.0.1',
    port: 4380,
    proxy: { '/rpc': target, '/healthz': target, '/ws': { ...target, ws: true } },
  },
})
await vite.listen()
vite.printUrls()

const stop = async () => {
  for (const child of children) child.kill('SIGTERM')
  await vite.close()
  process.exit(0)
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
