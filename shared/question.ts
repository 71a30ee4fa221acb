/* What `ask_user_question` asks and what a person answers (SPEC 5). 1 to 4 questions; an answer picks
   declared labels, adds free text, or both. */
import { z } from 'zod'

export const questionOptionSchema = z.strictObject({
  label: z.string().trim().min(1).max(500),
  description: z.string().max(2000).optional(),
})

export const questionSchema = z.strictObject({
  id: z.string().min(1).max(64),
  question: z.string().trim().min(1).max(4000),
  header: z.string().max(200).optional(),
  options: z.array(questionOptionSchema).max(64).optional(),
  multiSelect: z.boolean().optional(),
})
export type Question = z.infer<typeof questionSchema>

/** At most one answer a question, in any order; `selected` holds option labels. */
export const questionAnswerSchema = z.strictObject({
  id: z.string(),
  selected: z.array(z.string()),
  custom: z.string().max(32_768).optional(),
})
export type QuestionAnswer = z.infer<typeof questionAnswerSchema>
