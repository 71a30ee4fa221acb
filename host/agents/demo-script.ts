/* What the guide answers to a transcript: the tour, and the words a person may type at any time. Pure: one
   transcript, one reply. The tour: greeting and panel → summary and questions → second panel → menu. */
import type { JsonObject } from '../../shared/json.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { commandIn, type DemoCommand } from './demo-commands.ts'
import { sayIn, type DemoLanguage, type Say } from './demo-language.ts'
import { longAnswer, longReasoning } from './demo-long-answer.ts'
import { answersAsMarkdown, demoQuestions } from './demo-questions.ts'
import { submissionSummary } from './demo-summary.ts'
import { demoSurfaces, faultyModel, type DemoSurfaceName } from './demo-surfaces.ts'
import * as texts from './demo-texts.ts'
import { isHostNotice, viewTranscript, type ToolResults, type TranscriptView } from './demo-transcript.ts'
import type { ModelMessage } from './port.ts'

export interface DemoReply {
  reasoning?: string
  text: string
  calls: readonly DemoCall[]
}

export interface DemoCall {
  name: string
  input:
    | { model: TaskSurfaceModelV1 | typeof faultyModel }
    | { questions: ReturnType<typeof demoQuestions> }
    | JsonObject
}

/** What a reply may use: the words of the language, and the tools of this session. */
interface Stage {
  language: DemoLanguage
  say: Say
  has: (tool: string) => boolean
}

export function replyTo(messages: readonly ModelMessage[], toolNames: ReadonlySet<string>): DemoReply {
  const view = viewTranscript(messages)
  const stage: Stage = { language: view.language, say: sayIn(view.language), has: (tool) => toolNames.has(tool) }
  if (view.results.length > 0) return replyToResults(stage, view, messages.at(-1)?.role === 'user')
  if (view.submission !== null) return replyToSubmission(stage, view.submission)
  if (isHostNotice(view.text)) return say(`${stage.say('The host reports:', '主机报告：')}\n\n${quoted(view.text)}`)
  const command = commandIn(view.text)
  if (view.isFirst) return firstReply(stage, command)
  if (command !== undefined) return replyToCommand(stage, command)
  const opening = view.isBypass ? texts.bypassed(stage.say) : texts.notUnderstood(stage.say)
  return say(joined(opening, menuOf(stage)))
}

function firstReply(stage: Stage, command: DemoCommand | undefined): DemoReply {
  if (command === undefined || command === 'surface') return showSurface(stage, 'migration', texts.greeting(stage.say))
  const reply = replyToCommand(stage, command)
  return { ...reply, text: joined(texts.shortGreeting(stage.say), reply.text) }
}

function replyToCommand(stage: Stage, command: DemoCommand): DemoReply {
  switch (command) {
    case 'surface':
      return showSurface(stage, 'migration', texts.surfaceAgain(stage.say))
    case 'table':
      return showSurface(stage, 'review', texts.reviewIntro(stage.say))
    case 'confirm':
      return showSurface(stage, 'confirm', texts.confirmIntro(stage.say))
    case 'question':
      return askQuestions(stage, texts.questionIntro(stage.say))
    case 'long':
      return { reasoning: longReasoning(stage.say), text: longAnswer(stage.say), calls: [] }
    case 'error':
      return callSurface(stage, texts.errorIntro(stage.say), faultyModel)
    case 'task':
      return startTasks(stage)
    case 'help':
      return say(menuOf(stage))
  }
}

function replyToSubmission(stage: Stage, submission: NonNullable<TranscriptView['submission']>): DemoReply {
  const summary = submissionSummary(submission)
  switch (submission.surface) {
    case 'migration':
      return stage.has('ask_user_question')
        ? askQuestions(stage, joined(summary, texts.tourQuestionIntro(stage.say)))
        : showSurface(stage, 'review', joined(summary, texts.reviewIntro(stage.say)))
    case 'review':
      return say(joined(summary, texts.tourEnd(stage.say), menuOf(stage)))
    case 'confirm':
    case null:
      return say(joined(summary, texts.helpHint(stage.say)))
  }
}

/** `isSteered`: the person wrote meanwhile. A command goes before the tour, other words are taken along. */
function replyToResults(stage: Stage, view: TranscriptView, isSteered: boolean): DemoReply {
  const command = isSteered && !isHostNotice(view.text) ? commandIn(view.text) : undefined
  if (command !== undefined) return replyToCommand(stage, command)
  const heard = isSteered ? texts.noted(stage.say) : ''
  const [asked] = view.results.filter(({ name }) => name === 'ask_user_question')
  const [shown] = view.results.filter(({ name }) => name === 'show_task_surface')
  if (shown !== undefined) return say(joined(heard, surfaceOutcome(stage, shown, view)))
  if (asked === undefined) return say(joined(heard, otherOutcomes(stage, view.results), texts.helpHint(stage.say)))
  const answers = asked.isError ? null : answersAsMarkdown(stage.say, asked.text)
  const repeated = answers ?? texts.declined(stage.say)
  return view.submission?.surface === 'migration'
    ? showSurface(stage, 'review', joined(heard, repeated, texts.reviewIntro(stage.say)))
    : say(joined(heard, repeated, texts.helpHint(stage.say)))
}

function surfaceOutcome(stage: Stage, result: ToolResults[number], view: TranscriptView): string {
  if (!result.isError) return stage.say('The panel is open below.', '面板已在下方打开。')
  if (/TASK_SURFACE_OPEN|is still open/.test(result.text)) return texts.surfaceStillOpen(stage.say)
  if (commandIn(view.text) === 'error')
    return joined(texts.refusedOnPurpose(stage.say, result.text), texts.helpHint(stage.say))
  return joined(texts.surfaceRefused(stage.say, result.text), texts.helpHint(stage.say))
}

function otherOutcomes(stage: Stage, results: ToolResults): string {
  return joined(
    ...results.map(({ name, text, isError }) => {
      const head = isError ? stage.say('did not work:', '没有成功：') : stage.say('answered:', '的结果：')
      return `\`${name}\` ${head}\n\n${texts.fenced(text)}`
    }),
  )
}

function showSurface(stage: Stage, name: DemoSurfaceName, text: string): DemoReply {
  return callSurface(stage, text, demoSurfaces[name][stage.language])
}

function callSurface(stage: Stage, text: string, model: TaskSurfaceModelV1 | typeof faultyModel): DemoReply {
  if (!stage.has('show_task_surface')) return say(joined(text, texts.noSurfaceTool(stage.say)))
  return { text, calls: [{ name: 'show_task_surface', input: { model } }] }
}

function askQuestions(stage: Stage, text: string): DemoReply {
  if (!stage.has('ask_user_question')) return say(joined(text, texts.helpHint(stage.say)))
  return { text, calls: [{ name: 'ask_user_question', input: { questions: demoQuestions(stage.say) } }] }
}

function startTasks(stage: Stage): DemoReply {
  if (!stage.has('bash')) return say(joined(texts.noTaskTool(stage.say), menuOf(stage)))
  const run = (command: string, description: string): DemoCall => ({
    name: 'bash',
    input: { command, description, run_in_background: true },
  })
  return {
    text: texts.taskIntro(stage.say),
    calls: [
      run('for i in $(seq 1 30); do echo "batch $i of 30"; sleep 1; done', stage.say('Count to 30', '数到 30')),
      run('echo "no space left on device" >&2; exit 1', stage.say('Fail at once', '立即失败')),
    ],
  }
}

function menuOf(stage: Stage): string {
  return texts.menu(stage.say, stage.has('bash'))
}

function say(text: string): DemoReply {
  return { text, calls: [] }
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}
