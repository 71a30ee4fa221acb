/* What the machine itself can do, for comparison (SPEC 15): the raw libraries, and nothing of the product. As a
   program (`node floors.mjs echo`, `node floors.mjs publish`) it is the raw server of a measurement, in a process of its
   own like the host it is compared with; it says its port on stdout. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ClassicLevel } from 'classic-level'
import { endsWithUs } from './children.mjs'

/** A database in which single synced puts can be timed. */
export async function openRawPut() {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-floor-'))
  const level = new ClassicLevel(folder)
  await level.open()
  let puts = 0
  return {
    /** Milliseconds of one put of `bytes` that is on disk when it resolves. */
    async time(bytes) {
      const value = 'x'.repeat(bytes)
      const begun = performance.now()
      await level.put(`put-${(puts += 1)}`, value, { sync: true })
      return performance.now() - begun
    },
    async close() {
      await level.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Seconds that `batches` take when they are written one after another with `sync: true`, as fast as they go. Each is a list of
 * `{type: 'put', key, value}`. The folder must be empty.
 */
export async function writeRawBatches(folder, batches) {
  const level = new ClassicLevel(folder)
  await level.open()
  const begun = process.hrtime.bigint()
  for (const batch of batches) await level.batch(batch, { sync: true })
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9
  await level.close()
  return seconds
}

/** A raw server in a process of its own: `echo` or `publish`. */
export async function startRawServer(kind) {
  const child = endsWithUs(
    spawn(process.execPath, [fileURLToPath(import.meta.url), kind], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    port: Number(line),
    pid: child.pid,
    /** Tells a `publish` server to send `{count, bytes}` to every socket. */
    tell: (command) => child.stdin.write(`${JSON.stringify(command)}\n`),
    async stop() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

const serve = {
  echo: (uws) =>
    uws.App().ws('/*', {
      message: (socket, message, isBinary) => socket.send(message, isBinary),
    }),

  publish: (uws) => {
    const app = uws.App().ws('/*', {
      maxBackpressure: 64 * 1024 * 1024,
      idleTimeout: 900,
      open: (socket) => socket.subscribe('all'),
      message: () => {},
    })
    let input = ''
    process.stdin.setEncoding('utf8').on('data', (chunk) => {
      input += chunk
      for (let end = input.indexOf('\n'); end >= 0; end = input.indexOf('\n')) {
        const { count, bytes } = JSON.parse(input.slice(0, end))
        input = input.slice(end + 1)
        const text = 'x'.repeat(bytes)
        let left = count
        // One publish a turn of the loop, as a host's come from events of their own.
        const next = () => {
          app.publish('all', text)
          if ((left -= 1) > 0) setImmediate(next)
        }
        next()
      }
    })
    return app
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { default: uws } = await import('uWebSockets.js')
  serve[process.argv[2]](uws).listen('127.0.0.1', 0, (socket) => {
    process.stdout.write(`${uws.us_socket_local_port(socket)}\n`)
  })
}
