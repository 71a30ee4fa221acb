/* One program and one session of the Agent Client Protocol in it: started, greeted, prompted, cancelled, ended. The one
   file that knows the protocol library, which is loaded with the first conversation. It knows nothing of turns.

   Invariants: every wait has a limit or ends with the program; the program leads a process group of its own, which ends
   with the conversation; no secret of the settings stands in an error text. */
import { once } from 'node:events'
import { basename } from 'node:path'
import { z } from 'zod'
import type { Usage } from '../../shared/message.ts'
import { ModelError } from '../agents/port.ts'
import type { Clock } from '../clock.ts'
import { wellFormed } from '../session/send-message.ts'
import type { CommandEnd, Processes } from '../tasks/processes.ts'
import { costOf, permissionRequestSchema, promptedSchema, readUpdate, type AcpUpdate } from './updates.ts'
import type { PermissionOutcome, PermissionRequest } from './updates.ts'
import { createAcpWire } from './wire.ts'

/** A program that is run for the first time may unpack itself or look around. */
const startMs = 60_000
/** It connects its MCP servers, reads settings and perhaps the folder. */
const sessionMs = 120_000
/** Between a broken pipe and the end of the program. */
const endingMs = 5_000
/** Of what the program writes to its standard error; the newest. */
const maxErrorUnits = 4_096
/** Of what is shown of it. */
const maxShownUnits = 300
/** A shorter value hides nothing, and taking it out would make texts unreadable. */
const minSecretLength = 6

export interface Program {
  file: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}

/** Our MCP endpoint for one session. */
export interface Endpoint {
  url: string
  token: string
}

export interface ConversationDeps {
  program: Program
  cwd: string
  endpoint: Endpoint | null
  processes: Processes
  clock: Clock
  version: string
  onUpdate: (update: AcpUpdate) => void
  onPermission: (request: PermissionRequest) => Promise<PermissionOutcome>
}

export interface PromptEnd {
  reason: string
  usage: Usage | null
}

export interface Conversation {
  /** Resolves with the reason for stopping and what it cost, where the agent says; rejects with `ModelError`. One at a time. */
  prompt(texts: readonly string[]): Promise<PromptEnd>
  /** Asks the agent to stop what the prompt began. */
  cancel(): void
  /** Aborts when the program is gone, or was given up; the reason is a `ModelError`. */
  readonly ended: AbortSignal
  /** Ends the program with everything it started. Idempotent. */
  end(): void
}

/** Rejects with `ModelError`; then nothing is left running. */
export async function openConversation(deps: ConversationDeps, signal: AbortSignal): Promise<Conversation> {
  const sdk = await import('@agentclientprotocol/sdk')
  const child = await startProgram(deps, signal)
  try {
    const connection = sdk
      .client({ name: 'task-surface' })
      .onRequest('session/request_permission', permissionRequestSchema, async ({ params }) => ({
        outcome: await deps.onPermission(params),
      }))
      .connect(child.wire.stream)
    const ask = <Answer>(method: string, params: unknown, schema: z.ZodType<Answer>, limitMs: number | null) =>
      child.within(connection.agent.request<unknown>(method, params), { method, limitMs, schema })

    const greeting = { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {}, clientInfo: infoOf(deps) }
    const agent = await ask('initialize', greeting, initializedSchema, startMs)
    if (agent.protocolVersion !== sdk.PROTOCOL_VERSION) {
      throw child.failure(
        `It speaks version ${agent.protocolVersion} of the protocol, this host ${sdk.PROTOCOL_VERSION}.`,
      )
    }
    const takesHttp = agent.agentCapabilities?.mcpCapabilities?.http === true
    const mcpServers = deps.endpoint === null || !takesHttp ? [] : [serverOf(deps.endpoint)]
    const { sessionId } = await ask('session/new', { cwd: deps.cwd, mcpServers }, sessionSchema, sessionMs)
    return {
      ended: child.ended,
      end: child.end,
      async prompt(texts) {
        const prompt = texts.map((text) => ({ type: 'text', text }))
        const prompted = await ask('session/prompt', { sessionId, prompt }, promptedSchema, null)
        return { reason: prompted.stopReason, usage: costOf(prompted) }
      },
      cancel() {
        connection.agent.notify('session/cancel', { sessionId }).catch(() => {})
      },
    }
  } catch (error) {
    child.end()
    throw error
  }
}

function infoOf({ version }: ConversationDeps) {
  return { name: 'task-surface', title: 'Task Surface', version }
}

function serverOf({ url, token }: Endpoint) {
  return { type: 'http', name: 'task-surface', url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] }
}

const initializedSchema = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({ mcpCapabilities: z.looseObject({ http: z.boolean().optional() }).nullish() })
    .nullish(),
})
const sessionSchema = z.looseObject({ sessionId: z.string() })

interface Child {
  wire: ReturnType<typeof createAcpWire>
  ended: AbortSignal
  end(): void
  failure(words: string): ModelError
  /** What the agent answers, read by `schema`. `limitMs` null: as long as the program runs. */
  within<Answer>(
    work: Promise<unknown>,
    how: { method: string; limitMs: number | null; schema: z.ZodType<Answer> },
  ): Promise<Answer>
}

async function startProgram(deps: ConversationDeps, signal: AbortSignal): Promise<Child> {
  const { program, cwd, endpoint, processes, clock } = deps
  const name = basename(program.file)
  const secrets = [...Object.values(program.env), ...(endpoint === null ? [] : [endpoint.token])]
  const gone = new AbortController()
  const stop = new AbortController()
  let errors = ''

  const failure = (words: string, cause?: unknown) =>
    new ModelError('permanent', withoutSecrets(`The agent program ${name} failed. ${words}`, secrets), { cause })
  const giveUp = (error: ModelError) => {
    gone.abort(error)
    stop.abort()
  }
  const end = () => giveUp(failure('It was ended.'))
  if (signal.aborted) throw failure('It was ended.')
  signal.addEventListener('abort', end, { once: true })

  let send: (line: string) => Promise<void> = () => Promise.reject(failure('It is not there yet.'))
  const wire = createAcpWire({
    send: (line) => send(line),
    onUpdate(params) {
      const read = readUpdate(params)
      if (read !== null) deps.onUpdate(read.update)
    },
    onGivenUp: (why) => giveUp(failure(why)),
  })
  const decoder = new TextDecoder()
  const running = await processes
    .run(
      { file: program.file, args: program.args, cwd, env: program.env },
      {
        stop: stop.signal,
        write: async (chunk) => wire.receive(chunk),
        writeError: async (chunk) =>
          void (errors = (errors + decoder.decode(chunk, { stream: true })).slice(-maxErrorUnits)),
        speak(input) {
          // A program that no longer reads is told by its end.
          input.on('error', () => {})
          send = async (line) => {
            if (!input.write(line)) await once(input, 'drain').catch(() => {})
          }
        },
      },
    )
    .catch((cause: unknown) => {
      throw failure('It cannot be started.', cause)
    })
  void running.done.then((how) => {
    wire.close()
    giveUp(failure(`${endText(how)}${lastLine(errors)}`))
  })

  const child: Child = {
    wire,
    ended: gone.signal,
    end,
    failure,
    async within(work, { method, limitMs, schema }) {
      const over = new AbortController()
      const waits = AbortSignal.any([gone.signal, over.signal])
      const ended = new Promise<never>((_, reject) => {
        if (gone.signal.aborted) reject(gone.signal.reason)
        waits.addEventListener('abort', () => reject(gone.signal.reason), { once: true })
      })
      ended.catch(() => {})
      const late =
        limitMs === null
          ? ended
          : clock.sleep(limitMs, waits).then(() => {
              const stray = wire.strayLine()
              const wrote = stray === null ? '' : ` It wrote: ${shown(stray)}`
              throw failure(`It did not answer ${method} within ${Math.round(limitMs / 1000)} s.${wrote}`)
            })
      late.catch(() => {})
      try {
        const answer = schema.safeParse(await Promise.race([work, ended, late]))
        if (!answer.success) throw failure(`Its answer to ${method} is none of the protocol.`)
        return answer.data
      } catch (error) {
        if (error instanceof ModelError) throw error
        const refusal = refusalSchema.safeParse(error)
        // No answer, then: the pipe broke, and the end of the program says why.
        if (!refusal.success) await Promise.race([ended, clock.sleep(endingMs, waits)])
        throw failure(refusal.success ? refusalText(method, refusal.data) : `It did not take ${method}.`, error)
      } finally {
        over.abort()
      }
    },
  }
  return child
}

function endText({ code, signal }: CommandEnd): string {
  return code === null ? `It was ended by ${signal ?? 'a signal'}.` : `It exited with code ${code}.`
}

function lastLine(errors: string): string {
  const line = errors.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return line === '' ? '' : ` Its last words: ${shown(line)}`
}

const refusalSchema = z.looseObject({
  code: z.number(),
  message: z.string(),
  data: z.looseObject({ details: z.string().optional(), message: z.string().optional() }).nullish(),
})

/** The code of the protocol for a person who has not signed in. */
const signInNeeded = -32_000

function refusalText(method: string, { code, message, data }: z.infer<typeof refusalSchema>): string {
  if (code === signInNeeded)
    return `It wants you to sign in first: run it once in a terminal. It says: ${shown(message)}`
  const more = data?.details ?? data?.message
  return `It refused ${method}: ${shown(more === undefined ? message : `${message} (${more})`)}`
}

/** One line, without what a terminal would take for orders. */
function shown(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return line.length > maxShownUnits ? `${wellFormed(line.slice(0, maxShownUnits))}…` : line
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((clean, secret) => clean.replaceAll(secret, '•••'), text)
}
