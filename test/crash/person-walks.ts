/* What a person decides, question and approval, on a host that may die: every path, each way of cancelling. */
import { outcomeOf as approvalOutcome } from '../../machines/approval.ts'
import { outcomeOf as questionOutcome } from '../../machines/question.ts'
import type { SessionEvent } from '../../shared/event.ts'
import { LifecycleSession } from '../model/lifecycle-stage.ts'
import { approvalWalks, questionWalks } from '../model/person-paths.ts'
import type { CrashStage, CrashWalk, Walking } from './crash-walk.ts'

type Deed = 'ANSWER' | 'DECLINE' | 'ALLOW' | 'DENY' | 'CANCEL' | 'CANCEL by removal'

interface Scene {
  session: LifecycleSession
  /** Of the question or the approval. */
  id: string
}

export const walksOfQuestion = (): CrashWalk[] =>
  questionWalks.flatMap(({ steps }) => {
    const [step] = steps
    if (step === undefined) return []
    return waysOf(step.event.type).map((deed) =>
      walkAlong('question', deed, questionOutcome(step.snapshot), openQuestion),
    )
  })

export const walksOfApproval = (): CrashWalk[] =>
  approvalWalks.flatMap(({ steps }) => {
    const [step] = steps
    if (step === undefined) return []
    return waysOf(step.event.type).map((deed) =>
      walkAlong('approval', deed, approvalOutcome(step.snapshot), openApproval),
    )
  })

function waysOf(type: Exclude<Deed, 'CANCEL by removal'>): Deed[] {
  return type === 'CANCEL' ? ['CANCEL', 'CANCEL by removal'] : [type]
}

/** One decision ends both machines, so a path is one move. */
function walkAlong(
  machine: string,
  deed: Deed,
  outcome: string | null,
  open: (stage: CrashStage) => Promise<Scene>,
): CrashWalk {
  return {
    title: `${machine}: ${deed}`,
    moves: [deed],
    isSteady: true,
    durable(moves) {
      if (moves === 0) return 'waiting'
      return deed === 'CANCEL by removal' ? null : outcome
    },
    durableIn: (log) => log && decisionIn(log),
    async begin(stage): Promise<Walking> {
      const { session, id } = await open(stage)
      const { sessionId, tag, client, changes } = session
      return {
        sessionId,
        tag,
        client,
        changes,
        subjects: [sessionId],
        move: () => decide({ session, id }, deed),
        leave: () => session.leave(),
      }
    },
  }
}

/** Of the only call. */
function decisionIn(log: readonly SessionEvent[]): string {
  for (const event of log) {
    if (event.type === 'approval/decided') return event.data.decision
    if (event.type !== 'tool/result') continue
    if (event.data.error?.code === 'INTERRUPTED') return 'cancelled'
    return JSON.stringify(event.data.content).includes('declined') ? 'declined' : 'answered'
  }
  return 'waiting'
}

async function decide({ session, id }: Scene, deed: Deed): Promise<void> {
  const { client, sessionId, view } = session
  switch (deed) {
    case 'CANCEL by removal':
      await client.call('session.remove', { sessionId })
      return
    case 'CANCEL':
      await session.interrupt()
      break
    case 'ALLOW':
    case 'DENY':
      await client.call('approval.decide', {
        sessionId,
        approvalId: id,
        decision: deed === 'ALLOW' ? 'allow' : 'deny',
      })
      break
    default: {
      const answers = deed === 'DECLINE' ? null : [{ id: 'q', selected: [], custom: 'This one.' }]
      await client.call('question.answer', { sessionId, questionId: id, answers })
    }
  }
  if (deed === 'CANCEL') await session.until(() => view.status?.status === 'idle', 'the end of the turn')
  else await session.until(() => view.eventsOf('tool/result').length > 0 && session.parkedCall, 'the next call')
}

async function openQuestion(stage: CrashStage): Promise<Scene> {
  const session = await LifecycleSession.open(stage)
  await session.send()
  const questions = [{ id: 'q', question: 'Which one?' }]
  ;(await session.call()).answerCalls([{ name: 'ask_user_question', arguments: { questions } }])
  const id = await session.until(() => [...session.view.questions.keys()][0], 'a question')
  return { session, id }
}

async function openApproval(stage: CrashStage): Promise<Scene> {
  const session = await LifecycleSession.open(stage, { approval: 'ask' })
  await session.send()
  ;(await session.call()).answerCalls([{ name: 'bash', arguments: { command: 'true' } }])
  const requested = () =>
    session.client.frames.flatMap((frame) => (frame.type === 'approval/requested' ? [frame.approvalId] : []))
  return { session, id: await session.until(() => requested()[0], 'a request for permission') }
}
