/* Dies at the first, second, … passage of one crash point until the conversation finishes without dying, and checks each
   death. Cases share nothing, so some run at once. */
import type { Memory } from './crash-player.ts'
import { checkAfterCrash, checkWhole, play, type CrashPoint, type CrashStage } from './crash-scenario.ts'

export interface Survey {
  point: CrashPoint
  /** Every how many passages are a case. */
  every: number
  /** A stage with the data that a life begins with. */
  open(): Promise<CrashStage>
  /** What the client knows when a life begins. */
  memory(): Memory
  /** How many cases run at once. */
  lives: number
}

/** Answers how many cases died. Rejects with point and passage of the first that did not recover. */
export async function surviveEvery(survey: Survey): Promise<number> {
  let passage = 1
  let died = 0
  let finished = false
  const live = async () => {
    while (!finished) {
      const at = `${survey.point}:${passage}`
      passage += survey.every
      const end = await dieAt(survey, at).catch((cause: unknown) => {
        finished = true
        throw new Error(`TASK_SURFACE_TEST_CRASH=${at}\n${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      })
      if (end === 'gone') died += 1
      else finished = true
    }
  }
  await Promise.all(Array.from({ length: survey.lives }, live))
  return died
}

async function dieAt({ open, memory }: Survey, crash: string): Promise<'gone' | 'finished'> {
  const stage = await open()
  try {
    const dying = await stage.folder.start({ TASK_SURFACE_TEST_CRASH: crash })
    const life = await play(stage, dying, memory(), 'answered')
    if (life.end === 'finished') {
      await checkWhole(stage, dying.ready, life.memory)
      return 'finished'
    }
    const host = await stage.folder.start()
    const known = await checkAfterCrash(stage, host, life.memory)
    const { end, memory: whole } = await play(stage, host, known, 'answered')
    if (end !== 'finished') throw new Error('the host died again')
    await checkWhole(stage, host.ready, whole)
    return 'gone'
  } finally {
    await stage.close()
  }
}
