/* An OpenAI-compatible server that answers at once and looks at no more of a request than it must: a request that shows a
   form gets one, any other a text in four pieces. */
import { createServer } from 'node:http'
import { closeServer, listenOnLoopback, readBody } from '../harness/loopback-server.ts'

export const quickAgent = 'openai-compatible/quick'
/** A message of a person that begins with this is answered by a form. */
export const showWord = 'Show'
export const field = 'answer'

const model = {
  version: 1,
  title: 'Next step',
  sections: [{ id: 'why', title: 'Why', blocks: [{ kind: 'markdown', text: 'The **second** plan costs less.' }] }],
  fields: [{ kind: 'text', id: field, label: 'Answer' }],
  submit: { label: 'Send' },
}
const lastMessage = '"role":"user","content":'
const pieces = [
  'The second plan costs less ',
  'in the first year, ',
  'and binds us for three; ',
  'the third leaves a way out.',
]

export async function startQuickModel(): Promise<{ environment: Record<string, string>; close(): Promise<void> }> {
  let calls = 0
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (body === null) return
      const asked = body.slice(body.lastIndexOf(lastMessage) + lastMessage.length).slice(0, 60)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(asked.includes(showWord) ? formAnswer((calls += 1)) : textAnswer)
    })
  })
  const port = await listenOnLoopback(server)
  return {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'no-key' },
    close: () => closeServer(server),
  }
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'completion',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'quick',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const usage = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 }
const streamOf = (chunks: readonly object[]) =>
  `${[...chunks, { ...chunk({}), choices: [], usage }].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`

const textAnswer = streamOf([...pieces.map((content) => chunk({ role: 'assistant', content })), chunk({}, 'stop')])

function formAnswer(call: number): string {
  const show = { name: 'show_task_surface', arguments: JSON.stringify({ model }) }
  const calls = [{ index: 0, id: `call-${call}`, type: 'function', function: show }]
  return streamOf([chunk({ role: 'assistant', tool_calls: calls }), chunk({}, 'tool_calls')])
}
