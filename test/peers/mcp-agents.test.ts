/* Real agent programs (SPEC 11), each driven by a scripted model on loopback: they show a surface through `/mcp`, a person
   answers it in a browser, and the next request to their model holds the readable answer. What the model server was sent
   is the witness (its own journal cuts requests at 64 KiB). Each program comes in by the address and, as the README says,
   by standard input and output. Opt-in: `npm run test:peers`. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { jsonObjectSchema } from '../../shared/json.ts'
import { McpScene } from '../contract/mcp-bench.ts'
import { installed } from './peer-cache.ts'
import { mcpPrograms, mergeOpencode, type Home, type McpProgram } from './peer-programs.ts'
import { answerInBrowser, holdsAnswer, lastWord, makeHome, programMs, startModel } from './peer-stage.ts'
import { recipe } from './recipes.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** As the README says, in a shell at the root of the checkout. */
function followRecipe(program: McpProgram, home: Home, scene: McpScene): void {
  const text = recipe(program.label)
  const dataDir = join(home.folder, '.local/share/task-surface')
  mkdirSync(dirname(dataDir), { recursive: true })
  symlinkSync(scene.folder.dataDir, dataDir)
  if (text.startsWith('{')) {
    const here = text.replaceAll('/path/to/task-surface', checkout.replace(/\/$/, ''))
    return mergeOpencode(home, jsonObjectSchema.parse(JSON.parse(here)))
  }
  execFileSync('/bin/sh', ['-c', text], { cwd: checkout, env: environmentOf(program, home), stdio: 'ignore' })
}

function environmentOf(program: McpProgram, home: Home): Record<string, string> {
  const { PATH = '' } = process.env
  return { PATH: [dirname(installed(program)), PATH].join(delimiter), HOME: home.folder }
}

function startProgram(program: McpProgram, home: Home, env: Record<string, string>) {
  const child = spawn(installed(program), program.args, {
    cwd: home.folder,
    env: { ...environmentOf(program, home), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Its group has ended by itself.
    }
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += String(text)))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { ended, output: () => output }
}

/** The program shows a form, which a person answers after a while, and its model reads the answer. */
async function play(program: McpProgram, way: 'address' | 'recipe', patienceMs = 0): Promise<{ waits: number }> {
  installed(program)
  const model = await startModel(true)
  const scene = await McpScene.open(programMs)
  onTestFinished(() => scene.close())
  const home = makeHome(model)
  const env = program.useModel(home)
  if (way === 'address') program.useDoor(home, { url: scene.url, token: scene.host.ready.token })
  else followRecipe(program, home, scene)
  const { ended, output } = startProgram(program, home, env)

  const session = await Promise.race([
    scene.until(
      () => scene.person.frames.flatMap((frame) => (frame.type === 'host/session-added' ? [frame.session] : []))[0],
      'a session of the agent',
    ),
    ended.then((code) =>
      Promise.reject(new Error(`it ended with ${code} and showed nothing\n${output()}\n${model.requests.at(-1)}`)),
    ),
  ])
  expect(session.agent).toMatch(program.clientName)
  const view = await scene.view(session.id)
  await scene.until(() => view.eventsOf('tool/result').some(({ data }) => data.meta !== undefined), 'the surface')
  await new Promise((resolve) => setTimeout(resolve, patienceMs))
  await answerInBrowser(scene.host.ready, session.id)

  expect(await ended, output()).toBe(0)
  expect(output()).toContain(lastWord)
  expect(holdsAnswer(model.requests.at(-1)), model.requests.at(-1)).toBe(true)
  const calls = view.eventsOf('tool/call').map(({ data }) => data.name)
  expect(calls).toContain('await_task_surface')
  return { waits: calls.filter((name) => name === 'await_task_surface').length }
}

describe.each(mcpPrograms)('$label $version', (program) => {
  test('mcp-peers: shows a surface by the address, and its model reads what the person answered in a browser', async () => {
    await play(program, 'address')
  })

  test('mcp-peers: does the same once it was told as the README says', async () => {
    await play(program, 'recipe')
  })
})

test('mcp-await: a person who takes 400 s is waited for by programs that give a call 60 s', async () => {
  // The one by itself, the other because it is told so; it also stops a model that makes the same call five times.
  const patient = mcpPrograms.filter(({ label }) => ['opencode', 'Gemini CLI'].includes(label))
  const played = await Promise.all(patient.map((program) => play(program, 'address', 400_000)))
  for (const { waits } of played) expect(waits).toBeGreaterThan(6)
  expect(played).toHaveLength(2)
})
