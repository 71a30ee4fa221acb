/* Lines of a file that somebody names: an ordinary one, read once from beginning to end, and no line in it may fill the
   memory of the host. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** UTF-16 units of one line. An append of the log is at most 8 MiB. */
export const maxLineUnits = 16 * 1024 * 1024

/** Null in place of a line that is too long, and the end. Rejects with the error of the system. */
export async function* fileLines(file: string): AsyncGenerator<string | null> {
  // Opened without waiting: a pipe with nobody at its other end would hold a thread for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error('it is no ordinary file'), { code: 'EINVAL' })
    let rest: string[] = []
    let restUnits = 0
    for await (const chunk of handle.createReadStream({ encoding: 'utf8', autoClose: false })) {
      const [first = '', ...others] = String(chunk).split('\n')
      rest.push(first)
      restUnits += first.length
      for (const next of others) {
        yield withoutReturn(rest.join(''))
        rest = [next]
        restUnits = next.length
      }
      if (restUnits > maxLineUnits) return yield null
    }
    if (restUnits > 0) yield withoutReturn(rest.join(''))
  } finally {
    await handle.close()
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
