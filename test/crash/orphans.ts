/* Processes that outlived the host that started them, found without the product's help: every command carries the data
   folder in its environment. */
import { readdirSync, readFileSync } from 'node:fs'

/** `host`: the one that runs now; what it has started itself is no orphan. */
export function orphansOf(dataDir: string, host: number): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === host) return []
    try {
      const mark = readFileSync(`/proc/${name}/environ`, 'latin1')
        .split('\0')
        .find((line) => line.startsWith('TASK_SURFACE_TASK='))
      if (mark === undefined || !mark.includes(dataDir)) return []
      return [`${name} ${readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()}`]
    } catch {
      return []
    }
  })
}
