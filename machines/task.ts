/* One background task (SPEC 7). The registry sends what happened to the producer's work; first settlement wins.

     running ──KILL──▶ stopping ──SETTLE──▶ completed | killed | failed
        └──────────────SETTLE─────────────▶ completed | killed | failed

   | rule | |
   | --- | --- |
   | first-settlement | a settled task accepts nothing: it cannot settle, stop or fail again |
   | killed-when-done | KILL only asks; the task is `killed` when its producer is done, whatever it says then |
   | who-stopped | who asked first is kept apart from whether the model was told |
   | told | TOLD is remembered in every state: the completion notice is sent only to a model that was not told */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { SessionId, TaskId } from '../shared/ids.ts'

export type TaskStopper = 'model' | 'person' | 'host'
export type TaskEndStatus = 'completed' | 'failed' | 'killed'

export interface TaskContext {
  taskId: TaskId
  owner: SessionId | null
  stoppedBy: TaskStopper | null
  modelTold: boolean
}

export type TaskMachineEvent =
  | { type: 'KILL'; by: TaskStopper }
  /** The producer is done. */
  | { type: 'SETTLE'; status: TaskEndStatus }
  /** The model has seen the end, or asked for it. */
  | { type: 'TOLD' }

export const taskMachine = setup({
  types: {
    context: {} as TaskContext,
    events: {} as TaskMachineEvent,
    input: {} as { taskId: TaskId; owner: SessionId | null },
  },
  guards: {
    isCompleted: ({ event }) => event.type === 'SETTLE' && event.status === 'completed',
    isKilled: ({ event }) => event.type === 'SETTLE' && event.status === 'killed',
  },
  actions: {
    rememberStopper: assign({ stoppedBy: ({ event }) => (event.type === 'KILL' ? event.by : null) }),
    rememberTold: assign({ modelTold: true }),
  },
}).createMachine({
  id: 'task',
  context: ({ input }) => ({ taskId: input.taskId, owner: input.owner, stoppedBy: null, modelTold: false }),
  initial: 'live',
  states: {
    live: {
      initial: 'running',
      on: { TOLD: { actions: 'rememberTold' } },
      states: {
        running: {
          on: {
            KILL: { target: 'stopping', actions: 'rememberStopper' },
            SETTLE: [
              { guard: 'isCompleted', target: '#task.settled.completed' },
              { guard: 'isKilled', target: '#task.settled.killed' },
              { target: '#task.settled.failed' },
            ],
          },
        },
        stopping: { on: { SETTLE: '#task.settled.killed' } },
      },
    },
    settled: {
      on: { TOLD: { actions: 'rememberTold' } },
      states: { completed: {}, killed: {}, failed: {} },
      initial: 'completed',
    },
  },
})

export type TaskActor = ActorRefFrom<typeof taskMachine>
export type TaskSnapshot = SnapshotFrom<typeof taskMachine>

export type TaskStatus = 'running' | 'stopping' | TaskEndStatus

export function statusOf(snapshot: TaskSnapshot): TaskStatus {
  if (snapshot.matches({ live: 'running' })) return 'running'
  if (snapshot.matches({ live: 'stopping' })) return 'stopping'
  if (snapshot.matches({ settled: 'completed' })) return 'completed'
  return snapshot.matches({ settled: 'killed' }) ? 'killed' : 'failed'
}
