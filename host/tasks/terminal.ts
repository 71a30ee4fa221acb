/* One terminal: a shell on a pty, what it printed since somebody looked, and whether it waits for a command. */
import type { IPty } from '@lydell/node-pty'
import type { SessionId } from '../../shared/ids.ts'
import type { Clock } from '../clock.ts'
import { foregroundGroup, leaderOf, type Leader } from './process-table.ts'
import type { Processes } from './processes.ts'

export interface TerminalDeps {
  id: string
  owner: SessionId
  clock: Clock
  processes: Processes
}

export interface TerminalEnd {
  exitCode: number
  signal: number | undefined
}

export interface Patience {
  withinMs: number
  signal: AbortSignal
  /** Also enough: something was printed, and then nothing for so long. For programs that wait for input. */
  quietMs?: number
}

/** Unread output that is kept; what is older goes first. */
const unreadBytes = 64 * 1024
/** A shell that has just been written to looks as if it waited; this long it is not believed. */
const settleMs = 150
const fastPollMs = 25
const slowPollMs = 200
const fastPolls = 40

export class Terminal {
  readonly id: string
  readonly owner: SessionId
  readonly #pty: IPty
  readonly #clock: Clock
  readonly #processes: Processes
  readonly #sinks = new Set<(chunk: Uint8Array) => Promise<void>>()
  #leader: Leader
  #unread: Uint8Array[] = []
  #unreadBytes = 0
  #droppedBytes = 0
  #ended: TerminalEnd | null = null
  #activeAt: number
  #hasPrinted = false

  private constructor(pty: IPty, { id, owner, clock, processes }: TerminalDeps) {
    this.id = id
    this.owner = owner
    this.#pty = pty
    this.#leader = { pid: pty.pid, startTime: null }
    this.#clock = clock
    this.#processes = processes
    this.#activeAt = clock.now()
    // At once: what nobody listens to is lost.
    pty.onData((data) => void this.#take(data))
    pty.onExit(({ exitCode, signal }) => {
      this.#ended = { exitCode, signal: signal === 0 ? undefined : signal }
      // What was started in the terminal does not outlive it.
      void processes.end(id, this.#leader)
    })
  }

  static async on(pty: IPty, deps: TerminalDeps): Promise<Terminal> {
    const terminal = new Terminal(pty, deps)
    terminal.#leader = await leaderOf(pty.pid)
    return terminal
  }

  /** The shell, which leads everything that is started in the terminal. */
  get leader(): Leader {
    return this.#leader
  }

  /** Set once the shell is gone. */
  get ended(): TerminalEnd | null {
    return this.#ended
  }

  /** The shell waits for a command: nothing that was started in the foreground runs. */
  get isReady(): boolean {
    if (this.#ended !== null || this.#clock.now() - this.#activeAt < settleMs) return false
    if (process.platform === 'linux') return foregroundGroup(this.#leader.pid) === this.#leader.pid
    return this.#pty.process.includes('bash')
  }

  /** Types `input`. A line feed is the Enter key. */
  write(input: string): void {
    if (this.#ended !== null) return
    this.#activeAt = this.#clock.now()
    this.#hasPrinted = false
    this.#pty.write(input.replaceAll(/\r?\n/g, '\r'))
  }

  /** Resolves when the terminal is ready, has ended, or patience is at its end. */
  async untilReady({ withinMs, signal, quietMs }: Patience): Promise<void> {
    const deadline = this.#clock.now() + withinMs
    for (let polls = 0; !signal.aborted; polls += 1) {
      const now = this.#clock.now()
      if (this.#ended !== null || this.isReady || now >= deadline) return
      if (quietMs !== undefined && this.#hasPrinted && now - this.#activeAt >= quietMs) return
      await this.#clock.sleep(polls < fastPolls ? fastPollMs : slowPollMs, signal)
    }
  }

  /** What was printed since the last call, and how many bytes before that were dropped. */
  takeOutput(): { text: string; droppedBytes: number } {
    const output = { text: new TextDecoder().decode(Buffer.concat(this.#unread)), droppedBytes: this.#droppedBytes }
    this.#unread = []
    this.#unreadBytes = 0
    this.#droppedBytes = 0
    return output
  }

  /** Sends a copy of what is printed from now on. The terminal waits while the promise is open. */
  listen(sink: (chunk: Uint8Array) => Promise<void>): () => void {
    this.#sinks.add(sink)
    return () => void this.#sinks.delete(sink)
  }

  get isListenedTo(): boolean {
    return this.#sinks.size > 0
  }

  /** Ends the shell and everything that was started in it. */
  async end(): Promise<void> {
    // An interactive shell ignores SIGTERM and goes when its terminal hangs up.
    if (this.#ended === null) this.#pty.kill('SIGHUP')
    await this.#processes.end(this.id, this.#leader)
  }

  async #take(data: unknown): Promise<void> {
    const chunk = data instanceof Uint8Array ? data : Buffer.from(String(data))
    this.#activeAt = this.#clock.now()
    this.#hasPrinted = true
    this.#keep(chunk)
    if (this.#sinks.size === 0) return
    this.#pty.pause()
    await Promise.allSettled([...this.#sinks].map((sink) => sink(chunk)))
    this.#pty.resume()
  }

  #keep(chunk: Uint8Array): void {
    this.#unread.push(chunk)
    this.#unreadBytes += chunk.length
    for (let oldest = this.#unread[0]; oldest !== undefined && this.#unreadBytes - oldest.length >= unreadBytes;) {
      this.#unread.shift()
      this.#unreadBytes -= oldest.length
      this.#droppedBytes += oldest.length
      oldest = this.#unread[0]
    }
  }
}
