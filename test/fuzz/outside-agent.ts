/* An agent elsewhere, as a session of its own (SPEC 11): its calls are turns that nobody's message began. It speaks plain
   HTTP; what it is told matters only where the host fails. */
import { z } from 'zod'
import type { Random } from './random.ts'
import { randomModel } from './surfaces.ts'
import type { World } from './world.ts'

const answerSchema = z.looseObject({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number() }).optional(),
})

export class OutsideAgent {
  readonly #world: World
  readonly #random: Random
  readonly #running = new Set<Promise<void>>()
  #connection: { id: string; hostLife: number } | null = null
  #connecting: Promise<void> | null = null
  #ids = 0
  /** Of this host, once a call has told. */
  sessionId: string | null = null
  #surfaceId = 'ts-none'

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
  }

  /** Makes a call and does not wait for it: its turn may come late. */
  call(): void {
    const [name, args] = this.#draw()
    const work = this.#make(name, args).catch((cause: unknown) => {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      // `fetch` says no more than that where the host is gone.
      if (!(cause instanceof TypeError) && error.name !== 'AbortError') this.#world.changes.fail(error)
    })
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work)).then(() => this.#world.changes.notify())
  }

  get isBusy(): boolean {
    return this.#running.size > 0
  }

  #draw(): [name: string, args: object] {
    const random = this.#random
    const bound = this.sessionId === null ? {} : { session: this.sessionId }
    return (
      random.weighted<[string, object]>([
        [5, ['show_task_surface', { ...bound, model: randomModel(random, 'From elsewhere') }]],
        [3, ['await_task_surface', { ...bound, surfaceId: this.#surfaceId, timeoutMs: 20 }]],
        [2, ['start_background_task', { ...bound, command: random.one('true', 'exit 2', 'sleep 0.3') }]],
        [2, ['task_list', bound]],
      ]) ?? ['task_list', bound]
    )
  }

  async #make(name: string, args: object): Promise<void> {
    const { hostLife } = this.#world.book
    if (this.#connection?.hostLife !== hostLife) await (this.#connecting ??= this.#connect())
    this.#connecting = null
    const text = await this.#post('tools/call', { name, arguments: args })
    this.#surfaceId = /\(surface (ts-\w+),/.exec(text)?.[1] ?? this.#surfaceId
    this.sessionId = /"task-surface\/session":"([^"]+)"/.exec(text)?.[1] ?? this.sessionId
    // Removed by a person: the next call begins another one.
    if (this.sessionId !== null && this.#world.book.removed.has(this.sessionId)) this.sessionId = null
  }

  async #connect(): Promise<void> {
    const { hostLife } = this.#world.book
    this.#connection = null
    const clientInfo = { name: 'fuzz', version: '1' }
    await this.#post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, (id) => {
      this.#connection = { id, hostLife }
    })
  }

  async #post(method: string, params: object, connected?: (id: string) => void): Promise<string> {
    const { ready } = this.#world.host
    const response = await fetch(`${ready.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ready.token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(this.#connection !== null && { 'mcp-session-id': this.#connection.id }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: (this.#ids += 1), method, params }),
    })
    const text = await response.text()
    if (response.status >= 500 && !this.#world.isDown) throw new Error(`mcp ${method}: ${response.status} ${text}`)
    const id = response.headers.get('mcp-session-id')
    if (id !== null) connected?.(id)
    for (const line of text.split('\n')) {
      const json = line.startsWith('data: {') ? line.slice(6) : line.startsWith('{') ? line : null
      if (json === null) continue
      const { error } = answerSchema.parse(JSON.parse(json))
      if (error?.code === -32603) throw new Error(`mcp ${method} ${JSON.stringify(params)}: ${json}`)
    }
    return text
  }
}
