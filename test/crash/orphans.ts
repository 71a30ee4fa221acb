/* Processes that outlived the host that started them, found without the product's help: a host of these tests has a home of
   its own, and whatever it starts inherits that. */
import { readdirSync, readFileSync } from 'node:fs'

/** `host`: the one that runs now; what it has started itself is no orphan. */
export function orphansOf(home: string, host: number): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === host) return []
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0')
      if (!environment.includes(`HOME=${home}`)) return []
      return [`${name} ${readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()}`]
    } catch {
      return []
    }
  })
}
