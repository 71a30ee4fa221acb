/* Our transcript as the AI SDK wants it. The SDK sends a tool call's `input` string as it is when it is JSON,
   so a well-formed call goes back to the provider byte for byte. Text that is no JSON object would be refused
   by many servers for the rest of the session; it goes back wrapped, and the log keeps the original. */
import type { AssistantContent, ModelMessage as SdkMessage, ToolContent } from 'ai'
import type { AssistantPart } from '../../shared/message.ts'
import { hasPrototypeKey } from '../../shared/json.ts'
import type { ModelMessage } from './port.ts'

export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  // Reasoning helps a model only inside the tool loop it belongs to, and older servers refuse it elsewhere.
  const loopStart = messages.findLastIndex((message) => message.role === 'user')
  return messages.flatMap((message, index): SdkMessage[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: message.text }]
      case 'assistant': {
        const content = assistantContent(message.parts, index > loopStart)
        return content.length === 0 ? [] : [{ role: 'assistant', content }]
      }
      case 'tool':
        return [{ role: 'tool', content: message.results.map(toolResult) }]
    }
  })
}

type AssistantPiece = Exclude<AssistantContent, string>[number]

function assistantContent(parts: readonly AssistantPart[], withReasoning: boolean): AssistantPiece[] {
  const pieces = parts.flatMap((part): AssistantPiece[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [part]
      case 'reasoning':
        return withReasoning && part.text !== '' ? [part] : []
      case 'tool-call':
        return [{ type: 'tool-call', toolCallId: part.callId, toolName: part.name, input: callInput(part.arguments) }]
    }
  })
  // A message of reasoning alone, from an interrupted turn, is empty for a server.
  return pieces.some((piece) => piece.type !== 'reasoning') ? pieces : []
}

function toolResult(result: { callId: string; name: string; text: string; isError: boolean }): ToolContent[number] {
  return {
    type: 'tool-result',
    toolCallId: result.callId,
    toolName: result.name,
    output: { type: result.isError ? 'error-text' : 'text', value: result.text },
  }
}

function callInput(text: string): string {
  if (text.trim() === '') return '{}'
  return isPlainObjectText(text) ? text : JSON.stringify({ malformed_arguments: text })
}

function isPlainObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !hasPrototypeKey(value)
  } catch {
    return false
  }
}
