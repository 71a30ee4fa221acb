/* The surface machine's paths on a host that may die. */
import { pendingOf } from '../../machines/surface.ts'
import type { SessionEvent } from '../../shared/event.ts'
import { countedEvents, openSurface } from '../harness/counted-log.ts'
import { SurfaceDriver } from '../model/surface-driver.ts'
import { describePath, walkedPaths, type SurfacePath } from '../model/surface-paths.ts'
import { eventsOf, type CrashStage, type CrashWalk, type Walking } from './crash-walk.ts'

export const walksOfSurface = (): CrashWalk[] => walkedPaths().map((path) => walkAlong(path))

function walkAlong(path: SurfacePath): CrashWalk {
  return {
    title: `surface: ${describePath(path)}`,
    isSteady: true,
    moves: path.steps.map((_, index) => {
      const said = eventsOf(path, index, index + 1)
      return isWrittenAhead(path, index) ? `${said} behind a message` : said
    }),
    durable(moves) {
      const { closed } = (path.steps[moves - 1]?.snapshot ?? path.start).context
      return closed === 'removed' ? null : (closed ?? 'open')
    },
    durableIn: (log) => log && endIn(countedEvents(log)),
    begin: (stage) => begin(stage, path),
  }
}

/** A message sent before the submission will bypass it. */
const isWrittenAhead = ({ steps }: SurfacePath, index: number): boolean =>
  steps[index]?.event.type === 'SUBMIT' && steps[index + 1]?.event.type === 'BYPASS'

/** Of the first surface: how it stands, by the words of the contract. */
function endIn(counted: readonly SessionEvent[]): string {
  const shown = counted.findIndex((_, index) => openSurface(counted.slice(0, index + 1)) !== null)
  const closing = counted.find((_, index) => index > shown && openSurface(counted.slice(0, index + 1)) === null)
  if (closing === undefined) return 'open'
  if (closing.type !== 'user/message') return 'dismissed'
  return 'taskSurface' in closing.data.message.source ? 'submitted' : 'bypassed'
}

async function begin(stage: CrashStage, path: SurfacePath): Promise<Walking> {
  const tag = stage.nextTag()
  const driver = await SurfaceDriver.open({ address: stage.address, model: stage.model, gate: stage.gate, tag })
  const { sessionId, client, changes } = driver
  let messageId = ''
  return {
    sessionId,
    tag,
    client,
    changes,
    subjects: [sessionId],
    async move(index) {
      const step = path.steps[index]
      const before = path.steps[index - 1]?.snapshot ?? path.start
      switch (step?.event.type) {
        case 'SUBMIT': {
          if (isWrittenAhead(path, index)) await driver.writeAhead()
          const answer = await driver.submit()
          if (!answer.accepted) throw new Error(`not accepted: ${answer.reason}`)
          ;({ messageId } = answer)
          break
        }
        case 'CLAIM':
          await driver.claim()
          break
        case 'COMMIT':
          await driver.commit(messageId)
          break
        case 'DISCARD':
          if (before.matches({ live: 'claiming' })) await driver.interrupt()
          else await driver.removeRow()
          break
        case 'DISMISS':
          await driver.dismiss()
          break
        case 'BYPASS':
          await driver.bypass()
          break
        case 'REMOVE':
          await driver.remove()
          break
        default:
          throw new Error(`nothing stands for ${step?.event.type}`)
      }
      const pending = pendingOf(step.snapshot)?.phase ?? null
      if (step.snapshot.context.closed === 'removed') return
      await changes.until(() => (driver.pushes.at(-1)?.phase ?? null) === pending, `pending ${pending}`)
    },
    leave: () => driver.leave(),
  }
}
