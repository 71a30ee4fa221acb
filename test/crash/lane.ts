/* One host after another on one data folder: each looks after the death of the one before it, then walks until it dies
   itself, so that a death costs one start. Deaths are counted here, where the exit of the process is seen. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'
import type { CrashStage } from './crash-walk.ts'
import { Passages } from './passages.ts'

const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))

export class Lane {
  readonly model: ScriptedModel
  readonly gate: AdmissionGate
  readonly passages: Passages
  readonly #control: string
  readonly #name: string
  #folder: HostFolder
  #host: HostProcess | null = null
  #tags = 0
  /** Hosts on the folder so far. */
  #lives = 0

  private constructor(name: string, model: ScriptedModel, gate: AdmissionGate) {
    this.#name = name
    this.model = model
    this.gate = gate
    this.#control = mkdtempSync(join(tmpdir(), 'task-surface-crash-'))
    this.passages = new Passages(this.#control)
    this.#folder = this.#newFolder()
  }

  static async open(name: string): Promise<Lane> {
    return new Lane(name, await startScriptedModel(), await AdmissionGate.start())
  }

  get home(): string {
    return this.#folder.home
  }

  get lives(): number {
    return this.#lives
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host runs')
    return this.#host
  }

  get stage(): CrashStage {
    const { model, gate, host } = this
    return { model, gate, address: host.ready, nextTag: () => `${this.#name}-${(this.#tags += 1)}` }
  }

  async start(): Promise<void> {
    // What killed the one before may come again while the next one starts: it finishes removals that were cut off.
    this.passages.clear()
    this.#host = await this.#folder.start({ TASK_SURFACE_TEST_CRASH: this.#control })
    this.#lives += 1
  }

  /** Ends the host in good order, has the whole folder verified by the command, and begins a new one. */
  async renew(): Promise<string> {
    const exit = await this.host.kill('SIGTERM')
    if (exit.code !== 0) throw new Error(`the host did not end in good order: ${JSON.stringify(exit)}`)
    const command = [mainFile, 'verify', '--data', this.#folder.dataDir]
    const { stdout } = await promisify(execFile)(process.execPath, command).catch((cause: unknown) => {
      const said = typeof cause === 'object' && cause !== null && 'stdout' in cause ? String(cause.stdout) : ''
      throw new Error(`task-surface verify: ${said || String(cause)}`)
    })
    await this.#folder.remove()
    this.#folder = this.#newFolder()
    this.#lives = 0
    return stdout.trim()
  }

  async close(): Promise<void> {
    await this.#folder.remove()
    await Promise.all([this.model.close(), this.gate.close()])
    rmSync(this.#control, { recursive: true, force: true })
  }

  #newFolder(): HostFolder {
    return new HostFolder({
      OPENAI_BASE_URL: this.model.baseUrl,
      OPENAI_API_KEY: 'no-key',
      TASK_SURFACE_TEST_ADMISSION: this.gate.url,
    })
  }
}
