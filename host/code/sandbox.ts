/* Runs a model's code in a thread of its own (SPEC 5, `run_code`). Owns the life of the thread and the limits; what the
   code may call is the caller's business. A thread that does not come back to rest in its time is ended from here. */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../clock.ts'
import { fromSandboxSchema, lateMessage, type SandboxJob, type ToSandbox } from './sandbox-messages.ts'

export interface SandboxLimits {
  /** Milliseconds the code itself may run, waits for tools left out. */
  cpuMs: number
  memoryBytes: number
  maxCalls: number
  /** UTF-16 units of what it prints, and of what it returns. */
  maxOutputLength: number
}

export interface SandboxDeps {
  clock: Clock
  /** File that runs `sandbox-worker.ts`. */
  workerFile: string
  limits: SandboxLimits
}

export interface SandboxRun {
  code: string
  names: readonly string[]
  /** A rejection ends the run, which then rejects with it: there is no session any more that could go on. */
  call(name: string, argumentsText: string): Promise<{ text: string; isError: boolean }>
  signal: AbortSignal
}

export type SandboxEnd =
  | { kind: 'returned'; value: string | undefined; output: string }
  | { kind: 'failed'; message: string; output: string }
  | { kind: 'aborted' }

/** Beyond the code's own time: loading the thread, and the steps that cannot be interrupted. */
const graceMs = 5_000
/** Of the thread itself, outside of the code's memory. */
const threadLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

export function runInSandbox({ clock, workerFile, limits }: SandboxDeps, run: SandboxRun): Promise<SandboxEnd> {
  const job: SandboxJob = { code: run.code, names: [...run.names], ...limits }
  const worker = new Worker(workerFile, {
    workerData: job,
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: threadLimits,
  })
  return new Promise((resolve, reject) => {
    let isOver = false
    let busy = new AbortController()

    const stop = (then: () => void) => {
      if (isOver) return
      isOver = true
      busy.abort()
      run.signal.removeEventListener('abort', abort)
      void worker.terminate().then(then)
    }
    const end = (how: SandboxEnd) => stop(() => resolve(how))
    const abort = () => end({ kind: 'aborted' })
    const failed = (message: string) => end({ kind: 'failed', message, output: '' })

    /** The thread is at work: it must rest, call or end within its time. */
    const watch = () => {
      busy.abort()
      busy = new AbortController()
      const { signal } = busy
      void clock.sleep(limits.cpuMs + graceMs, signal).then(() => {
        if (!signal.aborted) failed(lateMessage(limits.cpuMs))
      })
    }

    const answer = async (id: number, name: string, argumentsText: string) => {
      const { text, isError } = await run.call(name, argumentsText)
      if (isOver) return
      watch()
      worker.postMessage({ id, text, isError } satisfies ToSandbox)
    }

    worker.on('message', (said: unknown) => {
      const { data: message } = fromSandboxSchema.safeParse(said)
      if (message === undefined) failed('The code could not go on: its thread said what cannot be read.')
      else if (message.type === 'idle') busy.abort()
      else if (message.type === 'call') {
        answer(message.id, message.name, message.arguments).catch((error: unknown) => stop(() => reject(error)))
      } else if (message.type === 'returned') end({ kind: 'returned', value: message.value, output: message.output })
      else end({ kind: 'failed', message: message.message, output: message.output })
    })
    worker.on('error', (error) => failed(`The code could not go on: ${error.message}`))
    worker.on('exit', () => failed('The code could not go on: its thread ended.'))
    if (run.signal.aborted) abort()
    else run.signal.addEventListener('abort', abort)
    watch()
  })
}
