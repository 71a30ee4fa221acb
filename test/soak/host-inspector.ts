/* A host process seen through its inspector: what it holds, what it costs, and where its time goes. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { HostProcess } from '../harness/host-process.ts'

/** In the environment of the host that is to be asked. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

export interface HostSample {
  /** Bytes of JavaScript and of the buffers it holds, garbage left out. */
  heap: number
  /** Bytes of the process in memory. */
  resident: number
  /** Of all its threads, since it started. */
  cpuSeconds: number
}

const answerSchema = z.looseObject({ id: z.int().optional(), result: z.looseObject({}).optional() })
const usageSchema = z.looseObject({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number().default(0),
  backingStorageSize: z.number().default(0),
})
const processSchema = z.looseObject({
  result: z.looseObject({ value: z.strictObject({ rss: z.number(), user: z.number(), system: z.number() }) }),
})
const aboutProcess = '({rss: process.memoryUsage.rss(), ...process.cpuUsage()})'
const profileSchema = z.looseObject({ profile: z.unknown() })

export class HostInspector {
  readonly #socket: WebSocket
  readonly #waitingById = new Map<number, (result: unknown) => void>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, result } = answerSchema.parse(JSON.parse(String(data)))
      if (id === undefined) return
      this.#waitingById.get(id)?.(result)
      this.#waitingById.delete(id)
    })
  }

  static async of(host: HostProcess): Promise<HostInspector> {
    const [url] = /ws:\/\/\S+/u.exec(host.stderr) ?? []
    if (url === undefined) throw new Error(`the host is not inspectable\n${host.stderr}`)
    const socket = new WebSocket(url)
    await once(socket, 'open')
    return new HostInspector(socket)
  }

  async sample(): Promise<HostSample> {
    await this.#call('HeapProfiler.collectGarbage')
    const usage = usageSchema.parse(await this.#call('Runtime.getHeapUsage'))
    const about = await this.#call('Runtime.evaluate', { expression: aboutProcess, returnByValue: true })
    const { rss, user, system } = processSchema.parse(about).result.value
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = usage
    return {
      heap: usedSize + embedderHeapUsedSize + backingStorageSize,
      resident: rss,
      cpuSeconds: (user + system) / 1e6,
    }
  }

  async startProfile(): Promise<void> {
    await this.#call('Profiler.enable')
    await this.#call('Profiler.start')
  }

  /** Writes what Chromium's tools read as a `.cpuprofile`. */
  async writeProfile(file: string): Promise<void> {
    writeFileSync(file, JSON.stringify(profileSchema.parse(await this.#call('Profiler.stop')).profile))
  }

  close(): void {
    this.#socket.terminate()
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = (this.#calls += 1)
    return new Promise((resolve) => {
      this.#waitingById.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }
}
