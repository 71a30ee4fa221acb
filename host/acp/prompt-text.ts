/* What an agent with a memory of its own is told (SPEC 11): what the person said since its last prompt, and first of all
   what was said in this session before it came. Pure. */
import type { ModelMessage } from '../agents/port.ts'
import { wellFormed } from '../session/send-message.ts'

const introduction =
  '[You work with a person in Task Surface. They read your answers as Markdown in a browser. When something is easier to ' +
  'compare, order, review or fill in than to discuss, call show_task_surface with one form and stop: it ends your turn, and ' +
  'the answers are the next message. You do not wait for them.]'

/** UTF-16 units of the conversation so far that a new agent reads; the newest part of it. */
const maxTranscriptUnits = 200_000
/** Of one tool result in it. */
const maxResultUnits = 4_000

/** Texts of the person and notices of the host, oldest first. */
export function saidTexts(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message) => (message.role === 'user' ? [message.text] : []))
}

/** The first prompt of an agent: one text a block. */
export function firstPrompt(messages: readonly ModelMessage[]): string[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role !== 'user')
  const transcript = transcriptText(messages.slice(0, lastAnswer + 1))
  return [introduction, ...(transcript === '' ? [] : [transcript]), ...saidTexts(messages.slice(lastAnswer + 1))]
}

function transcriptText(messages: readonly ModelMessage[]): string {
  const text = messages
    .map(messageText)
    .filter((part) => part !== '')
    .join('\n\n')
  if (text === '') return ''
  const newest = text.length > maxTranscriptUnits ? `(…)\n${text.slice(-maxTranscriptUnits)}` : text
  return `[What was said in this session before you joined. Go on from here.]\n\n${wellFormed(newest)}\n\n[End of that.]`
}

function messageText(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return `Person: ${message.text}`
    case 'assistant':
      return message.parts
        .flatMap((part) => {
          if (part.type === 'text') return [`Agent: ${part.text}`]
          return part.type === 'tool-call' ? [`Agent calls ${part.name}: ${cut(part.arguments)}`] : []
        })
        .join('\n')
    case 'tool':
      return message.results.map(({ name, text }) => `Result of ${name}: ${cut(text)}`).join('\n')
  }
}

function cut(text: string): string {
  return text.length > maxResultUnits ? `${wellFormed(text.slice(0, maxResultUnits))} (…)` : text
}
