/* An OpenAI-compatible server that answers every message of a person at once by showing a Task Surface. */
import { createServer } from 'node:http'
import { once } from 'node:events'

const field = { kind: 'text', id: 'answer', label: 'Answer' }
const smallModel = { version: 1, title: 'Next', sections: [], fields: [field], submit: { label: 'Send' } }

/** `model`: the surface it shows every time. */
export async function startInstantModel(model = smallModel) {
  let calls = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const id = `completion-${(calls += 1)}`
      const envelope = { id, object: 'chat.completion.chunk', created: 0, model: 'instant' }
      const show = { name: 'show_task_surface', arguments: JSON.stringify({ model }) }
      const delta = {
        role: 'assistant',
        tool_calls: [{ index: 0, id: `call-${calls}`, type: 'function', function: show }],
      }
      const chunks = [
        { ...envelope, choices: [{ index: 0, delta, finish_reason: null }] },
        { ...envelope, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      response.end('data: [DONE]\n\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`, OPENAI_API_KEY: 'no-key' },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
