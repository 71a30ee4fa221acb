/* The session machine's paths on a host that may die: rows, claims, turns, rewinds, removals. */
import type { SessionEvent } from '../../shared/event.ts'
import { countedEvents, isTurnOpen } from '../harness/counted-log.ts'
import { answersSurface, SessionDriver } from '../model/session-driver.ts'
import { detailOf, isStable, sessionWalks, type SessionPath } from '../model/session-host-paths.ts'
import { moveEnds, type CrashStage, type CrashWalk, type Walking } from './crash-walk.ts'

export const walksOfSession = (): CrashWalk[] => sessionWalks.map((path) => walkAlong(path))

function walkAlong(path: SessionPath): CrashWalk {
  const ends = moveEnds(path.steps, isStable)
  const endOf = (moves: number) => ends[moves - 1] ?? 0
  const withSurface = answersSurface(path)
  return {
    title: `session: ${detailOf(path)}`,
    isSteady: true,
    moves: ends.map((end, index) => {
      const said = detailOf({ ...path, steps: path.steps.slice(ends[index - 1] ?? 0, end) })
      return withSurface ? `${said} (beside a surface)` : said
    }),
    durable(moves) {
      const done = path.steps.slice(0, endOf(moves))
      const at = done.at(-1)?.snapshot ?? path.start
      // A rewind takes every turn back; a removal takes the log.
      if (at.matches('ended')) return done.at(-2)?.event.type === 'REWIND' ? { open: false, turns: 0 } : null
      const committed = done.filter(({ event }) => event.type === 'COMMIT').length
      return { open: at.matches({ live: 'running' }), turns: committed + (withSurface ? 1 : 0) }
    },
    durableIn: (log) => log && turnsIn(countedEvents(log)),
    begin: (stage) => begin(stage, path, ends),
  }
}

const turnsIn = (counted: readonly SessionEvent[]) => ({
  open: isTurnOpen(counted),
  turns: counted.filter(({ type }) => type === 'turn/start').length,
})

async function begin(stage: CrashStage, path: SessionPath, ends: readonly number[]): Promise<Walking> {
  const driver = await SessionDriver.open(stage, answersSurface(path))
  const { session } = driver
  const before = session.entriesOf('session').length
  const { sessionId, tag, client, changes } = session
  return {
    sessionId,
    tag,
    client,
    changes,
    subjects: [sessionId],
    async move(index) {
      const [from, to] = [ends[index - 1] ?? 0, ends[index] ?? 0]
      for (const [offset, { event }] of path.steps.slice(from, to).entries()) {
        const step = from + offset
        const snapshot = path.steps[step - 1]?.snapshot ?? path.start
        await driver.perform(event, snapshot, path.steps[step + 1]?.event)
      }
      await session.until(() => session.entriesOf('session').length >= before + to, `${to} transitions of the session`)
      await driver.settle(path.steps[to - 1]?.snapshot ?? path.start)
    },
    leave: () => session.leave(),
  }
}
