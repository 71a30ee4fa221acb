/* The programs of `settings.json` that speak the Agent Client Protocol, as agents `acp/<name>` (SPEC 11): which there are,
   which can be started here, and what stands in the way. No reason names an argument or a value of the environment. */
import { z } from 'zod'
import type { JsonObject } from '../../shared/json.ts'
import type { SessionId } from '../../shared/ids.ts'
import { acpAgentName } from '../agents/acp-agent-name.ts'
import type { AcpPrograms } from '../agents/catalog.ts'
import type { Seat, SeatedAgent } from '../agents/port.ts'
import type { Clock } from '../clock.ts'
import type { Processes } from '../tasks/processes.ts'
import { createAcpAgent } from './acp-agent.ts'
import type { Endpoint, Program } from './conversation.ts'
import { findProgram } from './find-program.ts'

/** An agent that thinks says nothing for minutes, and some do not stream at all. */
const defaultSilenceMs = 10 * 60_000

const text = z.string().regex(/^[^\0]*$/, 'has a zero byte')
const entrySchema = z.strictObject({
  /** A name on the search path, or an absolute path. */
  command: text.min(1).refine((command) => !/^\.|^[^/]+\//.test(command), 'is neither a name nor an absolute path'),
  args: z.array(text).max(256).optional(),
  /** For this program alone: the keys it needs stand here, those of the host do not reach it. */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).optional(),
})

export interface AcpProgramsDeps {
  /** `acp` of the settings. */
  settings: JsonObject
  stallMs: number | undefined
  processes: Processes
  /** What programs inherit. */
  environment: Readonly<Record<string, string>>
  clock: Clock
  version: string
  /** Null: nobody listens. */
  endpointOf: (sessionId: SessionId) => Endpoint | null
}

type Found = { program: Program } | { why: string }

export function createAcpPrograms(deps: AcpProgramsDeps): AcpPrograms {
  const { settings, stallMs, processes, clock, version } = deps
  const findByName = new Map(
    Object.entries(settings)
      .filter(([name]) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
      .map(([name, entry]) => [acpAgentName(name), () => findEntry(name, entry, deps.environment)]),
  )
  const sit =
    (program: Program) =>
    (seat: Seat): SeatedAgent =>
      createAcpAgent({
        conversation: () => ({
          program,
          cwd: seat.cwd,
          endpoint: deps.endpointOf(seat.sessionId),
          processes,
          clock,
          version,
        }),
        clock,
        silenceMs: stallMs ?? defaultSilenceMs,
      })
  return {
    views: () =>
      [...findByName].map(([name, find]) => {
        const found = find()
        const label = 'Agent program (ACP)'
        return 'why' in found ? { name, label, available: false, why: found.why } : { name, label, available: true }
      }),
    resolve(name) {
      const found = findByName.get(name)?.()
      if (found === undefined) return null
      return 'why' in found ? { available: false, why: found.why } : { available: true, sit: sit(found.program) }
    },
  }
}

function findEntry(name: string, entry: unknown, environment: Readonly<Record<string, string>>): Found {
  const parsed = entrySchema.safeParse(entry)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const place = ['acp', name, ...(issue?.path ?? []).map(String)].join('.')
    return { why: `${place} in settings.json cannot be used: ${issue?.message ?? 'it is malformed'}.` }
  }
  const { command, args = [], env = {} } = parsed.data
  const file = findProgram(command, { ...environment, ...env })
  return file === null
    ? { why: `The program ${command} is not installed, or not on the search path of this host.` }
    : { program: { file, args, env } }
}
