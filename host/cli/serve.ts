/* The life of one host process: data folder, parts, socket, ready line, and the way out (SPEC 13). What the parts
   are is `compose`'s business (`host/main.ts`); here is only the order in which they start and stop.

   Stopping: the sockets are told, then the parts drain; whatever is not done by the deadline is left to the log,
   which is as good as a crash and no worse. */
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Logger } from 'pino'
import { systemClock } from '../clock.ts'
import { LogError } from '../log/port.ts'
import type { McpEndpoint } from '../mcp/endpoint.ts'
import type { Engine } from '../rpc/engine.ts'
import type { Fanout } from '../rpc/port.ts'
import { createTransport } from '../transport/server.ts'
import { createStartTickets } from '../transport/start-tickets.ts'
import { loadStaticFiles } from '../transport/static-files.ts'
import { CommandError } from './command-error.ts'
import { announceHost, findRunningHost, keptToken, prepareDataFolder } from './data-folder.ts'
import type { ServeOptions } from './serve-options.ts'

/** SPEC 13 allows 5 s; the rest is for closing sockets and ending the process. */
const drainMs = 4000

export interface HostParts {
  engine: Engine
  /** The text of `host/hello` for a new socket. */
  hello: () => string
  mcp: McpEndpoint
  /** Called once, before the first request. */
  listening(at: Listening): void
  /** Ends every lifecycle, frees the data folder. Called once, after the last request. */
  close(): Promise<void>
}

/** Where the host is found, by programs that it starts. */
export interface Listening {
  url: string
  token: string
}

export interface ComposeContext {
  /** Absolute, exists, private. */
  dataDir: string
  options: ServeOptions
  fanout: Fanout
  log: Logger
}

export interface ServeDeps {
  /** Folder of the built web client. */
  webRoot: string
  defaultDataFolder: string
  log: Logger
  compose(context: ComposeContext): Promise<HostParts>
  /** Resolves when the process was asked to stop. */
  stopRequested: Promise<unknown>
  /** `startTicket` gives what opens the start link once in place of the token, for a minute. */
  onReady(ready: Ready, startTicket: () => string): void
}

export interface Ready {
  url: string
  port: number
  token: string
  pid: number
  dataDir: string
}

/** Runs until asked to stop. Rejects where the host cannot start, with everything it had opened closed again. */
export async function serve(options: ServeOptions, deps: ServeDeps): Promise<void> {
  const dataDir = prepareDataFolder(options.data ?? deps.defaultDataFolder)
  const transport = await createTransport({ files: loadStaticFiles(deps.webRoot) })
  const parts = await deps.compose({ dataDir, options, fanout: transport, log: deps.log }).catch((cause: unknown) => {
    throw cause instanceof LogError && cause.code === 'locked' ? takenError(dataDir, cause) : cause
  })
  const token = options.token ?? keptToken(dataDir, newToken)
  const tickets = createStartTickets({ mint: newToken, now: () => systemClock.now() })
  let withdraw = () => {}
  try {
    const { port, url } = await transport.listen({
      host: options.host,
      port: options.port,
      token,
      engine: parts.engine,
      hello: parts.hello,
      mcp: parts.mcp.fetch,
      ownAddresses: ownAddresses(),
      isTicket: tickets.spend,
    })
    parts.listening({ url, token })
    withdraw = announceHost(dataDir, { pid: process.pid, port, token, url })
    deps.onReady({ url, port, token, pid: process.pid, dataDir }, tickets.issue)
    await deps.stopRequested
    deps.log.info('stopping')
  } finally {
    withdraw()
    await transport.close()
    if (!(await endsWithin(parts.close(), drainMs))) deps.log.warn({ drainMs }, 'not everything had ended in time')
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}

function takenError(dataDir: string, cause: LogError): CommandError {
  const other = findRunningHost(dataDir)
  const where = other === null ? '' : ` at ${other.url} (process ${other.pid})`
  return new CommandError(`another host runs on ${dataDir}${where}; stop it, or choose another folder with --data`, {
    cause,
  })
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const done = await Promise.race([work.then(() => true), deadline])
  clearTimeout(timer)
  return done
}
