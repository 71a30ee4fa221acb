/* SPEC 2 and 14: on every path of session, turn, surface, question, approval and task the host dies by SIGKILL before and
   behind every write and every publication, and the next one is compared with the machine and with what was shown.
   TASK_SURFACE_CRASH_PARTS names machines, TASK_SURFACE_CRASH_LANES hosts that run side by side, TASK_SURFACE_CRASH_EVERY
   a part of the places. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { CrashWalks } from './crash-walk.ts'
import { walksOfApproval, walksOfQuestion } from './person-walks.ts'
import { runMatrix, type Figures } from './matrix.ts'
import { walksOfSession } from './session-walks.ts'
import { walksOfSurface } from './surface-walks.ts'
import { walksOfTask } from './task-walks.ts'
import { walksOfTurn } from './turn-walks.ts'

const walksByMachine: Readonly<Record<string, CrashWalks>> = {
  surface: walksOfSurface,
  session: walksOfSession,
  turn: walksOfTurn,
  question: walksOfQuestion,
  approval: walksOfApproval,
  task: walksOfTask,
}

// oxlint-disable-next-line node/no-process-env
const {
  TASK_SURFACE_CRASH_PARTS: parts,
  TASK_SURFACE_CRASH_LANES: lanes,
  TASK_SURFACE_CRASH_EVERY: every,
} = process.env
const machines = parts === undefined ? Object.keys(walksByMachine) : parts.split(',')

const output = fileURLToPath(new URL('../output/', import.meta.url))
mkdirSync(output, { recursive: true })
writeFileSync(`${output}crash.log`, '')
const say = (line: string) => {
  appendFileSync(`${output}crash.log`, `${line}\n`)
  process.stdout.write(`${line}\n`)
}

/** Minutes on two free cores; a busy machine must not decide. */
const timeout = 3 * 60 * 60_000

const all: Figures[] = []
afterAll(() => writeFileSync(`${output}crash-figures.json`, JSON.stringify(all, null, 2)))

test.for(machines)(
  'durable-first: every path of %s, dead at every write and every publication',
  { timeout },
  async (machine) => {
    const walks = walksByMachine[machine]
    if (walks === undefined)
      throw new Error(`there is no machine ${machine}; there are ${Object.keys(walksByMachine).join()}`)
    const figures = await runMatrix({
      machine,
      walks: walks(),
      lanes: Number(lanes ?? 3),
      every: Number(every ?? 1),
      say,
    })
    all.push(figures)
    say(`${machine}: ${JSON.stringify(figures.kills)} missed ${figures.missed.length}`)
    expect(figures.failures.join('\n\n')).toBe('')
    expect(figures.missed).toEqual([])
  },
)
