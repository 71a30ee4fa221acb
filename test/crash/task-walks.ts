/* The task machine's paths on a host that may die, from the start of a real process on: it ends when it is told to, is
   stopped by the model, or goes with its session; the model is told by a call of its own or by a notice. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventFrom } from 'xstate'
import { taskPaths } from '../../machines/path-models.ts'
import { lifecyclePaths, longestOnly, type LifecyclePath, type PathModel } from '../../machines/paths.ts'
import { statusOf, type taskMachine } from '../../machines/task.ts'
import type { SessionEvent } from '../../shared/event.ts'
import type { TaskView } from '../../shared/task.ts'
import type { Client } from '../harness/client.ts'
import { LifecycleSession } from '../model/lifecycle-stage.ts'
import type { CrashStage, CrashWalk, Walking } from './crash-walk.ts'
import { rawLog } from './raw-log.ts'

type Event = EventFrom<typeof taskMachine>
type Path = LifecyclePath<typeof taskMachine>

/** What a host makes of commands: only the model stops them one by one, and is told of what has ended. */
const hostPaths: PathModel<typeof taskMachine> = {
  ...taskPaths,
  events: (snapshot) =>
    taskPaths.events(snapshot).filter((event) => {
      if (event.type === 'KILL') return event.by === 'model'
      if (event.type === 'TOLD') return snapshot.matches('settled') && !snapshot.context.modelTold
      return event.status === 'completed' || (event.status === 'failed' && snapshot.matches({ live: 'running' }))
    }),
}

/** Whether the turn that started the task goes on, or is over: then a notice begins another. */
type Meanwhile = 'within its turn' | 'behind its turn'

export const walksOfTask = (): CrashWalk[] => [
  ...longestOnly(lifecyclePaths(hostPaths, 'edges')).flatMap((path) => {
    const byModel = path.steps.some(({ event }) => event.type === 'KILL')
    const ways: Meanwhile[] = byModel ? ['within its turn'] : ['within its turn', 'behind its turn']
    return ways.map((meanwhile) => walkAlong(path.steps, meanwhile, false))
  }),
  walkAlong([], 'behind its turn', true),
]

function walkAlong(steps: Path['steps'], meanwhile: Meanwhile, isRemoved: boolean): CrashWalk {
  const moves = [
    `START ${meanwhile}`,
    ...steps.map(({ event }) => (event.type === 'SETTLE' ? `SETTLE ${event.status}` : event.type)),
    ...(isRemoved ? ['REMOVE'] : []),
  ]
  return {
    title: `task: ${moves.join(' → ')}`,
    moves,
    isSteady: false,
    durable: (count) => (isRemoved && count === moves.length ? null : 'there'),
    durableIn: (log) => log && 'there',
    begin: (stage) => TaskWalk.begin(stage, steps, meanwhile),
  }
}

class TaskWalk implements Walking {
  readonly subjects: readonly string[]
  readonly #session: LifecycleSession
  readonly #steps: Path['steps']
  readonly #meanwhile: Meanwhile
  readonly #folder = mkdtempSync(join(tmpdir(), 'task-surface-pipe-'))

  private constructor(session: LifecycleSession, steps: Path['steps'], meanwhile: Meanwhile) {
    this.#session = session
    this.#steps = steps
    this.#meanwhile = meanwhile
    // Nobody else has tasks on this host.
    this.subjects = [session.sessionId, 'tasks']
    execFileSync('mkfifo', [this.#pipe])
  }

  static async begin(stage: CrashStage, steps: Path['steps'], meanwhile: Meanwhile): Promise<TaskWalk> {
    const session = await LifecycleSession.open(stage)
    await session.send()
    await session.call()
    return new TaskWalk(session, steps, meanwhile)
  }

  get sessionId(): string {
    return this.#session.sessionId
  }
  get tag(): string {
    return this.#session.tag
  }
  get client(): Client {
    return this.#session.client
  }
  get changes() {
    return this.#session.changes
  }
  get #pipe(): string {
    return join(this.#folder, 'pipe')
  }

  async move(index: number): Promise<void> {
    if (index === 0) return this.#start()
    const step = this.#steps[index - 1]
    if (step === undefined) {
      await this.client.call('session.remove', { sessionId: this.sessionId })
      return
    }
    await this.#perform(step.event)
    const status = statusOf(step.snapshot)
    await this.#session.until(() => this.#row?.status === status, `a task that is ${status}`)
  }

  /** Asked to stop, the command waits until it is told how to end. */
  async #start(): Promise<void> {
    const command = `trap 'true' TERM; until read -r code < ${this.#pipe}; do true; done; exit "$code"`
    ;(await this.#session.call()).answerCalls([{ name: 'bash', arguments: { command, run_in_background: true } }])
    const next = await this.#session.call()
    await this.#session.until(() => this.#row?.status === 'running', 'a running task')
    if (this.#meanwhile === 'within its turn') return
    next.answerText('It runs.')
    await this.#session.until(() => this.#session.view.status?.status === 'idle', 'the end of the turn')
  }

  async #perform(event: Event): Promise<void> {
    const taskId = this.#row?.id
    switch (event.type) {
      case 'KILL':
        ;(await this.#session.call()).answerCalls([{ name: 'task_kill', arguments: { taskId } }])
        return
      case 'SETTLE':
        await write(this.#pipe, event.status === 'failed' ? '7\n' : '0\n')
        return
      case 'TOLD': {
        const call = await this.#session.call()
        // A kill tells by itself, and a notice is read with the call.
        if (this.#meanwhile === 'within its turn' && this.#row?.status !== 'killed') {
          call.answerCalls([{ name: 'task_output', arguments: { taskId } }])
          await this.#session.until(
            () => this.#session.parkedCall !== call && this.#session.parkedCall,
            'the next call',
          )
        }
      }
    }
  }

  get #row(): TaskView | undefined {
    return this.#session.client.frames
      .flatMap((frame) => (frame.type === 'session/tasks' ? [frame.tasks] : []))
      .at(-1)?.[0]
  }

  /** Nothing runs or seems to, what was shown is listed as it is, and a model that was not told is. */
  async look(client: Client, move: number): Promise<string | null> {
    const view = client.view(this.sessionId)
    const seen = this.#row
    const log = (await rawLog(client, this.sessionId)) ?? []
    // A notice or the result of a kill may come within the move that settles; a removal takes its tasks first.
    const isOver = move > this.#steps.length || this.#steps[move - 1]?.event.type === 'TOLD'
    const isTold = isOver || log.some((event) => isNoticeOf(event, seen?.id) || isResultOf(event))
    const rows = view.tasks.at(-1) ?? []
    const [row, ...more] = rows
    if (more.length > 0) throw new Error(`one task was started, listed are ${JSON.stringify(rows)}`)
    if (row === undefined) {
      if (seen !== undefined && !isTold) throw new Error(`the task ${seen.id} is not listed any more`)
      return null
    }
    const isAsShown = seen?.finishedAt === undefined || row.status === seen.status
    if (row.finishedAt === undefined || !isAsShown)
      throw new Error(`listed is ${row.status}, shown was ${seen?.status}`)
    if (seen === undefined) return null
    if (row.id !== seen.id) throw new Error(`listed is ${row.id}, shown was ${seen.id}`)
    return isTold ? null : row.id
  }

  leave(): void {
    this.#session.leave()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const isResultOf = (event: SessionEvent): boolean =>
  event.type === 'tool/result' && (event.data.name === 'task_kill' || event.data.name === 'task_output')

const isNoticeOf = (event: SessionEvent, taskId: string | undefined): boolean =>
  event.type === 'user/message' &&
  event.data.message.source.kind === 'notice' &&
  'taskId' in event.data.message.source &&
  event.data.message.source.taskId === taskId

/** Fails while nobody reads: between two reads, and before the first one. */
async function write(pipe: string, text: string): Promise<void> {
  const deadline = performance.now() + 20_000
  for (;;) {
    try {
      const file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
      writeSync(file, text)
      closeSync(file)
      return
    } catch (cause) {
      if (performance.now() > deadline) throw cause
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}
