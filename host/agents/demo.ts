/* The guide as a model (SPEC 11): no key, no network, the same port as any provider. Its answers are a pure
   function of the transcript (`demo-script.ts`); here they only become a stream, piece by piece and without timers. */
import { replyTo } from './demo-script.ts'
import { ModelError, type Model, type ModelPart, type ModelRequest } from './port.ts'

export function createDemoModel(): Model {
  return { stream: streamReply }
}

async function* streamReply(request: ModelRequest): AsyncGenerator<ModelPart> {
  const reply = replyTo(request.messages, new Set(request.tools.map(({ name }) => name)))
  for (const part of partsOf(reply)) {
    if (request.signal.aborted) throw new ModelError('permanent', 'The answer was stopped.')
    yield part
  }
}

function* partsOf(reply: ReturnType<typeof replyTo>): Generator<ModelPart> {
  for (const text of pieces(reply.reasoning ?? '')) yield { type: 'reasoning', text }
  for (const text of pieces(reply.text)) yield { type: 'text', text }
  for (const call of reply.calls) yield { type: 'tool-call', name: call.name, arguments: JSON.stringify(call.input) }
  yield { type: 'finish', reason: reply.calls.length > 0 ? 'tool-calls' : 'stop' }
}

/** Words with the space behind them; text without spaces, as Chinese is, in runs of a few characters. */
function pieces(text: string): string[] {
  return text.match(/[^\s]{1,12}\s*|\s+/gu) ?? []
}
