/* What the scripted model says to a call that waits: everything a turn can come to (SPEC 5), at random. */
import type { ModelCall, AnswerStream, ScriptedToolCall } from '../harness/scripted-model.ts'
import type { Random } from './random.ts'
import { randomModel } from './surfaces.ts'

export class ModelMood {
  readonly #random: Random
  readonly #streams: { call: ModelCall; stream: AnswerStream }[] = []
  #titles = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Answers as it likes. */
  answer(call: ModelCall): void {
    const random = this.#random
    const way = random.weighted<() => void>([
      [22, () => call.answerText('Done.')],
      [40, () => call.answerCalls(this.#calls(call))],
      [3, () => call.answerError(400, 'No such thing.')],
      [5, () => call.answerError(random.one(429, 500, 503), 'Later.', 0)],
      [1, () => call.drop()],
      [2, () => call.stream().text('Half of').cut()],
      [2, () => call.stream().text('Too long').finish('length')],
      [2, () => call.stream().text('Never').finish('content_filter')],
      [2, () => call.stream().calls(this.#calls(call)).finish('length')],
      [4, () => this.#begin(call)],
      [2, () => call.stream().reasoning('Well').text('So').finish('stop')],
    ])
    way?.()
  }

  /** Ends what it has begun. */
  finishStreams(): void {
    for (const { call, stream } of this.#streams.splice(0)) {
      if (!call.isAbandoned) stream.text(' and done.').finish('stop')
    }
  }

  #begin(call: ModelCall): void {
    this.#streams.push({ call, stream: call.stream().reasoning('Hm').text('Begun') })
  }

  #calls(call: ModelCall): ScriptedToolCall[] {
    const count = this.#random.weighted([
      [70, 1],
      [20, 2],
      [10, 3],
    ])
    return Array.from({ length: count ?? 1 }, () => this.#call(call))
  }

  #call(call: ModelCall): ScriptedToolCall {
    const random = this.#random
    const make = random.weighted<() => ScriptedToolCall>([
      [30, () => this.#surface()],
      [10, () => ({ name: 'ask_user_question', arguments: { questions: [question(random)] } })],
      [
        14,
        () =>
          bash(
            random.one('true', 'exit 3', 'kill -9 $$', 'sleep 60', "trap '' TERM; sleep 60; true", 'sleep 0.2'),
            true,
          ),
      ],
      [8, () => bash('echo hi', false)],
      [10, () => ({ name: 'task_kill', arguments: { taskId: taskIn(call, random) } })],
      [
        8,
        () => ({
          name: 'task_output',
          arguments: { taskId: taskIn(call, random), wait: random.chance(0.2), timeoutMs: 50 },
        }),
      ],
      [3, () => ({ name: 'task_list', arguments: {} })],
      [
        3,
        () => ({
          name: 'subagent',
          arguments: { prompt: 'child work', description: 'child', run_in_background: random.chance(0.5) },
        }),
      ],
      [2, () => ({ name: 'no_such_tool', arguments: {} })],
      [
        2,
        () => ({
          name: random.one('bash', 'show_task_surface', 'task_kill'),
          arguments: random.one('{', '[]', '{"x":1}', ''),
        }),
      ],
      [2, () => ({ name: 'write_file', arguments: { path: 'note.txt', content: 'x' } })],
      [2, () => ({ name: 'run_code', arguments: { code: 'return 1' } })],
    ])
    return make?.() ?? this.#surface()
  }

  #surface(): ScriptedToolCall {
    this.#titles += 1
    return { name: 'show_task_surface', arguments: { model: randomModel(this.#random, `Form ${this.#titles}`) } }
  }
}

function bash(command: string, inBackground: boolean): ScriptedToolCall {
  return { name: 'bash', arguments: { command, ...(inBackground && { run_in_background: true }) } }
}

function question(random: Random) {
  const options = [{ label: 'Red' }, { label: 'Blue' }]
  return { id: 'q', question: 'Which?', ...(random.chance(0.7) && { options }) }
}

/** One that was started in this conversation, or none that ever was. */
function taskIn(call: ModelCall, random: Random): string {
  const ids = call.toolTexts.flatMap((text) => text.match(/\bbash-[a-z0-9]+/g) ?? [])
  return random.chance(0.9) ? (ids.at(-1 - random.below(Math.max(1, ids.length))) ?? 'bash-none') : 'bash-none'
}
