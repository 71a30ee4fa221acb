/* `ask_user_question`: blocks inside the call until a person answers, declines or the turn is interrupted.
   Rules: SPEC 5. Subagents may not ask; closing the question tells the model that the person declined. */
import { z } from 'zod'
import { questionSchema, type QuestionAnswer } from '../../shared/question.ts'
import { defineTool, ToolFailure } from './tool.ts'

const inputSchema = z.strictObject({
  questions: z
    .array(questionSchema)
    .min(1)
    .max(4)
    .refine((questions) => new Set(questions.map(({ id }) => id)).size === questions.length, 'question ids must differ')
    .refine(
      (questions) =>
        questions.every(({ options = [] }) => new Set(options.map(({ label }) => label)).size === options.length),
      'the option labels of a question must differ',
    ),
})

export const askUserQuestion = defineTool({
  name: 'ask_user_question',
  description:
    'Ask the person 1 to 4 short questions and wait for the answers. Use it when you cannot go on without a brief ' +
    'decision; for several related fields, a comparison or an order, use show_task_surface instead.',
  input: inputSchema,
  async execute({ questions }, { session, callId, signal }) {
    if (session.delegated)
      throw new ToolFailure('ASK_DELEGATED', 'A subagent may not ask the person. Decide, or report back.')
    return session.ask(callId, questions, signal)
  },
  render({ questions }, outcome) {
    if (outcome.kind === 'declined') return 'The person declined to answer.'
    if (outcome.kind === 'cancelled') return 'The question was withdrawn before the person answered.'
    const answerById = new Map(outcome.answers.map((answer) => [answer.id, answer]))
    return questions.map(({ id, question }) => `${question}\n${answerText(answerById.get(id))}`).join('\n\n')
  },
})

function answerText(answer: QuestionAnswer | undefined): string {
  const custom = answer?.custom?.trim() ?? ''
  const lines = [...(answer?.selected ?? []), ...(custom === '' ? [] : [custom])]
  return lines.length === 0 ? '(no answer)' : lines.map((line) => `- ${line.replaceAll('\n', '\n  ')}`).join('\n')
}
