/* Where a program lies, by the search path that its process would have. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Null: there is none. `command` is a plain name or an absolute path. */
export function findProgram(command: string, environment: Readonly<Record<string, string>>): string | null {
  if (isAbsolute(command)) return isProgram(command) ? command : null
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute)
  const endings = process.platform === 'win32' ? ['.exe', ''] : ['']
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, command + ending)))
  return files.find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
