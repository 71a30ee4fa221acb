/* The parts of a host, put together in the order log → agents and tools → sessions → handlers → engine. Knows
   what depends on what and nothing of what they do. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { HostFrame } from '../shared/protocol/frames.ts'
import { defaultTaskSurfaceLimits, taskSurfaceLimitsSchema, type TaskSurfaceLimits } from '../shared/surface/limits.ts'
import { createAgentCatalog } from './agents/catalog.ts'
import { loadSettings, type AgentEnvironment, type Settings } from './agents/settings.ts'
import type { HostParts } from './cli/serve.ts'
import { systemClock } from './clock.ts'
import { createIdMint } from './id-mint.ts'
import type { FaultPoints } from './log/fault-points.ts'
import { openLevelStore } from './log/level-store.ts'
import { createSessionLog } from './log/session-log.ts'
import { createEngine } from './rpc/engine.ts'
import { createHandlers } from './rpc/handlers.ts'
import { wireError } from './rpc/log-failures.ts'
import type { Fanout } from './rpc/port.ts'
import type { AdmissionHook } from './session/admission-hook.ts'
import { SubscriptionHub } from './session/hub.ts'
import { SessionDirectory } from './session/session-directory.ts'
import { askUserQuestion } from './tools/ask-user-question.ts'
import { ToolRegistry } from './tools/registry.ts'
import { createShowTaskSurface } from './tools/show-task-surface.ts'

export interface ComposeOptions {
  version: string
  /** Absolute, exists, private to this person. */
  dataDir: string
  /** Agent of new sessions that name none; null: the first one offered. */
  agent: string | null
  /** Folder of new sessions that name none. */
  cwd: string
  environment: AgentEnvironment
  fanout: Fanout
  admission: AdmissionHook
  faults: FaultPoints
  logger: Logger
}

export async function composeHost(options: ComposeOptions): Promise<HostParts> {
  const { version, dataDir, environment, logger, faults } = options
  const bootId = randomUUID()
  const ids = createIdMint()
  const store = await openLevelStore({ folder: dataDir })
  const settings = await loadSettings({ dataDir, environment })
  if (settings.problem !== undefined) logger.warn(settings.problem)
  const agents = createAgentCatalog({ settings, preferred: options.agent ?? undefined, clock: systemClock })
  const surfaceLimits = surfaceLimitsOf(settings)
  const tools = new ToolRegistry([
    createShowTaskSurface({ limits: surfaceLimits, mintSurfaceId: ids.surface }),
    askUserQuestion,
  ])
  const log = createSessionLog({ store, faults })
  const hub = new SubscriptionHub({ fanout: options.fanout, bootId, faults })
  const { admission } = options
  const directory = new SessionDirectory({
    log,
    hub,
    clock: systemClock,
    ids,
    agents,
    tools,
    admission,
    surfaceLimits,
    tasks: null,
    logger,
  })
  const defaultAgent = options.agent ?? agents.list().find(({ available }) => available)?.name ?? 'demo'
  return {
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
    close: async () => {
      await directory.close()
      await store.close()
    },
  }
}

/** The defaults, with whatever the settings replace. */
function surfaceLimitsOf({ limits: { stallSeconds: _, ...limits } }: Settings): TaskSurfaceLimits {
  const replaced = Object.entries(limits).filter(([, limit]) => limit !== undefined)
  return taskSurfaceLimitsSchema.parse({ ...defaultTaskSurfaceLimits, ...Object.fromEntries(replaced) })
}
