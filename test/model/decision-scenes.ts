/* Short scenes on a real host that each end in one decision of one machine, and answer what the wire says of it. */
import { z } from 'zod'
import type { AdmissionGate } from '../harness/admission-gate.ts'
import { Changes } from '../harness/changes.ts'
import { Client, type Address, type Reply } from '../harness/client.ts'
import { openSurface } from '../harness/counted-log.ts'
import { scriptedAgent, type ModelCall, type ScriptedModel } from '../harness/scripted-model.ts'
import type { Frame } from '../../shared/protocol/frames.ts'
import type { SessionView } from '../harness/session-view.ts'

export interface Stage {
  address: Address
  model: ScriptedModel
  gate: AdmissionGate
  /** Unique among the scenes that share the model server. */
  tag: string
}

export interface Scene extends Stage {
  changes: Changes
  client: Client
  sessionId: string
  view: SessionView
}

export type Decision = string

const approvalRequestedSchema = z.object({ type: z.literal('approval/requested'), approvalId: z.string() })
const approvalResolvedSchema = z.object({ type: z.literal('approval/resolved'), outcome: z.string() })

export async function inScene(stage: Stage, play: (scene: Scene) => Promise<Decision>): Promise<Decision> {
  const changes = new Changes()
  const unwatch = [stage.model.watchers.add(changes), stage.gate.watchers.add(changes)]
  const client = await Client.connect(stage.address, changes)
  try {
    const { session } = await client.call('session.create', { agent: scriptedAgent })
    const view = await client.open(session.id)
    return await play({ ...stage, changes, client, sessionId: session.id, view })
  } finally {
    for (const stop of unwatch) stop()
    client.drop()
  }
}

let sent = 0

async function send(scene: Scene, text: string, placement: 'queued' | 'steering' = 'queued'): Promise<string> {
  const messageId = `${scene.tag}-message-${(sent += 1)}`
  const tagged = `${scene.tag} ${text}`
  await scene.client.call('session.send', { sessionId: scene.sessionId, messageId, text: tagged, placement })
  return messageId
}

/** The parked call of the scene's session, whose last user message says `text` where it is given. */
function parkedCall({ model, changes, tag }: Scene, text?: string): Promise<ModelCall> {
  const isMeant = ({ isParked, userTexts }: ModelCall) =>
    isParked && (text === undefined ? userTexts[0]?.startsWith(`${tag} `) : userTexts.at(-1) === `${tag} ${text}`)
  return changes.until(() => model.calls.find(isMeant), `a model call ${text ?? ''}`)
}

function surfaceCall(tag: string) {
  const field = { kind: 'text', id: 'answer', label: 'Answer' }
  const model = { version: 1, title: tag, sections: [], fields: [field], submit: { label: 'Send' } }
  return { name: 'show_task_surface', arguments: { model } }
}

/** Idle, with an open surface; from here on nothing is claimed. */
async function withOpenSurface(scene: Scene): Promise<string> {
  await send(scene, 'begin')
  ;(await parkedCall(scene)).answerCalls([surfaceCall(scene.tag)])
  const { changes, view } = scene
  await changes.until(() => view.eventsOf('turn/end')[0] && view.status?.status === 'idle', 'the end of the turn')
  scene.gate.guard(scene.sessionId)
  return shown(scene)
}

/** A turn that goes on for steering, with a surface that it has opened. */
async function withSurfaceInTurn(scene: Scene): Promise<string> {
  await send(scene, 'begin')
  const call = await parkedCall(scene)
  await send(scene, 'and this', 'steering')
  call.answerCalls([surfaceCall(scene.tag)])
  await parkedCall(scene, 'and this')
  return shown(scene)
}

async function shown({ changes, view }: Scene): Promise<string> {
  return (await changes.until(() => openSurface(view.events), 'an open surface')).surfaceId
}

async function submit({ client, sessionId, tag }: Scene, surfaceId: string): Promise<Decision> {
  const submissionId = `${tag}-submission-${(sent += 1)}`
  const answer = await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId, values: {} })
  return answer.accepted ? 'accepted' : answer.reason
}

const decisionOf = (reply: Reply<unknown>): Decision => (reply.ok ? 'ok' : (reply.error.data?.code ?? 'error'))

async function updateSubmission(scene: Scene, action: object): Promise<Decision> {
  const surfaceId = await withSurfaceInTurn(scene)
  await submit(scene, surfaceId)
  const { changes, client, sessionId, view } = scene
  const row = await changes.until(() => view.queue[0], 'the row of the submission')
  return decisionOf(await client.ask('session.updateQueue', { sessionId, itemId: row.id, action }))
}

export const scenes = {
  async submitWhileOpen(scene) {
    return submit(scene, await withOpenSurface(scene))
  },

  async submitWhileQueued(scene) {
    const surfaceId = await withOpenSurface(scene)
    await submit(scene, surfaceId)
    return submit(scene, surfaceId)
  },

  async dismissWhileQueued(scene) {
    const surfaceId = await withOpenSurface(scene)
    await submit(scene, surfaceId)
    const { client, sessionId, tag } = scene
    const answer = await client.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId: `${tag}-dismissal` })
    return answer.dismissed ? 'dismissed' : answer.reason
  },

  steerSubmission: (scene) => updateSubmission(scene, { kind: 'steer' }),

  editSubmission: (scene) => updateSubmission(scene, { kind: 'edit', text: 'something else' }),

  async configureWhileRunning(scene) {
    await send(scene, 'begin')
    await parkedCall(scene)
    return decisionOf(await scene.client.ask('session.configure', { sessionId: scene.sessionId, approval: 'auto' }))
  },

  /** Which of two waiting messages the next turn begins with. */
  async claimOfTwo(scene) {
    await send(scene, 'begin')
    const call = await parkedCall(scene)
    await send(scene, 'first')
    await send(scene, 'second')
    call.answerText('Done.')
    const { changes, view, tag } = scene
    const next = await changes.until(() => view.eventsOf('user/message')[1], 'the next message')
    return next.data.message.content.map(({ text }) => text.replace(`${tag} `, '')).join('')
  },

  /** What follows a step that has opened a surface. */
  async afterSurface(scene) {
    await send(scene, 'begin')
    const first = await parkedCall(scene)
    first.answerCalls([surfaceCall(scene.tag)])
    const { changes, view, model, tag } = scene
    return changes.until(() => {
      const end = view.eventsOf('turn/end')[0]
      if (end !== undefined) return `turn ${end.data.reason}`
      const isFurther = (call: ModelCall) => call !== first && call.userTexts[0]?.startsWith(`${tag} `)
      return model.calls.some(isFurther) && 'another model call'
    }, 'what follows the step')
  },

  async afterOverload(scene) {
    await send(scene, 'begin')
    ;(await parkedCall(scene)).answerError(503, 'Too busy.')
    const { changes, view } = scene
    return changes.until(() => {
      const end = view.eventsOf('turn/end')[0]
      if (end !== undefined) return `turn ${end.data.reason}`
      return view.status?.retry !== undefined && 'retry'
    }, 'a retry or the end of the turn')
  },

  async answerQuestion(scene) {
    await send(scene, 'begin')
    const questions = [{ id: 'q', question: 'Which one?' }]
    ;(await parkedCall(scene)).answerCalls([{ name: 'ask_user_question', arguments: { questions } }])
    const { changes, client, sessionId, view } = scene
    const [questionId] = await changes.until(
      () => [...view.questions.keys()][0] && [...view.questions.keys()],
      'a question',
    )
    const answers = [{ id: 'q', selected: [], custom: 'This one.' }]
    const answer = await client.call('question.answer', { sessionId, questionId, answers })
    return answer.accepted ? 'accepted' : answer.reason
  },

  async allowCall(scene) {
    await send(scene, 'begin')
    ;(await parkedCall(scene)).answerCalls([{ name: 'bash', arguments: { command: 'true' } }])
    const { changes, client, sessionId } = scene
    const isRequest = (frame: Frame) => frame.type === 'approval/requested'
    const request = await changes.until(() => client.frames.find(isRequest), 'a request for permission')
    const { approvalId } = approvalRequestedSchema.parse(request)
    const answer = await client.call('approval.decide', { sessionId, approvalId, decision: 'allow' })
    if (!answer.accepted) return answer.reason
    const isResolved = (frame: Frame) => frame.type === 'approval/resolved'
    const resolved = await changes.until(() => client.frames.find(isResolved), 'the resolution')
    return `resolved ${approvalResolvedSchema.parse(resolved).outcome}`
  },
} satisfies Record<string, (scene: Scene) => Promise<Decision>>
