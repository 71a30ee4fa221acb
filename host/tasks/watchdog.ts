/* Sees to it that no process outlives a host that was killed (SPEC 7): a small process of its own, started with the
   first command, waits at the end of a pipe for the host to vanish and then ends whatever carries the host's mark. It
   carries none itself. The next start of a host does the same once more; this is for the time until then. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'

export interface Watchdog {
  /** Called before every start of a process. */
  watch(): void
  /** Called when nothing is left to watch over. Idempotent. */
  close(): Promise<void>
}

/** For hosts that end what they start in every case, such as those of tests. */
export const noWatchdog: Watchdog = { watch: () => {}, close: async () => {} }

/** Written to the watchdog: the host goes in good order. */
export const dismissal = 'done'

const endMs = 500

export interface WatchdogDeps {
  clock: Clock
  logger: Logger
  /** File that runs `reaper.ts`. */
  reaperFile: string
  /** Beginning of the marks of this host. */
  mark: string
}

export function createWatchdog({ clock, logger, reaperFile, mark }: WatchdogDeps): Watchdog {
  let reaper: ChildProcess | null = null
  let refused = false

  function refuse(cause: unknown): void {
    reaper = null
    refused = true
    logger.warn({ err: cause }, 'the watchdog of background processes does not run')
  }

  return {
    watch() {
      if (reaper !== null || refused) return
      const child = spawn(process.execPath, [reaperFile, mark], {
        cwd: '/',
        env: {},
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      })
      reaper = child
      child.on('error', refuse)
      child.stdin.on('error', () => {})
      child.once('exit', (code) => {
        if (reaper !== child) return
        // Ended by somebody, it comes back with the next command; failing by itself, it would fail again.
        reaper = null
        if (code !== null && code !== 0) refuse(new Error(`it ended with code ${code}`))
      })
      // The host does not wait for the one that waits for it.
      child.unref()
      if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    },
    async close() {
      refused = true
      const child = reaper
      if (child === null) return
      reaper = null
      const ended = once(child, 'exit').catch(() => {})
      child.stdin?.end(dismissal)
      const over = new AbortController()
      await Promise.race([ended, clock.sleep(endMs, over.signal)])
      over.abort()
    },
  }
}
