/* The parts of a host, put together in the order log → agents and tools → sessions → handlers → engine. Knows
   what depends on what and nothing of what they do. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { HostFrame } from '../shared/protocol/frames.ts'
import { defaultTaskSurfaceLimits, taskSurfaceLimitsSchema, type TaskSurfaceLimits } from '../shared/surface/limits.ts'
import { createAcpPrograms } from './acp/programs.ts'
import { createAgentCatalog } from './agents/catalog.ts'
import { loadSettings, type AgentEnvironment, type Settings } from './agents/settings.ts'
import { CommandError } from './cli/command-error.ts'
import type { HostParts, Listening } from './cli/serve.ts'
import { systemClock } from './clock.ts'
import { createIdMint } from './id-mint.ts'
import { Journal } from './lifecycles/journal.ts'
import { Lifecycles } from './lifecycles/lifecycles.ts'
import { Watching } from './lifecycles/watching.ts'
import type { FaultPoints } from './log/fault-points.ts'
import { createJournalRecords } from './log/journal-records.ts'
import { openLevelDatabase } from './log/level-database.ts'
import { createLevelStore } from './log/level-store.ts'
import { createSessionLog } from './log/session-log.ts'
import { createTaskRecordStore } from './log/task-record-store.ts'
import { createMcpEndpoint } from './mcp/endpoint.ts'
import { createEngine } from './rpc/engine.ts'
import { createHandlers } from './rpc/handlers.ts'
import { wireError } from './rpc/log-failures.ts'
import type { Fanout } from './rpc/port.ts'
import type { AdmissionHook } from './session/admission-hook.ts'
import { SubscriptionHub } from './session/hub.ts'
import { SessionDirectory } from './session/session-directory.ts'
import { isSubagent } from './session/session-view.ts'
import { startSubagent } from './session/subagent-service.ts'
import { readOutcome } from './session/surface-outcome.ts'
import { carryTasks } from './session/task-carrier.ts'
import { childEnvironment } from './tasks/child-environment.ts'
import { openTaskHost, type TaskHost } from './tasks/task-host.ts'
import { createAwaitTaskSurface } from './tools/await-task-surface.ts'
import { builtInTools, findPwsh } from './tools/built-in.ts'
import { ToolRegistry } from './tools/registry.ts'
import { sessionToken } from './transport/access.ts'
import { maxMessageBytes } from './transport/server.ts'

export interface ComposeOptions {
  version: string
  /** Absolute, exists, private to this person. */
  dataDir: string
  /** Agent of new sessions that name none; null: the first one offered. */
  agent: string | null
  /** Folder of new sessions that name none. */
  cwd: string
  environment: AgentEnvironment & Readonly<Record<string, string | undefined>>
  /** The umask of whoever started the host, for files of commands. */
  umask: number
  /** File that runs the watchdog of background processes. */
  reaperFile: string
  /** File that runs a model's code. */
  sandboxFile: string
  fanout: Fanout
  admission: AdmissionHook
  faults: FaultPoints
  logger: Logger
}

export async function composeHost(options: ComposeOptions): Promise<HostParts> {
  const { version, dataDir, environment, logger, faults } = options
  const bootId = randomUUID()
  const ids = createIdMint()
  const database = await openLevelDatabase(dataDir, { faults })
  const store = await createLevelStore(database)
  const settings = await loadSettings({ dataDir, environment })
  if (settings.problem !== undefined) logger.warn(settings.problem)
  const surfaceLimits = surfaceLimitsOf(settings)
  const lifecycles = new Lifecycles({
    journal: new Journal({ store: createJournalRecords(database, logger), clock: systemClock, logger }),
    watching: new Watching(options.fanout),
    clock: systemClock,
    logger,
  })
  const commandEnvironment = childEnvironment(environment)
  const tasks = await openTaskHost({
    clock: systemClock,
    logger,
    dataDir,
    bootId,
    records: createTaskRecordStore(database, logger),
    observe: (machine, actorId, sessionId) => lifecycles.observed(machine, { actorId, machine: machine.id, sessionId }),
    environment: commandEnvironment,
    umask: options.umask,
    reaperFile: options.reaperFile,
  })
  let listening: Listening | null = null
  const { stallSeconds } = settings.limits
  const acp = createAcpPrograms({
    settings: settings.acp,
    stallMs: stallSeconds === undefined ? undefined : stallSeconds * 1000,
    processes: tasks.processes,
    environment: commandEnvironment,
    clock: systemClock,
    version,
    endpointOf: (sessionId) =>
      listening && {
        url: `${listening.url}/mcp?session=${sessionId}`,
        token: sessionToken(listening.token, sessionId),
      },
  })
  const agents = createAgentCatalog({ settings, preferred: options.agent ?? undefined, clock: systemClock, acp })
  if (options.agent !== null && agents.resolve(options.agent) === null) {
    await tasks.close()
    await database.close()
    throw new CommandError(`there is no agent named ${options.agent}; the README names those there are`)
  }
  const tools = new ToolRegistry(
    builtInTools({
      clock: systemClock,
      tasks,
      dataDir,
      umask: options.umask,
      pwshFile: findPwsh(commandEnvironment),
      surfaceLimits,
      mintSurfaceId: ids.surface,
      startSubagent: (request) => startSubagent(directory, request),
      sandboxFile: options.sandboxFile,
    }),
    [
      createAwaitTaskSurface({
        readOutcome: async (sessionId, surfaceId) =>
          readOutcome({ sessionId, state: await directory.state(sessionId), deps: directory.deps }, surfaceId),
      }),
    ],
  )
  const log = createSessionLog({ store, faults })
  const hub = new SubscriptionHub({ fanout: options.fanout, bootId, faults, clock: systemClock })
  const { admission } = options
  const directory: SessionDirectory = new SessionDirectory({
    log,
    hub,
    clock: systemClock,
    ids,
    agents,
    tools,
    admission,
    surfaceLimits,
    tasks: tasks.registry,
    lifecycles,
    logger,
  })
  const disposeCarrier = carryTasks(
    tasks.registry,
    hub,
    (owner, record) => void directory.notifyTaskDone(owner, record),
  )
  tellOfRestored(tasks, directory).catch((error: unknown) => {
    if (!directory.isClosing) logger.error({ err: error }, 'models were not told of the tasks an earlier host left')
  })
  const defaultAgent = options.agent ?? agents.list().find(({ available }) => available)?.name ?? 'demo'
  const mcp = createMcpEndpoint({
    directory,
    version,
    surfaceLimits,
    defaultCwd: options.cwd,
    maxBodyBytes: maxMessageBytes,
  })
  return {
    mcp,
    engine: createEngine({
      handlers: createHandlers({ directory, version, bootId, defaultCwd: options.cwd, defaultAgent }),
      expected: wireError,
      newReference: () => randomUUID().slice(0, 8),
      onFault: ({ cause, ...fault }) => logger.error({ ...fault, err: cause }, 'a request failed unexpectedly'),
    }),
    hello: () =>
      JSON.stringify({
        type: 'host/hello',
        bootId,
        version,
        serverTime: systemClock.now(),
      } satisfies HostFrame),
    listening: (at) => void (listening = at),
    close: async () => {
      disposeCarrier()
      await mcp.close()
      // Sessions are told first; tasks end while turns write their end, for both together have little time.
      const sessionsClosed = directory.close()
      await tasks.close()
      await sessionsClosed
      await log.close()
      lifecycles.journal.close()
      await store.close()
      await database.close()
    },
  }
}

/**
 * Tasks that the host before this one left: their models learn of it, but for subagents, whose work is over. Nobody
 * waits for that.
 */
async function tellOfRestored({ restored, registry }: TaskHost, directory: SessionDirectory): Promise<void> {
  for (const record of restored) {
    const { owner } = record
    if (owner === undefined) continue
    if (directory.isClosing) return
    const header = await directory.deps.log.header(owner)
    // Removed, but for its tasks: the removal was cut off.
    if (header === null) await registry.disposeOwner(owner)
    else if (isSubagent(header)) await registry.endOwner(owner)
    else await directory.notifyTaskDone(owner, record)
  }
}

/** The defaults, with whatever the settings replace. */
function surfaceLimitsOf({ limits: { stallSeconds: _, ...limits } }: Settings): TaskSurfaceLimits {
  const replaced = Object.entries(limits).filter(([, limit]) => limit !== undefined)
  return taskSurfaceLimitsSchema.parse({ ...defaultTaskSurfaceLimits, ...Object.fromEntries(replaced) })
}
