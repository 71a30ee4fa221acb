/* A conversation with the guide, as small as it can be: the model port, the real tools, and a transcript. What
   the person does is called by the test; a panel is open until the next message. */
import type { CallId, TaskSurfaceId } from '../../../shared/ids.ts'
import { callIdSchema, sessionIdSchema, taskSurfaceIdSchema } from '../../../shared/ids.ts'
import { textOf } from '../../../shared/message.ts'
import type { AssistantPart } from '../../../shared/message.ts'
import type { Question } from '../../../shared/question.ts'
import { defaultTaskSurfaceLimits } from '../../../shared/surface/limits.ts'
import { submissionText } from '../../../shared/surface/message-text.ts'
import type { TaskSurfaceModelV1 } from '../../../shared/surface/model.ts'
import { parseModelText } from '../../../shared/surface/parse.ts'
import { validateSubmission } from '../../../shared/surface/submission.ts'
import { createDemoModel } from '../../../host/agents/demo.ts'
import type { ModelMessage, ModelPart, ModelRequest } from '../../../host/agents/port.ts'
import { askUserQuestion } from '../../../host/tools/ask-user-question.ts'
import { createShowTaskSurface } from '../../../host/tools/show-task-surface.ts'
import type { AskOutcome, Tool } from '../../../host/tools/tool.ts'
import { defineTool, ToolFailure } from '../../../host/tools/tool.ts'
import { z } from 'zod'

export const sessionId = sessionIdSchema.parse('s-1')

export interface StepTaken {
  text: string
  reasoning: string
  calls: readonly { name: string; arguments: string }[]
}

/** How the person answers questions. */
export type Answering = (questions: readonly Question[]) => AskOutcome

const firstOfEach: Answering = (questions) => ({
  kind: 'answered',
  answers: questions.map(({ id, options = [] }) => ({
    id,
    selected: options.slice(0, 1).map(({ label }) => label),
    ...(options.length === 0 ? { custom: 'Lost orders.\nAnd no surprise.' } : {}),
  })),
})

const bash = defineTool({
  name: 'bash',
  description: 'Run a command.',
  input: z.strictObject({ command: z.string(), description: z.string(), run_in_background: z.boolean() }),
  execute: ({ command }) => `started: ${command}`,
  render: (_, value) => value,
})

export class DemoWalk {
  readonly messages: ModelMessage[] = []
  readonly shown: TaskSurfaceModelV1[] = []
  readonly #tools: ReadonlyMap<string, Tool>
  #answering: Answering = firstOfEach
  #open: TaskSurfaceId | null = null
  #ids = 0

  constructor(options: { bash?: boolean; tools?: readonly string[] } = {}) {
    const mintSurfaceId = () => taskSurfaceIdSchema.parse(`ts-${(this.#ids += 1)}`)
    const all = [
      createShowTaskSurface({ limits: defaultTaskSurfaceLimits, mintSurfaceId }),
      askUserQuestion,
      ...(options.bash === true ? [bash] : []),
    ]
    const offered = all.filter(({ name }) => options.tools?.includes(name) ?? true)
    this.#tools = new Map(offered.map((tool) => [tool.name, tool]))
  }

  answering(how: Answering): this {
    this.#answering = how
    return this
  }

  /** An ordinary message; it closes an open panel. Runs the turn it starts. */
  async say(text: string): Promise<StepTaken[]> {
    this.#open = null
    this.messages.push({ role: 'user', text })
    return this.#runTurn()
  }

  /** The newest panel with these values; what is left out is as the model proposes. */
  async submit(values: Record<string, string | boolean | string[]>, note?: string): Promise<StepTaken[]> {
    const model = this.shown.at(-1)
    if (model === undefined) throw new Error('no panel was shown')
    const checked = validateSubmission(model, { ...proposed(model), ...values }, note, defaultTaskSurfaceLimits)
    if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
    return this.say(submissionText(model, checked.values, checked.note))
  }

  /** One model call on the transcript as it stands. */
  async step(): Promise<StepTaken> {
    const parts: ModelPart[] = []
    for await (const part of createDemoModel().stream(this.request())) parts.push(part)
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    if (parts.at(-1)?.type !== 'finish') throw new Error('the stream has no finish')
    return { text, reasoning, calls }
  }

  request(): ModelRequest {
    return {
      sessionId,
      system: '',
      messages: [...this.messages],
      tools: [...this.#tools.values()].map(({ spec }) => spec),
      signal: new AbortController().signal,
    }
  }

  /** Runs the calls of a step and puts their results behind it. True: the turn is concluded. */
  async act(step: StepTaken): Promise<boolean> {
    const calls = step.calls.map((call) => ({ ...call, callId: callIdSchema.parse(`c-${(this.#ids += 1)}`) }))
    const parts: AssistantPart[] = [
      { type: 'text', text: step.text },
      ...calls.map((call) => ({ type: 'tool-call' as const, ...call, callId: call.callId })),
    ]
    this.messages.push({ role: 'assistant', parts })
    if (calls.length === 0) return true
    let concluded = false
    const results = []
    for (const { callId, name, arguments: argumentsText } of calls) {
      const result = await this.#run(callId, name, argumentsText, () => (concluded = true))
      results.push({ callId, name, ...result })
    }
    this.messages.push({ role: 'tool', results })
    return concluded
  }

  async #runTurn(): Promise<StepTaken[]> {
    const steps: StepTaken[] = []
    for (;;) {
      const step = await this.step()
      steps.push(step)
      if (steps.length > 10) throw new Error('the guide does not stop')
      if (await this.act(step)) return steps
    }
  }

  async #run(callId: CallId, name: string, argumentsText: string, concludeTurn: () => void) {
    const prepared = this.#tools.get(name)?.prepare(argumentsText) ?? {
      failure: new ToolFailure('UNKNOWN_TOOL', `There is no tool named ${name}.`),
    }
    if ('failure' in prepared) return { text: prepared.failure.message, isError: true }
    try {
      const outcome = await prepared.run({
        session: {
          sessionId,
          cwd: '/',
          delegated: false,
          activeSurface: () => this.#open,
          ask: async (_callId, questions) => this.#answering(questions),
        },
        callId,
        nested: false,
        nest: () => Promise.reject(new Error('no nested calls here')),
        permit: () => Promise.resolve('allow'),
        signal: new AbortController().signal,
        concludeTurn,
        onLogged: () => {},
      })
      if (name === 'show_task_surface') this.#opened(argumentsText)
      return { text: textOf(outcome.content), isError: false }
    } catch (error) {
      if (error instanceof ToolFailure) return { text: error.message, isError: true }
      throw error
    }
  }

  #opened(argumentsText: string): void {
    const { model } = z.object({ model: z.unknown() }).parse(JSON.parse(argumentsText))
    const parsed = parseModelText(JSON.stringify(model), defaultTaskSurfaceLimits)
    if (!parsed.ok) throw new Error('a panel opened that does not parse')
    this.shown.push(parsed.model)
    this.#open = taskSurfaceIdSchema.parse('ts-open')
  }
}

/** What a form holds before the person touches it. */
export function proposed(model: TaskSurfaceModelV1): Record<string, string | boolean | string[]> {
  const entries = (model.fields ?? []).flatMap((field): [string, string | boolean | string[]][] => {
    switch (field.kind) {
      case 'text':
      case 'choice':
        return field.initial === undefined ? [] : [[field.id, field.initial]]
      case 'multi-choice':
        return [[field.id, field.initial ?? []]]
      case 'toggle':
        return [[field.id, field.initial ?? false]]
      case 'order':
        return [[field.id, field.initial ?? field.options.map(({ id }) => id)]]
    }
  })
  return Object.fromEntries(entries)
}
