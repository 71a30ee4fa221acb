/* What the peers' tests share: the model that every program asks, scripted and on loopback, what it was sent, and the
   person who answers in a browser. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import { chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Ready } from '../harness/host-process.ts'
import { smallModel } from '../contract/mcp-bench.ts'
import { speakCodex } from './codex-dialect.ts'
import { prompt, type Home } from './peer-programs.ts'

/** What the model reads once the person has answered. */
export const answer = 'Which database?\n- Database: PostgreSQL'
/** What the model then says. */
export const lastWord = 'PostgreSQL it is.'

/** Programs start, connect and think: on a busy machine each takes its time. */
export const programMs = 180_000

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const browserArgs = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

type Said = { content: string } | { toolCalls: { name: string; arguments: string }[] }

const call = (name: string, args: unknown): Said => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] })

/** What a model would do: show the form, wait for the answer as long as it takes where it has to, and be done. */
function reply(request: ChatCompletionRequest, mayWait: boolean): Said {
  const tools = request.tools?.map((tool) => tool.function.name) ?? []
  const named = (name: string) => tools.find((tool) => tool.endsWith(name))
  const said = request.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  if (said.some((text) => text.includes('- Database: PostgreSQL'))) return { content: lastWord }
  const shown = /surface (ts-\w+), session (s-\w+)/.exec(said.join('\n'))
  if (shown !== null) {
    const wait = named('await_task_surface')
    const [, surfaceId, session] = shown
    const round = Math.max(1, ...Array.from(said.join('\n').matchAll(/round\W+(\d+)/g), ([, next]) => Number(next)))
    const wanted = { surfaceId, session, ...(round > 1 && { round }) }
    return mayWait && wait !== undefined ? call(wait, wanted) : { content: 'I have asked.' }
  }
  if (!said.some((text) => text.includes(prompt))) return { content: 'Which database?' }
  const show = named('show_task_surface')
  if (show !== undefined) return call(show, { model: smallModel })
  // Some programs ask their model before their servers are connected, or tell it of tools only when it looks for them.
  const connect = named('WaitForMcpServers')
  if (connect !== undefined) return call(connect, {})
  const search = tools.find((tool) => /tool_?search$/i.test(tool))
  if (search !== undefined) return call(search, { query: 'show_task_surface await_task_surface' })
  const wait = named('exec_command')
  if (wait !== undefined) return call(wait, { cmd: 'sleep 2' })
  return { content: 'I cannot ask.' }
}

export interface ScriptedPeerModel {
  url: string
  /** The same for Codex. */
  codexUrl: string
  /** The messages of each request so far, as JSON. */
  requests: string[]
}

/** `mayWait` false: an agent whose turn ends with the form. */
export async function startModel(mayWait: boolean): Promise<ScriptedPeerModel> {
  const model = new LLMock({ port: 0, host: '127.0.0.1' })
  const requests: string[] = []
  model.on({ endpoint: 'chat' }, (asked) => {
    requests.push(JSON.stringify(asked.messages))
    return reply(asked, mayWait)
  })
  await model.start()
  const codex = await speakCodex(model.url)
  onTestFinished(async () => {
    await codex.close()
    await model.stop()
  })
  return { url: model.url, codexUrl: codex.url, requests }
}

/** A home that is thrown away after the test. */
export function makeHome({ url, codexUrl }: ScriptedPeerModel): Home {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-peer-'))
  // Programs leave thousands of files.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }), programMs)
  return { folder, modelUrl: url, codexUrl }
}

/** Whether a request to the model held the readable answer: as JSON, of some programs as JSON in JSON. */
export function holdsAnswer(request: string | undefined): boolean {
  return (request ?? '').replaceAll('\\\\n', '\\n').includes(JSON.stringify(answer).slice(1, -1))
}

/** A person: opens the session in a browser, fills in the form and submits it. */
export async function answerInBrowser({ url, token }: Ready, sessionId: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: browserArgs })
  try {
    const page = await browser.newPage()
    await page.goto(`${url}/?token=${token}`)
    await page.goto(`${url}/s/${sessionId}`)
    const dock = page.locator('.dock')
    await dock.getByRole('radio', { name: 'PostgreSQL' }).check({ timeout: 60_000 })
    await dock.getByRole('button', { name: /^Choose/ }).click()
    await dock.waitFor({ state: 'detached', timeout: 60_000 })
  } finally {
    await browser.close()
  }
}
