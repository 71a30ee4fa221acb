/* The scripted model server by itself: what the suites over a real host rest on. */
import { expect, onTestFinished, test } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { startScriptedModel, type ModelCall, type ScriptedModel } from '../harness/scripted-model.ts'

const tools = [{ type: 'function', function: { name: 'show_task_surface', parameters: {} } }]

async function start(): Promise<{ model: ScriptedModel; changes: Changes }> {
  const model = await startScriptedModel()
  const changes = new Changes()
  model.watchers.add(changes)
  onTestFinished(() => model.close())
  return { model, changes }
}

function ask(model: ScriptedModel, text: string, extra: object = { tools }, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: text }], ...extra }),
    ...(signal !== undefined && { signal }),
  })
}

const parked = ({ model, changes }: Awaited<ReturnType<typeof start>>): Promise<ModelCall> =>
  changes.until(() => model.calls.find((call) => call.isParked), 'a parked call')

test('model-parks: a call with tools waits for its answer and shows what it asked', async () => {
  const scene = await start()
  const response = ask(scene.model, 'hello')
  const call = await parked(scene)
  expect(call.userTexts).toEqual(['hello'])
  expect(call.toolNames).toEqual(['show_task_surface'])
  call.answerText('Good day.')
  const lines = (await (await response).text()).split('\n\n')
  expect(lines[0]).toContain('"content":"Good day."')
  expect(lines.at(-2)).toBe('data: [DONE]')
  expect(() => call.answerText('again')).toThrow('answered')
})

test('model-side-call: a call without tools gets a word at once', async () => {
  const { model } = await start()
  const whole = await ask(model, 'a title?', { stream: false })
  expect(await whole.json()).toMatchObject({ choices: [{ message: { content: 'Word' }, finish_reason: 'stop' }] })
  expect(await (await ask(model, 'a title?', {})).text()).toContain('Word')
  expect(model.calls).toEqual([])
})

test('model-errors: status and message are the test’s', async () => {
  const scene = await start()
  const response = ask(scene.model, 'hello')
  ;(await parked(scene)).answerError(429, 'too many')
  expect((await response).status).toBe(429)
})

test('model-cut: a stream can end in its middle', async () => {
  const scene = await start()
  const response = ask(scene.model, 'hello')
  const stream = (await parked(scene)).stream()
  stream.text('half')
  const body = (await response).text()
  stream.cut()
  await expect(body).rejects.toThrow('terminated')
})

test('model-left: it sees when the caller closes the connection', async () => {
  const scene = await start()
  const leaving = new AbortController()
  const response = ask(scene.model, 'hello', { tools }, leaving.signal)
  const call = await parked(scene)
  leaving.abort()
  await expect(response).rejects.toThrow('aborted')
  await scene.changes.until(() => call.isAbandoned, 'the call to be abandoned')
  expect(call.isParked).toBe(false)
})
