/* The README's recipes for models (SPEC 11), each run as it stands there in a shell at the root of the checkout, against a
   scripted server that has the address's form, its port apart: the default agent shows a surface, a person answers it in a
   browser, and the next request holds the readable answer. Opt-in: `npm run test:peers`. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { prompt, type Home } from './peer-programs.ts'
import { answerInBrowser, holdsAnswer, makeHome, programMs, startModel } from './peer-stage.ts'
import { recipe } from './recipes.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const key = 'a-key-of-nobody'

const readySchema = z.looseObject({
  url: z.string(),
  port: z.number(),
  token: z.string(),
  pid: z.number(),
  dataDir: z.string(),
})

/** Runs the recipe; the host is there once this resolves. */
async function start(text: string, { folder, modelUrl }: Home) {
  const { PATH = '' } = process.env
  const base = `${modelUrl}/v1`
  const here = { TASK_SURFACE_PORT: '0', TASK_SURFACE_NO_OPEN: '1', TASK_SURFACE_JSON: '1', HOME: folder, PATH }
  // Where the recipe names no address it is the provider's own.
  const addresses = { OPENAI_BASE_URL: base, DEEPSEEK_BASE_URL: base, ANTHROPIC_BASE_URL: base }
  const command = text.replaceAll('…', key).replace(/127\.0\.0\.1:\d+/, new URL(modelUrl).host)
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: checkout,
    env: { ...here, ...(!text.includes('_BASE_URL=') && addresses) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => (output += String(piece)))
  const lines = createInterface({ input: child.stdout })
  const ended = new Promise<never>((_, reject) => child.on('close', () => reject(new Error(`it ended\n${output}`))))
  const ready = new Promise<z.infer<typeof readySchema>>((resolve) =>
    lines.on('line', (line) => {
      output += line
      if (line.startsWith('{')) resolve(readySchema.parse(JSON.parse(line)))
    }),
  )
  return Promise.race([ready, ended])
}

test.each(['OpenAI', 'Anthropic', 'DeepSeek', 'Ollama', 'vLLM', 'llama.cpp'])(
  'recipes: %s answers in a session once it is started as the README says',
  async (name) => {
    const text = recipe(name)
    const model = await startModel(false)
    const ready = await start(text, makeHome(model))
    onTestFinished(() => void process.kill(ready.pid, 'SIGTERM'))
    const changes = new Changes(programMs)
    const person = await Client.connect(ready, changes)
    onTestFinished(() => person.drop())
    const { session } = await person.call('session.create', {})
    expect(text).toContain(`--agent ${session.agent}`)
    const view = await person.open(session.id)
    await person.call('session.send', { sessionId: session.id, messageId: 'm-1', text: prompt })
    await changes.until(() => view.eventsOf('turn/end')[0], 'the end of the turn')
    expect(view.eventsOf('turn/end')[0]?.data).toMatchObject({ reason: 'completed' })
    await answerInBrowser(ready, session.id)
    await changes.until(() => view.eventsOf('turn/end')[1], 'the turn of the answer')
    expect(holdsAnswer(model.requests.at(-1)), model.requests.at(-1)).toBe(true)
  },
)
