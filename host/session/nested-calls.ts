/* The calls that one running call makes (SPEC 5, `run_code`): each is logged like a call of the model, under an id that
   names its parent. Order is kept as between calls of a step: what is not concurrency-safe runs alone. */
import { nestedCallId } from '../../shared/nested-call.ts'
import type { CallId } from '../../shared/ids.ts'
import type { Tool } from '../tools/tool.ts'
import type { StepCall } from './model-step.ts'

export interface NestedCallsDeps {
  parent: CallId
  isSafe(name: string): boolean
  /** Logs the call, runs it, logs its result. */
  run(call: StepCall): Promise<{ text: string; isError: boolean }>
}

export class NestedCalls {
  readonly #deps: NestedCallsDeps
  #made = 0
  /** Everything before the last barrier, and what runs together since. */
  #barrier: Promise<unknown> = Promise.resolve()
  #together: Promise<unknown>[] = []

  constructor(deps: NestedCallsDeps) {
    this.#deps = deps
  }

  /** Resolves with the durable result; rejects when the session could not be written. */
  call(name: string, argumentsText: string, tool?: Tool): Promise<{ text: string; isError: boolean }> {
    this.#made += 1
    const callId = nestedCallId(this.#deps.parent, this.#made)
    const call = { callId, name, arguments: argumentsText, ...(tool !== undefined && { ties: { tool } }) }
    const isSafe = tool?.concurrencySafe ?? this.#deps.isSafe(name)
    const before = isSafe ? this.#barrier : Promise.allSettled([this.#barrier, ...this.#together])
    const run = before.then(() => this.#deps.run(call))
    if (isSafe) this.#together.push(run)
    else {
      this.#together = []
      this.#barrier = run.catch(() => {})
    }
    return run
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#barrier, ...this.#together])
  }
}
