/* Terminals: shells on a real pty that a session keeps between calls (SPEC 5). A terminal is ready when its shell waits
   for a command. It ends with its session and with the host, and everything that was started in it ends too. Output
   that nobody asked for is kept up to a bound, the newest part of it. */
import type { IPty } from '@lydell/node-pty'
import type { SessionId } from '../../shared/ids.ts'
import type { Clock } from '../clock.ts'
import type { Processes } from './processes.ts'
import { Terminal } from './terminal.ts'
import { throughShell } from './through-shell.ts'

/** Terminals a session may have at once; more is a loop gone wild. */
export const maxTerminals = 5

export interface Terminals {
  /** Opens a terminal whose shell is ready. Rejects where this machine has none to offer. */
  open(owner: SessionId, cwd: string): Promise<Terminal | 'too-many'>
  /** Null for an unknown id and for one of another owner. One that has ended is found until its end was told. */
  find(owner: SessionId, terminalId: string): Terminal | null
  /** Those that have not ended. */
  list(owner: SessionId): Terminal[]
  forget(terminal: Terminal): void
  disposeOwner(owner: SessionId): Promise<void>
  close(): Promise<void>
}

export interface TerminalsDeps {
  clock: Clock
  processes: Processes
  umask: number
  random: () => string
}

/** Long enough for a shell on a busy machine; a slower one is written to all the same. */
const promptMs = 3_000

/** Plain output: no colours, no cursor movements, no long-line tricks of the line editor. */
const shellEnvironment = { PS1: '$ ', PROMPT_COMMAND: '', HISTFILE: '', NO_COLOR: '1' }
const size = { name: 'dumb', cols: 250, rows: 50 }

export function createTerminals({ clock, processes, umask, random }: TerminalsDeps): Terminals {
  const terminalById = new Map<string, Terminal>()
  let opening = 0
  let closed = false

  const list = (owner: SessionId) =>
    [...terminalById.values()].filter((terminal) => terminal.owner === owner && terminal.ended === null)

  async function spawn(name: string, cwd: string): Promise<IPty> {
    // Loaded on first use: a machine without a binary for it can do everything else.
    const { spawn: spawnPty } = await import('@lydell/node-pty')
    const { file, args } = throughShell(umask, { file: 'bash', args: ['--noprofile', '--norc', '-i'], cwd })
    const env = { ...processes.environmentFor(name), ...shellEnvironment }
    return spawnPty(file, [...args], { ...size, cwd, env, encoding: null })
  }

  async function end(terminals: readonly Terminal[]): Promise<void> {
    for (const { id } of terminals) terminalById.delete(id)
    await Promise.all(terminals.map((terminal) => terminal.end()))
  }

  return {
    async open(owner, cwd) {
      if (closed || list(owner).length + opening >= maxTerminals) return 'too-many'
      // The slot is taken before the first await.
      opening += 1
      try {
        const id = `terminal-${random()}`
        const terminal = await Terminal.on(await spawn(id, cwd), { id, owner, clock, processes })
        terminalById.set(id, terminal)
        if (closed) {
          await end([terminal])
          throw new Error('the host is stopping')
        }
        await terminal.untilReady({ withinMs: promptMs, signal: new AbortController().signal })
        terminal.takeOutput()
        return terminal
      } finally {
        opening -= 1
      }
    },
    find(owner, terminalId) {
      const terminal = terminalById.get(terminalId)
      return terminal?.owner === owner ? terminal : null
    },
    list,
    forget: (terminal) => void terminalById.delete(terminal.id),
    disposeOwner: (owner) => end([...terminalById.values()].filter((terminal) => terminal.owner === owner)),
    async close() {
      closed = true
      await end([...terminalById.values()])
    },
  }
}
