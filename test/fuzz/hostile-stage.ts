/* A host with a session whose form is open and must still be open at the end, whatever else is asked of the host: what a
   hostile client sends may change what it is allowed to change, and nothing more. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '../../shared/event.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../harness/client.ts'
import type { HostStage } from '../harness/host-stage.ts'
import { openSurface } from '../harness/counted-log.ts'
import { wholeLog } from './log-reading.ts'
import { log, model, type Ids } from './samples.ts'

export class HostileStage {
  readonly stage: HostStage
  readonly client: Client
  readonly ids: Ids
  readonly #before: readonly SessionEvent[]

  private constructor(parts: { stage: HostStage; client: Client; ids: Ids; before: readonly SessionEvent[] }) {
    this.stage = parts.stage
    this.client = parts.client
    this.ids = parts.ids
    this.#before = parts.before
  }

  static async open(stage: HostStage): Promise<HostileStage> {
    const client = await stage.connect()
    const { id: session } = await stage.createSession(client)
    const view = await client.open(session)
    await client.call('session.send', { sessionId: session, messageId: 'first', text: 'first' })
    ;(await stage.call('first')).answerCalls([{ name: 'show_task_surface', arguments: { model } }])
    await stage.until(() => view.eventsOf('turn/end').length > 0 && view.status?.status === 'idle', 'a surface')
    const surface = openSurface(view.events)?.surfaceId ?? ''
    const file = join(stage.folder.dataDir, '..', 'import.jsonl')
    writeFileSync(file, log.map((event) => JSON.stringify(event)).join('\n'))
    const before = await wholeLog(client, session)
    return new HostileStage({
      stage,
      client,
      before,
      ids: { session, surface, file, other: await other(stage, client) },
    })
  }

  /** Sessions that may be thrown away are: a new one. */
  async renew(): Promise<void> {
    this.ids.other = await other(this.stage, this.client)
  }

  /** The host has nothing to be ashamed of, and every log of it is whole. */
  async check(): Promise<void> {
    const { host } = this.stage
    if (!host.isRunning) throw new Error(`the host is gone\n${host.stderr}`)
    const errors = host.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line))
    if (errors.length > 0) throw new Error(errors.join('\n'))
    const now = await wholeLog(this.client, this.ids.session)
    for (const event of this.#before) {
      if (!isDeepStrictEqual(now[event.seq], event)) throw new Error(`lost: ${JSON.stringify(event)}`)
    }
    for (const { id } of (await this.client.call('session.list', {})).sessions) {
      const { broken } = await this.client.call('data.verify', { sessionId: id })
      if (broken.length > 0) throw new Error(`${id}: ${JSON.stringify(broken)}`)
    }
  }
}

async function other(stage: HostStage, client: Client): Promise<string> {
  return (await stage.createSession(client)).id
}
