/* A host, its scripted model and the clients of one test, put together and ended together. Tests that need a hook, a
   crash point or a restart say so when they start the host. */
import { onTestFinished } from 'vitest'
import { errorCodes } from '../../shared/protocol/errors.ts'
import type { Session } from '../../shared/session.ts'
import { Changes } from './changes.ts'
import { Client, type Reply } from './client.ts'
import { HostFolder, type HostProcess } from './host-process.ts'
import { scriptedAgent, startScriptedModel, type ModelCall, type ScriptedModel } from './scripted-model.ts'

/** The database opens again after a failed write. */
const retryMs = 20_000

export class HostStage {
  readonly changes = new Changes()
  readonly model: ScriptedModel
  readonly folder: HostFolder
  #host: HostProcess | null = null
  readonly #clients: Client[] = []

  private constructor(model: ScriptedModel, folder: HostFolder) {
    this.model = model
    this.folder = folder
    model.watchers.add(this.changes)
  }

  /** Starts model server and host; both end with the test. */
  static async open(environment: Readonly<Record<string, string>> = {}): Promise<HostStage> {
    const stage = await HostStage.openShared(environment)
    onTestFinished(() => stage.close())
    return stage
  }

  /** The same for many tests: whoever opens it closes it. */
  static async openShared(environment: Readonly<Record<string, string>> = {}): Promise<HostStage> {
    const model = await startScriptedModel()
    const folder = new HostFolder({ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'no-key', ...environment })
    const stage = new HostStage(model, folder)
    await stage.start()
    return stage
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host was started')
    return this.#host
  }

  /** Starts a host on the same data; the one before must be gone. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<HostProcess> {
    this.#host = await this.folder.start(environment)
    return this.#host
  }

  /** Kills the host as a power cut would and starts it again on the same data. */
  async restart(): Promise<HostProcess> {
    await this.host.kill('SIGKILL')
    return this.start()
  }

  async connect(): Promise<Client> {
    const client = await Client.connect(this.host.ready, this.changes)
    this.#clients.push(client)
    return client
  }

  /** A session whose agent is the scripted model. */
  async createSession(client: Client): Promise<Session> {
    const { session } = await client.call('session.create', {
      agent: scriptedAgent,
      approval: 'auto',
      toolMode: 'native',
    })
    return session
  }

  /** The parked model call whose last user message is `text`. */
  call(text: string): Promise<ModelCall> {
    const find = () => this.model.calls.find((call) => call.isParked && call.userTexts.at(-1) === text)
    const parked = () => this.model.calls.filter((call) => call.isParked).map(({ userTexts }) => userTexts.at(-1))
    return this.changes.until(find, () => `a model call for ${text}; parked are ${JSON.stringify(parked())}`)
  }

  until<Value>(condition: () => Value | undefined | null | false, describe: string | (() => string)): Promise<Value> {
    return this.changes.until(condition, () => {
      const description = typeof describe === 'string' ? describe : describe()
      return `${description}\n${this.#host?.stderr ?? ''}`
    })
  }

  /** Asks again while the store does not answer (−32010), which ends by itself. */
  async retried<Value>(ask: () => Promise<Reply<Value>>, what: string): Promise<Value> {
    const deadline = performance.now() + retryMs
    for (;;) {
      const reply = await ask()
      if (reply.ok) return reply.result
      if (reply.error.code !== errorCodes.storage || performance.now() > deadline) {
        throw new Error(`${what}: ${reply.error.message}\n${this.#host?.stderr ?? ''}`)
      }
    }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.drop()
    await this.folder.remove()
    await this.model.close()
  }
}
