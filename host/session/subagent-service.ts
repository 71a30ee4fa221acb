/* One-shot subagents (SPEC 5, 7): a child session that runs its own turn loop and hands back its final text. The
   parent's log says when it began and how it ended; everything between stands in the child's own log. Its one turn is
   all it does: what it left running ends with it, and nothing wakes it afterwards. */
import type { CallId, SessionId } from '../../shared/ids.ts'
import { textOf } from '../../shared/message.ts'
import type { TaskEndStatus } from '../../machines/task.ts'
import { headerOf } from './session-view.ts'
import type { SessionDirectory } from './session-directory.ts'
import type { SessionRuntime } from './session-runtime.ts'

export interface SubagentRequest {
  parent: SessionId
  callId: CallId
  prompt: string
  label: string
  mode: 'foreground' | 'background'
  /** Cuts the child's turn; it then ends as killed. */
  signal: AbortSignal
}

export interface SubagentResult {
  sessionId: SessionId
  status: TaskEndStatus
  /** The last thing the child said, or why it said nothing. */
  text: string
}

/** Resolves once the child session exists and works; `done` when it has ended; a live parent's log says so then. */
export async function startSubagent(
  directory: SessionDirectory,
  request: SubagentRequest,
): Promise<{ done: Promise<SubagentResult> }> {
  const { parent, callId, label, mode } = request
  const parentRuntime = await directory.load(parent)
  const { agent, cwd, toolMode, approval } = headerOf(parentRuntime.state)
  const { id: sessionId } = await directory.create({
    title: label,
    agent,
    cwd,
    toolMode,
    approval,
    parent: { sessionId: parent, seq: parentRuntime.state.lastSeq, relation: 'subagent' },
  })
  await parentRuntime.append([{ type: 'subagent/started', data: { sessionId, callId, label, mode } }])
  const child = await directory.load(sessionId)
  return { done: work(directory, child, request) }
}

async function work(
  directory: SessionDirectory,
  child: SessionRuntime,
  request: SubagentRequest,
): Promise<SubagentResult> {
  const { sessionId } = child
  const run = runChild(directory, child, request)
  const result = { sessionId, ...(await run.finally(() => directory.deps.tasks?.endOwner(sessionId))) }
  // A parent that is being removed or folded again takes no event now; loading it would wait for this very end, and
  // what its log then lacks is repaired there.
  const parent = directory.live(request.parent)
  await parent?.append([{ type: 'subagent/ended', data: { sessionId, status: result.status } }]).catch(() => {})
  return result
}

async function runChild(
  { deps }: SessionDirectory,
  child: SessionRuntime,
  { parent, prompt, signal }: SubagentRequest,
): Promise<Omit<SubagentResult, 'sessionId'>> {
  const interrupt = (): void => child.claims.interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  const source = { kind: 'agent', sessionId: parent } as const
  child.claims.enqueue({ messageId: deps.ids.message(), source, text: prompt }, 'queued')
  if (signal.aborted) interrupt()
  await child.claims.settled()
  signal.removeEventListener('abort', interrupt)
  if (signal.aborted) return { status: 'killed', text: 'The subagent was stopped.' }
  return outcomeOf(child)
}

/** How the child's last turn ended and what it said last. */
async function outcomeOf(child: SessionRuntime): Promise<Omit<SubagentResult, 'sessionId'>> {
  const { deps, sessionId, state } = child
  const { events } = await deps.log.page(sessionId, { limit: 4, skipped: state.skipped })
  const end = events.findLast((event) => event.type === 'turn/end')
  const said = events.findLast((event) => event.type === 'assistant/message')
  const text = said === undefined ? '' : textOf(said.data.message.content)
  if (end === undefined) return { status: 'failed', text: 'The subagent could not begin: its agent is not available.' }
  if (end.data.reason === 'completed') return { status: 'completed', text }
  return { status: 'failed', text: end.data.error ?? `The subagent's turn ended: ${end.data.reason}.` }
}
