/* The values behind `host:` names: bound to the first value seen for the name, that value from then on. Two names
   never share an id, because the host mints each. */
import { randomUUID } from 'node:crypto'
import type { Json } from '../../shared/json.ts'

export class Bindings {
  readonly #valueByName = new Map<string, Json>()

  /** What to send for `name`: a name without a value stands for any id the host never made. */
  toSend(name: string): string {
    if (!isBound(name)) return name
    const value = this.#valueByName.get(name)
    return typeof value === 'string' ? value : `never-made-${randomUUID()}`
  }

  /** What to expect for `name`; undefined where nothing was seen for it yet. */
  known(name: string): Json | undefined {
    return isBound(name) ? this.#valueByName.get(name) : name
  }

  /** True where `seen` is what `name` stands for, from now on at the latest. */
  bind(name: string, seen: Json | undefined): boolean {
    if (!isBound(name)) return seen === name
    if (seen === undefined) return false
    const known = this.#valueByName.get(name)
    if (known !== undefined) return known === seen
    if (typeof seen === 'string' && [...this.#valueByName.values()].includes(seen)) return false
    this.#valueByName.set(name, seen)
    return true
  }

  /** For failure messages. */
  toString(): string {
    return JSON.stringify(Object.fromEntries(this.#valueByName))
  }
}

function isBound(name: string): boolean {
  return name.startsWith('host:')
}
