/* The counted log as a model reads it (SPEC 5): pure. Every tool call an assistant message made is followed by
   exactly one result, whatever the log holds, because providers refuse a transcript without. */
import type { SessionEvent } from '../../shared/event.ts'
import { textOf } from '../../shared/message.ts'
import type { ModelMessage } from '../agents/port.ts'

type ToolResult = Extract<ModelMessage, { role: 'tool' }>['results'][number]

export class Transcript {
  readonly #messages: ModelMessage[] = []
  #open: { callId: string; name: string }[] = []
  #results: ToolResult[] = []

  add(event: SessionEvent): void {
    switch (event.type) {
      case 'user/message':
      case 'steering/message':
        this.#closeCalls()
        this.#messages.push({ role: 'user', text: textOf(event.data.message.content) })
        return
      case 'assistant/message': {
        this.#closeCalls()
        const parts = event.data.message.content
        if (parts.length === 0) return
        this.#messages.push({ role: 'assistant', parts })
        this.#open = parts.flatMap((part) =>
          part.type === 'tool-call' ? [{ callId: part.callId, name: part.name }] : [],
        )
        return
      }
      case 'tool/result': {
        const { callId, name, content, isError = false } = event.data
        if (!this.#open.some((call) => call.callId === callId)) return
        this.#open = this.#open.filter((call) => call.callId !== callId)
        this.#results.push({ callId, name, text: textOf(content), isError })
        return
      }
      default:
        return
    }
  }

  /** The messages so far. A new array: later events do not change it. */
  messages(): ModelMessage[] {
    this.#closeCalls()
    return [...this.#messages]
  }

  #closeCalls(): void {
    const missing = this.#open.map(({ callId, name }) => ({ callId, name, text: 'There is no result.', isError: true }))
    const results = [...this.#results, ...missing]
    this.#open = []
    this.#results = []
    if (results.length > 0) this.#messages.push({ role: 'tool', results })
  }
}
