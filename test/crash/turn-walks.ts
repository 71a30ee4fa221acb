/* The turn machine's paths on a host that may die: answers, calls, failures of the model, steering, interrupts. */
import type { SessionEvent } from '../../shared/event.ts'
import { countedEvents } from '../harness/counted-log.ts'
import { LifecycleSession } from '../model/lifecycle-stage.ts'
import { TurnDriver } from '../model/turn-driver.ts'
import { turnWalks, type TurnPath } from '../model/turn-host-paths.ts'
import { eventsOf, moveEnds, type CrashStage, type CrashWalk, type Walking } from './crash-walk.ts'

export const walksOfTurn = (): CrashWalk[] => turnWalks.map((path) => walkAlong(path))

function walkAlong(path: TurnPath): CrashWalk {
  const ends = moveEnds(path.steps, (snapshot) => !snapshot.matches('ending'))
  const moves = ends.map((end, index) => {
    const from = ends[index - 1] ?? 0
    const [event, next] = [path.steps[from]?.event, path.steps[from + 1]?.event]
    // What the model does now hangs on what shall come of it.
    const shows = event?.type === 'ANSWERED' && next?.type === 'ACTED' && next.concluded ? ' with a form' : ''
    const waits = event?.type === 'FAILED' && next?.type === 'RETRY' ? ' for a moment' : ''
    return `${eventsOf(path, from, end)}${shows}${waits}`
  })
  return {
    title: `turn: ${moves.join(' → ')}`,
    moves,
    isSteady: true,
    durable(count) {
      const at = path.steps[(ends[count - 1] ?? 0) - 1]?.snapshot ?? path.start
      if (at.matches('ended')) return at.context.reason
      const isActing = at.matches({ live: 'acting' })
      return { answers: at.context.step + (isActing ? 1 : 0), waiting: isActing ? 1 : 0 }
    },
    durableIn: (log) => log && turnIn(countedEvents(log)),
    begin: (stage) => begin(stage, path, ends),
  }
}

/** Of the first turn. */
function turnIn(counted: readonly SessionEvent[]) {
  const end = counted.find((event) => event.type === 'turn/end')
  if (end?.type === 'turn/end') return end.data.reason
  const count = (type: SessionEvent['type']) => counted.filter((event) => event.type === type).length
  return { answers: count('assistant/message'), waiting: count('tool/call') - count('tool/result') }
}

async function begin(stage: CrashStage, path: TurnPath, ends: readonly number[]): Promise<Walking> {
  const session = await LifecycleSession.open(stage)
  const driver = new TurnDriver(session)
  await session.send()
  await driver.settle(path.start, 0)
  const { sessionId, tag, client, changes } = session
  return {
    sessionId,
    tag,
    client,
    changes,
    subjects: [sessionId],
    async move(index) {
      const [from, to] = [ends[index - 1] ?? 0, ends[index] ?? 0]
      for (let step = from; step < to; step += 1) {
        const event = path.steps[step]?.event
        if (event !== undefined) await driver.perform(event, path.steps[step + 1]?.event)
      }
      const at = path.steps[to - 1]?.snapshot ?? path.start
      await driver.settle(at, to)
      if (at.matches('ended')) await session.until(() => session.view.status?.status === 'idle', 'the end of the turn')
    },
    leave: () => session.leave(),
  }
}
