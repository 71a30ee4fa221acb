/* A real host with one session whose scripted model calls tools: the scene of tests about background tasks. */
import type { TaskView } from '../../shared/task.ts'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import type { ModelCall, ScriptedToolCall } from '../harness/scripted-model.ts'
import type { SessionView } from '../harness/session-view.ts'

export interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
  view: SessionView
}

export async function openScene(environment: Record<string, string> = {}): Promise<Scene> {
  const stage = await HostStage.open(environment)
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  return { stage, client, sessionId, view: await client.open(sessionId) }
}

/** The scene on the host that was started last. */
export async function openAgain({ stage, sessionId }: Scene): Promise<Scene> {
  const client = await stage.connect()
  return { stage, client, sessionId, view: await client.open(sessionId) }
}

let messages = 0

/** A person's message begins a turn: its first call of the model. */
export async function say({ stage, client, sessionId }: Scene): Promise<ModelCall> {
  const text = `m${(messages += 1)}`
  await client.call('session.send', { sessionId, messageId: text, text })
  return stage.call(text)
}

/** Answers `call` with tool calls; resolves with the next call of the model and what it reads of them. */
export async function callTools(
  { stage }: Scene,
  call: ModelCall,
  scripted: readonly ScriptedToolCall[],
): Promise<{ next: ModelCall; results: string[] }> {
  call.answerCalls(scripted)
  const isNext = (other: ModelCall) =>
    other.isParked && other.callNo > call.callNo && other.userTexts[0] === call.userTexts[0]
  const next = await stage.until(() => stage.model.calls.find(isNext), 'the call behind the tools')
  const results = next.messages.slice(call.messages.length).filter(({ role }) => role === 'tool')
  return { next, results: results.map(({ text }) => text) }
}

/** One turn whose model makes these calls in one step; answers what the model reads of them. */
export async function calls(scene: Scene, scripted: readonly ScriptedToolCall[]): Promise<string[]> {
  const { next, results } = await callTools(scene, await say(scene), scripted)
  next.answerText('Done.')
  return results
}

export const background = (command: string): ScriptedToolCall => ({
  name: 'bash',
  arguments: { command, run_in_background: true },
})

export const tasksOf = (view: SessionView): readonly TaskView[] => view.tasks.at(-1) ?? []

/** The id in what the model reads of a started task. */
export function startedTask(text = ''): string {
  const taskId = /task ([a-z-]+-[0-9a-z]+)/.exec(text)?.[1]
  if (taskId === undefined) throw new Error(`no task was started: ${text}`)
  return taskId
}
