/* A host inside the test process, over a store of the test's own: the real sessions, engine and transport, without
   tasks and command line. For what a process cannot be asked from outside: writes that wait, fail, or end unknown. It
   watches every frame on its way out and notes what had not become durable by then. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgentCatalog } from '../../host/agents/catalog.ts'
import { loadSettings } from '../../host/agents/settings.ts'
import { systemClock, type Clock } from '../../host/clock.ts'
import { createIdMint } from '../../host/id-mint.ts'
import { Journal } from '../../host/lifecycles/journal.ts'
import { Lifecycles } from '../../host/lifecycles/lifecycles.ts'
import { Watching } from '../../host/lifecycles/watching.ts'
import { noFaultPoints } from '../../host/log/fault-points.ts'
import type { Append, AppendOutcome, LogStore } from '../../host/log/port.ts'
import { createSessionLog } from '../../host/log/session-log.ts'
import { createEngine } from '../../host/rpc/engine.ts'
import { createHandlers } from '../../host/rpc/handlers.ts'
import { silentLogger } from '../../host/logger.ts'
import { wireError } from '../../host/rpc/log-failures.ts'
import { openAdmission } from '../../host/session/admission-hook.ts'
import { SubscriptionHub } from '../../host/session/hub.ts'
import { SessionDirectory } from '../../host/session/session-directory.ts'
import { readOutcome } from '../../host/session/surface-outcome.ts'
import { askUserQuestion } from '../../host/tools/ask-user-question.ts'
import { createAwaitTaskSurface } from '../../host/tools/await-task-surface.ts'
import { ToolRegistry } from '../../host/tools/registry.ts'
import { createShowTaskSurface } from '../../host/tools/show-task-surface.ts'
import type { Tool } from '../../host/tools/tool.ts'
import { createTransport } from '../../host/transport/server.ts'
import { sessionFrameSchema } from '../../shared/protocol/frames.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { Address } from './client.ts'
import { createMemoryJournal } from './memory-journal.ts'

const token = 'a-token-for-tests'

export interface InProcessHost {
  readonly address: Address
  readonly directory: SessionDirectory
  /** Frames that spoke of something before it was durable. Must stay empty. */
  readonly early: readonly string[]
  /** Failures that nobody expected, and what the host logged as an error. */
  readonly errors: readonly string[]
  /** What the host logged as a warning. */
  readonly warnings: readonly string[]
  /** The seq of the last durable event of a session. */
  durableSeq(sessionId: string): number
  close(): Promise<void>
}

export interface InProcessOptions {
  clock?: Clock
  /** Beside those for surfaces and questions. */
  tools?: readonly Tool[]
}

export async function startInProcessHost(
  bare: LogStore,
  modelUrl: string,
  { clock = systemClock, tools = [] }: InProcessOptions = {},
): Promise<InProcessHost> {
  const dataDir = mkdtempSync(join(tmpdir(), 'task-surface-inside-'))
  const durable = new Map<string, number>()
  const early: string[] = []
  const errors: string[] = []
  const warnings: string[] = []
  const store = recording(bare, durable)
  const transport = await createTransport({ files: new Map() })
  const bootId = 'boot-inside'
  const fanout = {
    publish(topic: string, text: string) {
      const frame = sessionFrameSchema.safeParse(JSON.parse(text))
      if (frame.success && isEarly(frame.data, durable.get(frame.data.sessionId) ?? -1)) early.push(text)
      transport.publish(topic, text)
    },
    subscribers: (topic: string) => transport.subscribers(topic),
  }
  const ids = createIdMint()
  const settings = await loadSettings({ dataDir, environment: { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'no-key' } })
  const log = createSessionLog({ store, faults: noFaultPoints })
  const hub = new SubscriptionHub({ fanout, bootId, faults: noFaultPoints, clock })
  const directory: SessionDirectory = new SessionDirectory({
    log,
    hub,
    clock,
    ids,
    agents: createAgentCatalog({ settings, clock }),
    tools: new ToolRegistry(
      [
        createShowTaskSurface({ limits: defaultTaskSurfaceLimits, mintSurfaceId: ids.surface }),
        askUserQuestion,
        ...tools,
      ],
      [
        createAwaitTaskSurface({
          readOutcome: async (sessionId, surfaceId) =>
            readOutcome({ sessionId, state: await directory.state(sessionId), deps: directory.deps }, surfaceId),
        }),
      ],
    ),
    admission: openAdmission,
    surfaceLimits: defaultTaskSurfaceLimits,
    tasks: null,
    lifecycles: new Lifecycles({
      journal: new Journal({ store: createMemoryJournal(), clock: systemClock, logger: silentLogger }),
      watching: new Watching(fanout),
      clock: systemClock,
      logger: silentLogger,
    }),
    logger: {
      info: () => {},
      warn: (_, message) => void warnings.push(message),
      error: (...said: unknown[]) => void errors.push(JSON.stringify(said)),
    },
  })
  const engine = createEngine({
    handlers: createHandlers({ directory, version: '0.0.0', bootId, defaultCwd: dataDir, defaultAgent: 'demo' }),
    expected: wireError,
    newReference: () => 'reference',
    onFault: ({ method, cause }) => errors.push(`${method}: ${String(cause)}`),
  })
  const hello = () => JSON.stringify({ type: 'host/hello', bootId, version: '0.0.0', serverTime: 1 })
  const { port } = await transport.listen({ host: '127.0.0.1', port: 0, token, engine, hello })
  return {
    address: { port, token },
    directory,
    early,
    errors,
    warnings,
    durableSeq: (sessionId) => durable.get(sessionId) ?? -1,
    async close() {
      await transport.close()
      await directory.close()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Notes what became durable when the store says so, before anybody above hears of it. */
function recording(store: LogStore, durable: Map<string, number>): LogStore {
  const note = (append: Append, outcome: AppendOutcome | undefined) => {
    if (outcome?.kind === 'durable') durable.set(append.ownership.sessionId, append.firstSeq + append.bodies.length - 1)
  }
  return {
    ...store,
    async appendGroup(appends, options) {
      const outcomes = await store.appendGroup(appends, options)
      for (const [index, append] of appends.entries()) note(append, outcomes[index])
      return outcomes
    },
    async read(sessionId, range, options) {
      const records = await store.read(sessionId, range, options)
      // What can be read is durable, whatever the store said when it was written.
      for (const { seq } of records) durable.set(sessionId, Math.max(seq, durable.get(sessionId) ?? -1))
      return records
    },
  }
}

function isEarly(frame: ReturnType<typeof sessionFrameSchema.parse>, durableSeq: number): boolean {
  switch (frame.type) {
    case 'session/event':
      return frame.event.seq > durableSeq
    case 'session/projection':
      return frame.seq > durableSeq
    case 'session/subscribed':
      return frame.lastSeq > durableSeq
    default:
      return false
  }
}
