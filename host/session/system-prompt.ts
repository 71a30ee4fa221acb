/* What a model is told before the conversation. The same text for every turn of a session, so that a
   provider's prefix cache holds. */
import type { SessionHeader } from '../log/session-state.ts'
import { isSubagent } from './session-view.ts'

export function systemPrompt(header: SessionHeader): string {
  const workingFolder = `Working folder: ${header.cwd}`
  if (isSubagent(header)) {
    return [
      'Another agent handed you one piece of work. You work alone: nobody can be asked or shown a surface, and your last ' +
        'text is all that the other agent gets.',
      'What you started in the background ends with that text: wait for it with task_output where you need its result.',
      workingFolder,
    ].join('\n')
  }
  return [
    'You work with a person in Task Surface. They read your answers as Markdown in a browser.',
    'When something is easier to compare, order, review or fill in than to discuss, call show_task_surface with one form ' +
      'and stop: it ends your turn, and the answers are the next message. For one short question use ask_user_question.',
    'Answer in the language the person writes.',
    workingFolder,
  ].join('\n')
}
