/* Starts and settles background tasks in a `tasks-host.mjs` and times what is seen of them. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, token } from './bench-host.mjs'
import { endsWithUs } from './children.mjs'

export async function openTasks() {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const hostFile = fileURLToPath(new URL('tasks-host.mjs', import.meta.url))
  const host = endsWithUs(
    spawn(process.execPath, [hostFile, token, folder, pipe], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data')
  let onTasks = () => {}
  const client = await connect(JSON.parse(line), (frame) => {
    if (frame.type === 'session/tasks') onTasks(frame)
  })
  /** The moment at which a list of the session was as wanted. */
  const seen = (sessionId, isWanted) =>
    new Promise((resolve) => {
      onTasks = (frame) => frame.sessionId === sessionId && isWanted(frame.tasks) && resolve(performance.now())
    })
  return {
    watch: (sessionId) => client.call('session.close', { sessionId }),
    /** From the request to the row of the task. */
    async startMs(sessionId) {
      const visible = seen(sessionId, (tasks) => tasks.at(-1)?.status === 'running')
      const begun = performance.now()
      const answered = client.call('session.interrupt', { sessionId })
      const ms = (await visible) - begun
      await answered
      return ms
    },
    /** From the end of the command to its settled row. */
    async settleMs(sessionId) {
      const settled = seen(sessionId, (tasks) => tasks.at(-1)?.status === 'completed')
      // Opens once the command reads.
      const file = openSync(pipe, 'w')
      const begun = performance.now()
      writeSync(file, 'go\n')
      closeSync(file)
      return (await settled) - begun
    },
    forget: (sessionId) => client.call('session.remove', { sessionId }),
    async close() {
      client.close()
      const gone = once(host, 'exit')
      host.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
