/* `task-surface check`: reads the files and prints what `shared/surface/check.ts` says about them. Needs no host and no
   data folder. */
import { readFileSync } from 'node:fs'
import { checkSurface, type CheckOutput } from '../../shared/surface/check.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { CommandError } from './command-error.ts'

/** Judges by the default limits: they are the contract, while a host's own settings are its business. */
export function checkFiles(modelFile: string, valuesFile: string | undefined): CheckOutput {
  const valuesText = valuesFile === undefined ? undefined : readText(valuesFile)
  return checkSurface(readText(modelFile), valuesText, defaultTaskSurfaceLimits)
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    throw new CommandError(`cannot read ${file}: ${cause instanceof Error ? cause.message : 'unknown reason'}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError(`${file} is not UTF-8 text`)
  }
}
