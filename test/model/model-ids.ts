/* The ids that tables and paths speak of. What is called `foreign` never belongs to the actor under test. */
import {
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  questionIdSchema,
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../../shared/ids.ts'

export const ids = {
  call: callIdSchema.parse('call-1'),
  question: questionIdSchema.parse('question-1'),
  surface: taskSurfaceIdSchema.parse('surface-1'),
  foreignSurface: taskSurfaceIdSchema.parse('surface-foreign'),
  submission: taskSurfaceSubmissionIdSchema.parse('submission-1'),
  secondSubmission: taskSurfaceSubmissionIdSchema.parse('submission-2'),
  foreignSubmission: taskSurfaceSubmissionIdSchema.parse('submission-foreign'),
  dismissal: taskSurfaceDismissalIdSchema.parse('dismissal-1'),
  secondDismissal: taskSurfaceDismissalIdSchema.parse('dismissal-2'),
  foreignDismissal: taskSurfaceDismissalIdSchema.parse('dismissal-foreign'),
  message: messageIdSchema.parse('message-1'),
  secondMessage: messageIdSchema.parse('message-2'),
  thirdMessage: messageIdSchema.parse('message-3'),
  foreignMessage: messageIdSchema.parse('message-foreign'),
  item: inboxItemIdSchema.parse('item-1'),
  secondItem: inboxItemIdSchema.parse('item-2'),
  thirdItem: inboxItemIdSchema.parse('item-3'),
  foreignItem: inboxItemIdSchema.parse('item-foreign'),
} as const
