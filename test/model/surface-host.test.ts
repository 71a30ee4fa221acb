/* The surface machine against the real host: sockets, LevelDB, one session per path. After each event of a path the
   fold of the log, `getActive`, the pushes and the outcome projection must say what the snapshot of the pure machine
   says; at the end the whole trace of pushes and discards must be that of the machine. */
import { afterAll, beforeAll, describe, it, type ExpectStatic } from 'vitest'
import { pendingOf } from '../../machines/surface.ts'
import { taskSurfaceSubmissionIdSchema } from '../../shared/ids.ts'
import type { DiscardReason } from '../../shared/message.ts'
import type { TaskSurfacePendingSubmission } from '../../shared/surface/operations.ts'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'
import { SurfaceDriver } from './surface-driver.ts'
import {
  describePath,
  hostRefusals,
  ruleOf,
  walkedPaths,
  type SurfaceEvent,
  type SurfacePath as Path,
  type SurfaceSnapshot as Snapshot,
} from './surface-paths.ts'

let model: ScriptedModel
let gate: AdmissionGate
let folder: HostFolder
let host: HostProcess
let tags = 0

beforeAll(async () => {
  model = await startScriptedModel()
  gate = await AdmissionGate.start()
  folder = new HostFolder({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'no-key',
    TASK_SURFACE_TEST_ADMISSION: gate.url,
  })
  host = await folder.start()
}, 60_000)

afterAll(async () => {
  await folder.remove()
  await Promise.all([model.close(), gate.close()])
})

async function withSurface(run: (walk: Walk) => Promise<void>, expect: ExpectStatic): Promise<void> {
  const driver = await SurfaceDriver.open({ address: host.ready, model, gate, tag: `surface-${(tags += 1)}` })
  try {
    await run(new Walk(driver, expect))
  } finally {
    await driver.close()
  }
}

/** One path under way: the driver, and what the machine says must have been seen. */
class Walk {
  readonly driver: SurfaceDriver
  readonly #expect: ExpectStatic
  readonly #pushes: (TaskSurfacePendingSubmission | null)[] = []
  readonly #discards: DiscardReason[] = []
  /** The ids behind the machine's symbolic submission. */
  submission: Omit<TaskSurfacePendingSubmission, 'phase'> | null = null
  #pending: TaskSurfacePendingSubmission | null = null

  constructor(driver: SurfaceDriver, expect: ExpectStatic) {
    this.driver = driver
    this.#expect = expect
  }

  async go(path: Path): Promise<void> {
    await this.check(path.start)
    let before = path.start
    for (const [index, { event, snapshot }] of path.steps.entries()) {
      if (event.type === 'SUBMIT' && path.steps[index + 1]?.event.type === 'BYPASS') await this.driver.writeAhead()
      await this.#perform(event, before)
      await this.check(snapshot)
      before = snapshot
    }
    this.#expect(this.driver.pushes).toEqual(this.#pushes)
    this.#expect(this.driver.discards).toEqual(this.#discards)
  }

  async check(snapshot: Snapshot): Promise<void> {
    const live = snapshot.matches('live')
    const pending = this.#pendingIn(snapshot)
    const seen = await this.driver.see()
    if (snapshot.context.closed === 'removed') this.#expect(seen).toBeNull()
    else {
      this.#expect(seen).toEqual({ open: live, active: live, pending, outcome: snapshot.context.closed })
    }
    if (JSON.stringify(pending) !== JSON.stringify(this.#pending)) this.#pushes.push(pending)
    this.#pending = pending
    this.#expect(this.driver.pushes).toEqual(this.#pushes)
  }

  #pendingIn(snapshot: Snapshot): TaskSurfacePendingSubmission | null {
    const pending = pendingOf(snapshot)
    return pending === null || this.submission === null ? null : { ...pending, ...this.submission }
  }

  async #perform(event: SurfaceEvent, before: Snapshot): Promise<void> {
    const { driver } = this
    switch (event.type) {
      case 'SUBMIT':
        return this.#submit()
      case 'CLAIM':
        this.#expect(await driver.claim()).toBe(this.submission?.messageId)
        return
      case 'COMMIT':
        return driver.commit(this.submission?.messageId ?? '')
      case 'DISCARD':
        this.#discards.push(event.reason)
        if (before.matches({ live: 'claiming' })) await driver.interrupt()
        else this.#expect(await driver.removeRow()).toBe('removed')
        return
      case 'DISMISS':
        this.#expect(await driver.dismiss()).toMatchObject({ dismissed: true })
        return
      case 'BYPASS':
        if (pendingOf(before) !== null) this.#discards.push('surface-closed')
        return driver.bypass()
      case 'REMOVE':
        if (pendingOf(before) !== null) this.#discards.push('disposed')
        this.#expect(await driver.remove()).toEqual({ known: true })
        return
      case 'SUPERSEDE':
        throw new Error('a live host supersedes nothing')
    }
  }

  async #submit(): Promise<void> {
    const submissionId = taskSurfaceSubmissionIdSchema.parse(`${this.driver.sessionId}-${this.#discards.length}`)
    const answer = await this.driver.submit(submissionId)
    if (!answer.accepted) throw new Error(`not accepted: ${answer.reason}`)
    this.submission = { submissionId, messageId: answer.messageId }
    this.#expect(await this.driver.submit(submissionId)).toEqual(answer)
  }

  /** Does what would stand for the event, where a client can do it at all, and looks at the refusal. */
  async refuse(event: SurfaceEvent, snapshot: Snapshot): Promise<void> {
    const { driver } = this
    const pending = pendingOf(snapshot) !== null
    const { closed } = snapshot.context
    if (closed === 'removed') {
      this.#expect(await driver.remove()).toEqual({ known: false })
      return
    }
    switch (event.type) {
      case 'SUBMIT': {
        const reason = pending ? 'submission-pending' : 'not-open'
        this.#expect(await driver.submit()).toEqual({ accepted: false, reason })
        return
      }
      case 'DISMISS': {
        const reason = pending ? 'submission-pending' : 'not-open'
        this.#expect(await driver.dismiss('another-dismissal')).toEqual({ dismissed: false, reason })
        return
      }
      case 'DISCARD':
        this.#expect(await driver.removeRow()).toBe('queue-item-not-found')
        if (!pending) await driver.interrupt()
        return
      case 'BYPASS':
        return driver.bypass()
      case 'CLAIM':
      case 'COMMIT':
        // The host's own steps: no client can ask for them, and an interrupt without a claim must not cause one.
        await driver.interrupt()
        return
      case 'REMOVE':
      case 'SUPERSEDE':
        throw new Error(`no way to try ${event.type}`)
    }
  }
}

const refusalsByPath = new Map<string, ReturnType<typeof hostRefusals>>()
for (const refusal of hostRefusals()) {
  const title = describePath(refusal.path)
  refusalsByPath.set(title, [...(refusalsByPath.get(title) ?? []), refusal])
}

describe('every edge and every simple path of the surface machine, on a real host', () => {
  it.concurrent.for(
    walkedPaths().map((path) => ({
      path,
      rule: ruleOf[path.steps.at(-1)?.event.type ?? 'SUBMIT'],
      title: describePath(path),
    })),
  )('$rule: $title', ({ path }, { expect }) => withSurface((walk) => walk.go(path), expect))
})

describe('everything the surface machine refuses, on a real host', () => {
  it.concurrent.for([...refusalsByPath].map(([title, refused]) => ({ title, refused })))(
    'closed-once: after "$title" nothing that the machine refuses changes anything',
    ({ refused }, { expect }) =>
      withSurface(async (walk) => {
        const [first] = refused
        if (first === undefined) return
        await walk.go(first.path)
        const snapshot = first.path.steps.at(-1)?.snapshot ?? first.path.start
        for (const { event } of refused) {
          await walk.refuse(event, snapshot)
          await walk.check(snapshot)
        }
      }, expect),
  )
})
