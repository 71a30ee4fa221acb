/* Answers out of a fixed list of options: one rule for a model's `initial` and a submission's values (SPEC 6.1, 6.4).
   `known` holds the option ids in declared order; null where the options themselves cannot be read, and then membership is
   not judged, because their own problem says it already. */
import { pointer } from '../json-pointer.ts'
import type { Report } from './reader.ts'

export type KnownIds = ReadonlySet<string> | null

export function readChoice(value: unknown, known: KnownIds, path: string, report: Report): string {
  if (typeof value !== 'string') {
    report(path, 'must be the id of an option')
    return ''
  }
  if (known !== null && !known.has(value)) report(path, 'is not the id of an option')
  return value
}

/** Distinct ids, put into declared order. */
export function readChoices(value: unknown, known: KnownIds, path: string, report: Report): string[] {
  const chosen = readDistinct(value, known, path, report)
  return known === null || chosen === null ? [] : [...known].filter((id) => chosen.has(id))
}

/** Every option exactly once, in the order given. */
export function readOrder(value: unknown, known: KnownIds, path: string, report: Report): string[] {
  const order = readDistinct(value, known, path, report)
  if (order === null) return []
  if (known !== null && [...known].some((id) => !order.has(id))) report(path, 'must hold every option exactly once')
  return [...order]
}

function readDistinct(value: unknown, known: KnownIds, path: string, report: Report): Set<string> | null {
  if (!Array.isArray(value)) {
    report(path, 'must be a list of option ids')
    return null
  }
  const seen = new Set<string>()
  for (const [index, id] of value.entries()) {
    const at = pointer(path, index)
    if (typeof id !== 'string') report(at, 'must be the id of an option')
    else if (known !== null && !known.has(id)) report(at, 'is not the id of an option')
    else if (seen.has(id)) report(at, 'stands in the list already')
    else seen.add(id)
  }
  return seen
}
