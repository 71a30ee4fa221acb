/* A real host with a scripted model and a gate before every claim, and a real Chromium that looks at it. Tests
   decide when the agent shows a surface, when a row is claimed and whether it is admitted. */
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { scriptedAgent, startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'

export interface Look {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  language?: 'en' | 'zh'
  /** Called with the context before its first page. */
  prepare?: (context: BrowserContext) => Promise<void>
}

const browserArguments = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

export class Desk {
  readonly host: HostProcess
  readonly client: Client
  readonly gate: AdmissionGate
  readonly model: ScriptedModel
  readonly changes: Changes
  readonly browser: Browser
  readonly #end: () => Promise<void>
  #said = 0

  private constructor(parts: {
    host: HostProcess
    client: Client
    gate: AdmissionGate
    model: ScriptedModel
    changes: Changes
    browser: Browser
    end: () => Promise<void>
  }) {
    this.host = parts.host
    this.client = parts.client
    this.gate = parts.gate
    this.model = parts.model
    this.changes = parts.changes
    this.browser = parts.browser
    this.#end = parts.end
  }

  static async start(): Promise<Desk> {
    const changes = new Changes()
    const [model, gate] = await Promise.all([startScriptedModel(), AdmissionGate.start()])
    model.watchers.add(changes)
    gate.watchers.add(changes)
    const folder = new HostFolder({
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'no-key',
      TASK_SURFACE_TEST_ADMISSION: gate.url,
    })
    const host = await folder.start()
    const client = await Client.connect(host.ready, changes)
    const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
    const browser = await chromium.launch({ executablePath, args: browserArguments })
    const end = async () => {
      await browser.close()
      await client.close()
      await folder.remove()
      await Promise.all([model.close(), gate.close()])
    }
    return new Desk({ host, client, gate, model, changes, browser, end })
  }

  end(): Promise<void> {
    return this.#end()
  }

  async newSession(title = 'A session'): Promise<string> {
    const params = { agent: scriptedAgent, approval: 'auto', toolMode: 'native', title }
    const { session } = await this.client.call('session.create', params)
    await this.client.open(session.id)
    return session.id
  }

  async say(sessionId: string, placement: 'queued' | 'steering' = 'queued'): Promise<string> {
    this.#said += 1
    const text = `message ${this.#said} of ${sessionId}`
    await this.client.call('session.send', { sessionId, messageId: `said-${this.#said}`, text, placement })
    return text
  }

  /** The call of the model that was made for this text and waits for an answer. */
  parked(text: string) {
    const condition = () => this.model.calls.find((call) => call.isParked && call.userTexts.at(-1) === text)
    return this.changes.until(condition, `a model call for ${text}`)
  }

  /** Has the agent show a surface; resolves when it is open. Answers its id. */
  async show(sessionId: string, model: TaskSurfaceModelV1 | object): Promise<string> {
    const call = await this.parked(await this.say(sessionId))
    call.answerCalls([{ name: 'show_task_surface', arguments: { model } }])
    return this.open(sessionId)
  }

  /** The id of the open surface, once its turn has ended. */
  open(sessionId: string): Promise<string> {
    return this.changes.until(() => {
      const value = this.client.view(sessionId).projections.get('taskSurface')?.value
      const idle = this.client.view(sessionId).status?.status !== 'running'
      return idle ? surfaceIdIn(value) : null
    }, 'an open surface')
  }

  /** A page of its own browser profile; `at` opens another tab of the same one. */
  async page(sessionId: string, look: Look = {}): Promise<Page> {
    const { width = 1280, height = 800, theme = 'light', language = 'en' } = look
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
      reducedMotion: 'reduce',
    })
    await look.prepare?.(context)
    const page = await context.newPage()
    await page.goto(`${this.host.ready.url}/?token=${this.host.ready.token}`)
    await page.goto(`${this.host.ready.url}/s/${sessionId}`)
    return page
  }

  /** Another tab of the same browser. */
  async tab(page: Page, sessionId: string): Promise<Page> {
    const other = await page.context().newPage()
    await other.goto(`${this.host.ready.url}/s/${sessionId}`)
    return other
  }
}

function surfaceIdIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('active' in value)) return null
  const { active } = value
  if (typeof active !== 'object' || active === null || !('surfaceId' in active)) return null
  return typeof active.surfaceId === 'string' ? active.surfaceId : null
}

/** Waits until the dock shows this word beside its mark. */
export async function dockSays(page: Page, word: string): Promise<void> {
  await page
    .locator('.dock .state', { hasText: new RegExp(`^${word}$`) })
    .first()
    .waitFor()
}

export async function gone(locator: Locator): Promise<void> {
  await locator.waitFor({ state: 'detached' })
}

/** Waits until `read` answers `expected`. */
export async function eventually(read: () => unknown, expected: unknown): Promise<void> {
  await expect.poll(read, { timeout: 8_000, interval: 50 }).toEqual(expected)
}

export function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement
    return focused?.getAttribute('aria-label') ?? focused?.id ?? focused?.tagName ?? ''
  })
}
