/* The built-in tools in their fixed order (SPEC 5): what a model is told depends on the composition and on nothing
   that happened. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TaskSurfaceId } from '../../shared/ids.ts'
import type { TaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { Clock } from '../clock.ts'
import type { TaskHost } from '../tasks/task-host.ts'
import { askUserQuestion } from './ask-user-question.ts'
import { createEditFile } from './edit-file.ts'
import { createReadFile } from './read-file.ts'
import { createRunCode } from './run-code.ts'
import { createBash, createPwsh } from './shell.ts'
import { createShowTaskSurface } from './show-task-surface.ts'
import { createSubagent, type SubagentDeps } from './subagent.ts'
import { createTaskKill } from './task-kill.ts'
import { createTaskList } from './task-list.ts'
import { createTaskOutput } from './task-output.ts'
import { createTerminalSend } from './terminal-send.ts'
import type { Tool } from './tool.ts'
import { createWriteFile } from './write-file.ts'

export interface BuiltInDeps {
  clock: Clock
  tasks: TaskHost
  /** Closed to file tools. */
  dataDir: string
  umask: number
  /** Null: this machine has none. */
  pwshFile: string | null
  surfaceLimits: TaskSurfaceLimits
  mintSurfaceId: () => TaskSurfaceId
  startSubagent: SubagentDeps['start']
  /** File that runs the thread of `run_code`. */
  sandboxFile: string
}

const sandboxLimits = {
  cpuMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  maxCalls: 200,
  maxOutputLength: 4 * 1024 * 1024,
} as const

export function builtInTools(deps: BuiltInDeps): Tool[] {
  const { clock, tasks, dataDir, umask, pwshFile } = deps
  const { registry, processes, results, terminals } = tasks
  const shell = { clock, registry, processes, results, umask }
  const tools = [
    createShowTaskSurface({ limits: deps.surfaceLimits, mintSurfaceId: deps.mintSurfaceId }),
    askUserQuestion,
    createBash(shell),
    ...(pwshFile === null ? [] : [createPwsh(shell, pwshFile)]),
    createTerminalSend({ registry, terminals }),
    createSubagent({ start: deps.startSubagent, tasks: registry }),
    createTaskList({ registry }),
    createTaskOutput({ registry }),
    createTaskKill({ registry }),
    createReadFile({ results, dataDir }),
    createWriteFile({ dataDir, umask }),
    createEditFile({ dataDir, umask }),
  ]
  const sandbox = { clock, workerFile: deps.sandboxFile, limits: sandboxLimits }
  return [...tools, createRunCode({ sandbox, results }, tools)]
}

/** Where PowerShell lies on this machine, by the search path of its commands; null where there is none. */
export function findPwsh(environment: Readonly<Record<string, string>>): string | null {
  const name = process.platform === 'win32' ? 'pwsh.exe' : 'pwsh'
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
