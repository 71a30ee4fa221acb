/* A real host as a child process: `dist/run/main.js serve` on a free port with a data folder of its own that
   survives restarts (SPEC 13). It is told everything by its environment and arguments and inherits nothing else, so
   no key or setting of the machine reaches it. Whatever was started here ends with the test process at the latest. */
import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const builtMainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
/** A start loads code, opens the database and listens. */
const startDeadlineMs = 20_000
/** SIGKILL needs no time; SIGTERM has 5 s by SPEC 13, and the caller judges those. */
const exitDeadlineMs = 10_000

const readySchema = z.strictObject({
  url: z.url(),
  port: z.int().positive(),
  token: z.string(),
  pid: z.int().positive(),
  dataDir: z.string(),
})
export type Ready = z.infer<typeof readySchema>

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

const running = new Set<ChildProcess>()
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.on('exit', killAll)
// The runner was killed: its workers end without ceremony.
process.on('disconnect', killAll)

export class HostProcess {
  readonly ready: Ready
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #stderr: () => string

  constructor(parts: { ready: Ready; exited: Promise<Exit>; child: ChildProcess; stderr: () => string }) {
    this.ready = parts.ready
    this.exited = parts.exited
    this.#child = parts.child
    this.#stderr = parts.stderr
  }

  /** What the host has logged, for failure messages. */
  get stderr(): string {
    return this.#stderr()
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Signals the process of the ready line and resolves when it is gone. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> {
    if (this.isRunning) process.kill(this.ready.pid, signal)
    return within(this.exited, exitDeadlineMs, () => `the host did not end on ${signal}\n${this.stderr}`)
  }
}

/** A data folder and what hosts on it are started with. */
export class HostFolder {
  readonly dataDir: string
  readonly token = 'a-token-for-tests'
  readonly #environment: Readonly<Record<string, string>>
  readonly #mainFile: string
  readonly #root: string
  readonly #hosts: HostProcess[] = []

  /**
   * `mainFile`: of another build than the one in `dist`. `copyOf`: a data folder to begin with, its host has
   * ended. `dataDir`: another place for it.
   */
  constructor(
    environment: Readonly<Record<string, string>> = {},
    mainFile = builtMainFile,
    copyOf?: string,
    dataDir?: string,
  ) {
    this.#environment = environment
    this.#mainFile = mainFile
    this.#root = mkdtempSync(join(tmpdir(), 'task-surface-host-'))
    this.dataDir = dataDir ?? join(this.#root, 'data')
    if (copyOf !== undefined) cpSync(copyOf, this.dataDir, { recursive: true })
  }

  /**
   * Starts a host and waits for its ready line. `environment` is of this start alone. `port`: that of a host which
   * has ended, for pages that come back to its address.
   */
  async start(environment: Readonly<Record<string, string>> = {}, port = 0): Promise<HostProcess> {
    const spawned = this.#spawn(environment, port)
    const ready = await within(
      Promise.race([
        spawned.firstLine,
        spawned.exited.then((exit) => Promise.reject(startFailure(exit, spawned.stderr()))),
      ]),
      startDeadlineMs,
      () => `the host printed no ready line\n${spawned.stderr()}`,
    ).catch((cause: unknown) => {
      spawned.child.kill('SIGKILL')
      throw cause
    })
    const host = new HostProcess({ ...spawned, ready: readySchema.parse(JSON.parse(ready)) })
    this.#hosts.push(host)
    return host
  }

  /** Starts a host that is expected to end by itself. */
  async startToEnd(environment: Readonly<Record<string, string>> = {}): Promise<Exit & { stderr: string }> {
    const { child, exited, stderr } = this.#spawn(environment)
    const exit = await within(exited, startDeadlineMs, () => `the host did not end\n${stderr()}`).finally(() =>
      child.kill('SIGKILL'),
    )
    return { ...exit, stderr: stderr() }
  }

  /** What every host on this folder has as its home, and whatever it starts. */
  get home(): string {
    return this.#root
  }

  /** Ends every host and removes the folder. */
  async remove(): Promise<void> {
    for (const host of this.#hosts) await host.kill('SIGKILL')
    rmSync(this.#root, { recursive: true, force: true })
  }

  #spawn(environment: Readonly<Record<string, string>>, port = 0) {
    const mainFile = this.#mainFile
    if (!existsSync(mainFile)) throw new Error(`${mainFile} is missing: run "npm run build" first`)
    const args = [
      mainFile,
      'serve',
      '--port',
      String(port),
      '--json',
      '--no-open',
      '--data',
      this.dataDir,
      '--token',
      this.token,
    ]
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, args, {
      cwd: this.#root,
      env: { PATH, HOME: this.#root, ...this.#environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += String(text)))
    const exited = new Promise<Exit>((resolve) =>
      // `close` comes after the last output.
      child.on('close', (code, signal) => {
        running.delete(child)
        resolve({ code, signal })
      }),
    )
    const lines = createInterface({ input: child.stdout })
    const firstLine = new Promise<string>((resolve) => lines.once('line', resolve))
    return { child, exited, firstLine, stderr: () => errors }
  }
}

function startFailure(exit: Exit, stderr: string): Error {
  return new Error(`the host ended before it was ready (${exit.signal ?? exit.code})\n${stderr}`)
}

async function within<Value>(work: Promise<Value>, ms: number, describe: () => string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(describe())), ms)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
