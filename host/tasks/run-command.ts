/* A command as the work of a task (SPEC 7): what its end means. Knows nothing of tools. */
import type { Clock } from '../clock.ts'
import type { TaskEnd, TaskSpec } from './port.ts'
import type { Command, CommandEnd, Processes } from './processes.ts'

export interface CommandLimit {
  clock: Clock
  timeoutMs: number
}

/** `run` of a task spec. Rejects when the program cannot be started. */
export function runCommand(processes: Processes, command: Command, limit?: CommandLimit): TaskSpec['run'] {
  return async ({ id, signal, write, started }) => {
    const timeout = new AbortController()
    const stop = AbortSignal.any([signal, timeout.signal])
    const { leader, done } = await processes.run(command, { name: id, write, stop })
    started(leader)
    const over = new AbortController()
    if (limit !== undefined) {
      void limit.clock.sleep(limit.timeoutMs, over.signal).then(() => over.signal.aborted || timeout.abort())
    }
    const ended = async (): Promise<TaskEnd> => {
      const end = await done
      over.abort()
      if (signal.aborted) return { status: 'killed' }
      return timeout.signal.aborted ? { status: 'failed', detail: 'timed out' } : taskEndOf(end)
    }
    return { done: ended() }
  }
}

function taskEndOf({ code, signal }: CommandEnd): TaskEnd {
  if (signal !== null) return { status: 'failed', detail: `ended by ${signal}` }
  return code === 0 ? { status: 'completed' } : { status: 'failed', detail: `exit code ${code}` }
}
