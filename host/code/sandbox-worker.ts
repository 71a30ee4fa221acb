/* The thread that runs a model's code: one QuickJS context for one piece of code, with nothing in it but the language,
   `console` and `tools`. The code never sees Node: it runs inside WebAssembly memory of its own and can only ask this
   file to print or to call. The host ends the thread, however busy it is.

   Invariants: the code's own running time, its memory, the number of its calls and the length of its output are bounded;
   whatever ends the code is told in one message, `returned` or `failed`. */
import { parentPort, workerData } from 'node:worker_threads'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
} from 'quickjs-emscripten-core'
import {
  lateMessage,
  sandboxJobSchema,
  toSandboxSchema,
  type FromSandbox,
  type SandboxJob,
} from './sandbox-messages.ts'

/** Far deeper than sensible code calls; beyond is endless recursion. */
const stackBytes = 512 * 1024

/* Runs first, in the context: takes the doors of this file out of reach, and keeps the intrinsics it needs later from
   whatever the code does to them. */
const prelude = `(call, print, done, fail, ...names) => {
  const { stringify } = JSON
  const text = (value) =>
    typeof value === 'string' ? value : value instanceof Error ? String(value) : (stringify(value) ?? String(value))
  const say = (...values) => print(values.map(text).join(' '))
  globalThis.console = Object.freeze({ log: say, info: say, warn: say, error: say, debug: say })
  const tools = Object.create(null)
  for (const name of names) tools[name] = (input = {}) => call(name, stringify(input) ?? 'null')
  Object.defineProperty(globalThis, 'tools', { value: Object.freeze(tools) })
  const shown = (value) => (typeof value === 'string' ? value : (stringify(value, null, 2) ?? String(value)))
  return async (main) => {
    try {
      const value = await main()
      if (value === undefined) done()
      else done(shown(value))
    } catch (error) {
      fail(error instanceof Error ? error.name + ': ' + error.message + '\\n' + error.stack : text(error))
    }
  }
}`

function run(
  context: QuickJSContext,
  job: SandboxJob,
  tell: (message: FromSandbox) => void,
): (message: unknown) => void {
  const { runtime } = context
  const waiting = new Map<number, QuickJSDeferredPromise>()
  let calls = 0
  let output = ''
  let isOver = false
  let spentMs = 0
  let enteredAt = 0
  runtime.setMemoryLimit(job.memoryBytes)
  runtime.setMaxStackSize(stackBytes)
  runtime.setInterruptHandler(() => isLate())

  const end = (message: FromSandbox) => {
    if (isOver) return
    isOver = true
    tell(message)
  }
  const isLate = () => spentMs + performance.now() - enteredAt > job.cpuMs
  // Whatever interrupted code says of it, there was one reason.
  const failed = (message: string) =>
    end({ type: 'failed', message: isLate() ? lateMessage(job.cpuMs) : message, output })
  const textOf = (handle: QuickJSHandle | undefined) => (handle === undefined ? '' : context.getString(handle))

  /** Everything that runs code goes through here: its time counts. */
  function enter(work: () => void): void {
    enteredAt = performance.now()
    try {
      work()
      while (!isOver && runtime.hasPendingJob()) {
        const jobs = runtime.executePendingJobs(1)
        if (jobs.error === undefined) continue
        const error: unknown = context.dump(jobs.error)
        jobs.dispose()
        failed(wordsOf(error))
      }
    } catch (error) {
      // The time may end while this side reads what the code has left, which is interrupted as well.
      if (!isLate()) throw error
    }
    spentMs += performance.now() - enteredAt
    // Interrupted code may be unable to say so itself: every further step of it is interrupted as well.
    if (spentMs > job.cpuMs) failed(lateMessage(job.cpuMs))
    else if (!isOver && waiting.size === 0) failed('The code waits for something that never comes.')
    if (!isOver) tell({ type: 'idle' })
  }

  const doors = [
    context.newFunction('call', (name, argumentsText) => {
      const promise = context.newPromise()
      calls += 1
      if (calls > job.maxCalls) {
        context.newError(`TOO_MANY_CALLS: at most ${job.maxCalls} calls of tools in one run.`).consume(promise.reject)
      } else {
        waiting.set(calls, promise)
        tell({ type: 'call', id: calls, name: textOf(name), arguments: textOf(argumentsText) })
      }
      return promise.handle
    }),
    context.newFunction('print', (line) => {
      if (output.length < job.maxOutputLength)
        output += `${textOf(line)}\n`.slice(0, job.maxOutputLength - output.length)
    }),
    context.newFunction('done', (value) =>
      end({
        type: 'returned',
        ...(value !== undefined && { value: textOf(value).slice(0, job.maxOutputLength) }),
        output,
      }),
    ),
    context.newFunction('fail', (message) => failed(textOf(message))),
  ]

  enter(() => {
    const start = context.unwrapResult(
      context.callFunction(
        context.unwrapResult(context.evalCode(prelude, 'prelude.js')),
        context.undefined,
        ...doors,
        ...job.names.map((name) => context.newString(name)),
      ),
    )
    const main = context.evalCode(`(async () => {\n${job.code}\n})`, 'code.js')
    if (main.error !== undefined) return failed(wordsOf(context.dump(main.error)))
    const started = context.callFunction(start, context.undefined, main.value)
    if (started.error !== undefined) failed(wordsOf(context.dump(started.error)))
  })

  return (message) => {
    const { id, text, isError } = toSandboxSchema.parse(message)
    const promise = waiting.get(id)
    waiting.delete(id)
    if (isOver || promise === undefined) return
    enter(() => {
      if (isError) context.newError(text).consume(promise.reject)
      else context.newString(text).consume(promise.resolve)
    })
  }
}

function wordsOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { name, message, stack }: { name?: unknown; message?: unknown; stack?: unknown } = error
  const head = `${typeof name === 'string' ? name : 'Error'}: ${typeof message === 'string' ? message : ''}`
  return typeof stack === 'string' && stack.trim() !== '' ? `${head}\n${stack}` : head
}

const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread')
const quickjs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
const job = sandboxJobSchema.parse(workerData)
port.on(
  'message',
  run(quickjs.newContext(), job, (message) => port.postMessage(message)),
)
