/* What a person decides, question and approval, on a real host: every path, and every refusal there is a way to try. */
import { approvalPaths, questionPaths } from '../../machines/path-models.ts'
import { lifecyclePaths, longestOnly, refusals } from '../../machines/paths.ts'

export const questionWalks = longestOnly(lifecyclePaths(questionPaths, 'edges'))
export const questionRefusals = refusals(questionPaths)

export const approvalWalks = longestOnly(lifecyclePaths(approvalPaths, 'edges'))
export const approvalRefusals = refusals(approvalPaths)
