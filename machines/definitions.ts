/* Every machine of the product by its id, and as the JSON that draws it: guards and actions are named, so a machine's
   config without its functions is the whole chart. */
import type { AnyStateMachine } from 'xstate'
import type { Json } from '../shared/json.ts'
import { jsonSchema } from '../shared/json.ts'
import { approvalMachine } from './approval.ts'
import { composerMachine } from './composer.ts'
import { connectionMachine } from './connection.ts'
import { dockMachine } from './dock.ts'
import { questionMachine } from './question.ts'
import { sessionMachine } from './session.ts'
import { surfaceMachine } from './surface.ts'
import { taskMachine } from './task.ts'
import { turnMachine } from './turn.ts'

export const machineById: Readonly<Record<string, AnyStateMachine>> = {
  session: sessionMachine,
  turn: turnMachine,
  surface: surfaceMachine,
  question: questionMachine,
  approval: approvalMachine,
  task: taskMachine,
  connection: connectionMachine,
  composer: composerMachine,
  dock: dockMachine,
}

/** The configs, in the order above. */
export function machineDefinitions(): Json[] {
  return Object.values(machineById).map(({ config }) => jsonSchema.parse(JSON.parse(JSON.stringify(config))))
}
