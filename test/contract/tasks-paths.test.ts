/* Every lifecycle path of the task machine on the real registry with a real process: the machine says what is accepted
   and where it leads, the registry must do the same (SPEC 10, 14). */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { EventFrom } from 'xstate'
import { runCommand } from '../../host/tasks/run-command.ts'
import { statusOf, type TaskEndStatus, type taskMachine, type TaskSnapshot } from '../../machines/task.ts'
import { sessionIdSchema, type SessionId, type TaskId } from '../../shared/ids.ts'
import { createTaskBench, type TaskBench } from './tasks-bench.ts'
import { taskHostRefusals, taskHostWalks } from './tasks-host-paths.ts'

type TaskEvent = EventFrom<typeof taskMachine>

let bench: TaskBench
beforeAll(async () => {
  bench = await createTaskBench()
})
afterAll(() => bench.close())

interface Says {
  status: TaskEndStatus | null
}

/** A process that ends when it is told how: it waits at a pipe. */
class Subject {
  readonly id: TaskId
  readonly #owner: SessionId
  readonly #pipe: string
  readonly #says: Says

  private constructor(owner: SessionId, id: TaskId, pipe: string, says: Says) {
    this.#owner = owner
    this.id = id
    this.#pipe = pipe
    this.#says = says
  }

  static async start(): Promise<Subject> {
    // Each its own: no two share the ten slots of an owner.
    const owner = sessionIdSchema.parse(`s-${randomUUID()}`)
    const pipe = join(bench.cwd, randomUUID())
    execFileSync('mkfifo', [pipe])
    const says: Says = { status: null }
    // Asked to stop, it cleans up until it is told to go: stopping is a state one can be in.
    const script = `trap 'true' TERM; until read -r code < "$0"; do true; done; exit "$code"`
    const command = runCommand(bench.host.processes, { file: 'bash', args: ['-c', script, pipe], cwd: bench.cwd })
    const outcome = await bench.host.registry.start({
      kind: 'bash',
      label: 'subject',
      owner,
      run: async (handle) => {
        const { done } = await command(handle)
        // Only producers of other kinds say `killed` of themselves; this one is told to.
        return { done: done.then((end) => (says.status === null ? end : { status: says.status })) }
      },
    })
    if (!outcome.started) throw new Error(outcome.reason)
    return new Subject(owner, outcome.id, pipe, says)
  }

  /** True where something changed. */
  async send(event: TaskEvent): Promise<boolean> {
    const { registry } = bench.host
    const before = JSON.stringify(this.seen)
    if (event.type === 'KILL') return registry.kill(this.id, event.by)
    if (event.type === 'TOLD') registry.told(this.id)
    else if (this.isLive) await this.#settle(event.status)
    return JSON.stringify(this.seen) !== before
  }

  get isLive(): boolean {
    return this.#record.view.finishedAt === undefined
  }

  get seen() {
    const { view, stoppedBy, modelTold } = this.#record
    return { status: view.status, stoppedBy, modelTold }
  }

  get #record() {
    const record = bench.host.registry.find(this.#owner, this.id)
    if (record === null) throw new Error('the subject is gone')
    return record
  }

  async #settle(status: TaskEndStatus): Promise<void> {
    if (status === 'killed') this.#says.status = status
    await vi.waitFor(() => write(this.#pipe, status === 'failed' ? '7\n' : '0\n'), { timeout: 10_000, interval: 5 })
    await bench.ended(this.id, this.#owner)
  }
}

/** Fails while nobody reads: between two reads, and before the first one. */
function write(pipe: string, text: string): void {
  const file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  writeSync(file, text)
  closeSync(file)
}

const seenIn = (snapshot: TaskSnapshot) => {
  const { stoppedBy, modelTold } = snapshot.context
  return { status: statusOf(snapshot), stoppedBy, modelTold }
}
const nameOf = (events: readonly TaskEvent[]) =>
  events
    .map((event) =>
      'by' in event ? `${event.type} by ${event.by}` : 'status' in event ? `${event.type} ${event.status}` : event.type,
    )
    .join(', ')

it.concurrent.each(taskHostWalks.map((path) => [nameOf(path.steps.map(({ event }) => event)), path] as const))(
  'lifecycle: %s',
  async (_, path) => {
    const subject = await Subject.start()
    expect(subject.seen).toEqual(seenIn(path.start))
    for (const { event, snapshot } of path.steps) {
      await subject.send(event)
      expect(subject.seen).toEqual(seenIn(snapshot))
    }
  },
)

const refused = taskHostRefusals.map(({ path, event }) => {
  const events = path.steps.map((step) => step.event)
  return [`${nameOf([event])} after ${nameOf(events)}`, event, events] as const
})

it.concurrent.each(refused)('refused: %s', async (_, event, events) => {
  const subject = await Subject.start()
  for (const before of events) await subject.send(before)
  const { seen } = subject
  expect(await subject.send(event)).toBe(false)
  expect(subject.seen).toEqual(seen)
})
