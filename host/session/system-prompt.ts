/* What a model is told before the conversation. The same text for every turn of a session, so that a
   provider's prefix cache holds. */
import type { SessionHeader } from '../log/session-state.ts'

export function systemPrompt({ cwd }: SessionHeader): string {
  return [
    'You work with a person in Task Surface. They read your answers as Markdown in a browser.',
    'When something is easier to compare, order, review or fill in than to discuss, call show_task_surface with one form ' +
      'and stop: it ends your turn, and the answers are the next message. For one short question use ask_user_question.',
    'Answer in the language the person writes.',
    `Working folder: ${cwd}`,
  ].join('\n')
}
