/* Output has one consuming cursor, and it is the model's: a reader for the browser would take what `task_output` will
   then never see (SPEC 7, note). */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    return /\.tsx?$/.test(name) ? [path] : []
  })
}

/** Code that speaks of a registry of tasks and calls a `read` on something. */
function callers(text: string): boolean {
  return /TaskRegistry|tasks\/(port|registry)\.ts|\btasks\b/.test(text) && /(?:registry|tasks)\??\.read\(/.test(text)
}

it('one-reader: of all sources only the tool task_output reads the output of tasks', () => {
  const files = ['host', 'web', 'machines', 'shared'].flatMap((folder) => sources(join(root, folder)))
  expect(files.length).toBeGreaterThan(100)
  const readers = files.filter((file) => callers(readFileSync(file, 'utf8'))).map((file) => relative(root, file))
  expect(readers).toEqual(['host/tools/task-output.ts'])
})

it('one-reader: the search finds a reader in the ways it would be written', () => {
  expect(callers('deps.tasks?.read(id, 10)')).toBe(true)
  expect(callers("import type { TaskRegistry } from './port.ts'\nthis.#registry.read(id, 10)")).toBe(true)
  expect(callers('const { tasks } = deps; await tasks.registry.read(id, 1)')).toBe(true)
  expect(callers('tasks.list(owner); file.read(buffer)')).toBe(false)
})

it('one-reader: no part but the task itself knows the buffer behind the cursor', () => {
  const files = ['host', 'web'].flatMap((folder) => sources(join(root, folder)))
  const users = files.filter((file) => /tasks?\/task-output\.ts|'\.\/task-output\.ts'/.test(readFileSync(file, 'utf8')))
  expect(users.map((file) => relative(root, file)).toSorted()).toEqual(['host/tasks/task.ts', 'host/tools/built-in.ts'])
})
