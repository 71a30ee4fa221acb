/* A host process under measurement, and a client that does no more than it must. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { endsWithUs } from './children.mjs'

const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
export const token = 'a-token-for-the-bench'

/** Starts a host; `startMs` is from the spawn to its ready line. */
export async function startHost(dataDir, { environment = {}, nodeArguments = [] } = {}) {
  const begun = performance.now()
  const { PATH, HOME } = process.env
  const child = endsWithUs(
    spawn(
      process.execPath,
      [...nodeArguments, mainFile, 'serve', '--port', '0', '--json', '--no-open', '--data', dataDir, '--token', token],
      { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk))
  const ended = once(child, 'exit')
  const line = once(child.stdout.setEncoding('utf8'), 'data')
  const first = await Promise.race([line, ended.then(() => null)])
  if (first === null) throw new Error(`the host did not start\n${errors}`)
  const startMs = performance.now() - begun
  const { port, pid } = JSON.parse(first[0])
  return {
    port,
    pid,
    token,
    startMs,
    stderr: () => errors,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A socket with calls by id; `onFrame` is told every frame. */
export async function connect({ port }, onFrame = () => {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  const answers = new Map()
  let calls = 0
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type !== undefined) return onFrame(message)
    answers.get(message.id)(message)
    answers.delete(message.id)
  })
  await once(socket, 'open')
  return {
    call(method, params = {}) {
      const id = `${(calls += 1)}`
      return new Promise((resolve, reject) => {
        answers.set(id, ({ result, error }) =>
          error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`)),
        )
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
    },
    close: () => socket.terminate(),
  }
}
