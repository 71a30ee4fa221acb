/* A host process that may die at any moment while a conversation is played (`crash-player.ts`), and what must hold then:
   `checkAfterCrash` as soon as it is back, `checkWhole` once the conversation was played to its end. Both look with the
   harness's own fold. */
import { expect } from 'vitest'
import type { SessionEvent } from '../../shared/event.ts'
import { Changes } from './changes.ts'
import { Client, type Address } from './client.ts'
import { answersOf, HostGone, nothing, Player, submission, type Goal, type Memory } from './crash-player.ts'
import { HostFolder, type HostProcess } from './host-process.ts'
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts'
import { openSurface, turnsAndCallsClose } from './counted-log.ts'

export type CrashPoint = 'before-write' | 'after-write' | 'before-publish' | 'after-publish'
export const crashPoints: readonly CrashPoint[] = ['before-write', 'after-write', 'before-publish', 'after-publish']

export class CrashStage {
  readonly model: ScriptedModel
  readonly folder: HostFolder
  readonly changes = new Changes()

  private constructor(scripted: ScriptedModel, folder: HostFolder) {
    this.model = scripted
    this.folder = folder
    scripted.watchers.add(this.changes)
  }

  /** `copyOf`: the data folder of a stage whose host has ended. */
  static async open(copyOf?: string): Promise<CrashStage> {
    const scripted = await startScriptedModel()
    const environment = { OPENAI_BASE_URL: scripted.baseUrl, OPENAI_API_KEY: 'no-key' }
    return new CrashStage(scripted, new HostFolder(environment, undefined, copyOf))
  }

  async close(): Promise<void> {
    await this.folder.remove()
    await this.model.close()
  }
}

/** Plays until the host is gone or the goal is reached. */
export async function play(
  stage: CrashStage,
  host: HostProcess,
  before: Memory,
  goal: Goal,
): Promise<{ end: 'finished' | 'gone'; memory: Memory }> {
  const player = new Player(stage, before)
  try {
    await player.play(host.ready, goal)
    return { end: 'finished', memory: player.memory }
  } catch (cause) {
    if (!(cause instanceof HostGone)) throw new Error(`${String(cause)}\n${host.stderr}`, { cause })
    const exit = await host.exited
    if (exit.signal !== 'SIGKILL') throw new Error(`the host ended by itself: ${JSON.stringify(exit)}\n${host.stderr}`)
    return { end: 'gone', memory: player.memory }
  } finally {
    player.drop()
  }
}

const shownSurfaces = (events: readonly SessionEvent[]): number =>
  events.filter((event) => event.type === 'tool/result' && event.data.meta !== undefined).length

/** What holds as soon as the host is back, before anything happens in the session. Answers what the client knows now. */
export async function checkAfterCrash(stage: CrashStage, host: HostProcess, memory: Memory): Promise<Memory> {
  const client = await Client.connect(host.ready, stage.changes)
  try {
    const listed = (await client.call('session.list', {})).sessions.map(({ id }) => id)
    // A session whose creation was never answered may be there, whole, or not at all.
    const sessionId = memory.sessionId ?? listed[0] ?? null
    if (sessionId === null) return nothing
    expect(listed).toEqual([sessionId])
    const view = await client.open(sessionId)
    await stage.changes.until(() => view.status, 'the baseline')
    expect(view.status?.status).toBe('idle')
    expect(view.queue).toEqual([])
    expect(view.events.slice(0, memory.seen.length)).toEqual(memory.seen)
    expect(view.events.map(({ seq }) => seq)).toEqual(view.events.map((_, index) => index))
    const answers = answersOf(view.events)
    expect(answers.length).toBeLessThan(2)
    // Open, or closed by that one message: never neither, never both.
    const open = openSurface(view.events)
    expect(open === null ? 0 : 1).toBe(shownSurfaces(view.events) - answers.length)
    const active = open === null ? null : { surfaceId: open.surfaceId, callId: open.callId }
    expect(view.projections.get('taskSurface')?.value).toEqual({ active })
    if (open !== null) {
      const { surfaceId } = open
      expect(await client.call('taskSurface.getActive', { sessionId, surfaceId })).toMatchObject({
        active: true,
        pending: null,
      })
    }
    const [answer] = answers
    if (answer !== undefined && memory.accepted !== null) expect(answer).toBe(memory.accepted)
    return { ...memory, sessionId, seen: view.events, accepted: answer ?? null }
  } finally {
    client.drop()
  }
}

/** What holds once the conversation was played to its end, however often the host died on the way. */
export async function checkWhole(stage: { changes: Changes }, address: Address, memory: Memory): Promise<void> {
  const client = await Client.connect(address, stage.changes)
  try {
    const { sessionId } = memory
    if (sessionId === null) throw new Error('there is no session')
    const view = await client.open(sessionId)
    const { events } = view
    expect(events).toEqual(memory.seen)
    const ids = events.flatMap((event) => (event.type === 'user/message' ? [event.data.message.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
    for (const messageId of memory.sent) expect(ids).toContain(messageId)
    const [answer, ...more] = answersOf(events)
    expect([answer, more]).toEqual([memory.accepted, []])
    expect(turnsAndCallsClose(events)).toBe(true)
    await stage.changes.until(() => view.status, 'the baseline')
    expect(view.projections.get('taskSurfaceOutcomes')?.value).toMatchObject({ outcomes: [{ reason: 'submitted' }] })
    const surfaceId = surfaceIdOf(view.projections.get('taskSurfaceOutcomes')?.value)
    const retry = await client.call('taskSurface.submit', { sessionId, surfaceId, ...submission })
    expect(retry).toEqual({ accepted: true, messageId: answer, phase: 'queued' })
    const other = { ...submission, values: { name: 'Bo', ship: true } }
    expect(await client.call('taskSurface.submit', { sessionId, surfaceId, ...other })).toMatchObject({
      accepted: false,
      reason: 'invalid-submission',
    })
  } finally {
    client.drop()
  }
}

function surfaceIdOf(value: unknown): string {
  const found = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(value) ?? '')?.[1]
  if (found === undefined) throw new Error('no surface was ever closed')
  return found
}
