/* Reading objects that nobody has checked yet: own members only, every problem reported with its path, nothing thrown.
   A reader that reports a problem returns a placeholder, so that reading goes on and finds the others; whoever started
   the reading throws the result away when something was reported.
   Members are a Map: an id such as `toString` can never reach a prototype. */
import { pointer } from '../json-pointer.ts'
import { prototypeKeys } from '../json.ts'
import { isBlank, oneLine, oneLineProblem, surrogateProblem, withLineFeeds } from './text-rules.ts'

export type Report = (path: string, message: string) => void

export interface Node {
  readonly path: string
  readonly members: ReadonlyMap<string, unknown>
  readonly report: Report
}

const surfaceId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readObject(input: unknown, path: string, report: Report): Node | null {
  if (isRecord(input)) return { path, members: new Map(Object.entries(input)), report }
  report(path, input === undefined ? 'is missing' : 'must be an object')
  return null
}

export function allowKeys(node: Node, known: readonly string[]): void {
  for (const key of node.members.keys()) {
    if (!known.includes(key)) node.report(pointer(node.path, key), 'is not a known key')
  }
}

export function problemAt(node: Node, key: string, message: string): void {
  node.report(pointer(node.path, key), message)
}

export function readList(node: Node, key: string, least: 0 | 1): readonly unknown[] | null {
  const value = node.members.get(key)
  if (!Array.isArray(value)) {
    problemAt(node, key, value === undefined ? 'is missing' : 'must be a list')
    return null
  }
  if (value.length < least) problemAt(node, key, 'must not be empty')
  return value
}

/** The names of the arm, or null after reporting; unknown arms are never read in part. */
export function readArm<Arm extends string>(node: Node, key: string, arms: readonly Arm[]): Arm | null {
  const value = node.members.get(key)
  const arm = arms.find((candidate) => candidate === value)
  if (arm !== undefined) return arm
  problemAt(node, key, value === undefined ? 'is missing' : `must be one of ${arms.join(', ')}`)
  return null
}

export function readFlag(node: Node, key: string): boolean {
  const value = node.members.get(key)
  if (value !== undefined && typeof value !== 'boolean') problemAt(node, key, 'must be true or false')
  return value === true
}

export function readId(node: Node): string {
  const value = readString(node, 'id')
  if (value === null) return ''
  if (!surfaceId.test(value)) {
    problemAt(node, 'id', 'must be 1 to 64 characters out of A-Z a-z 0-9 . _ : - and begin with a letter or a digit')
  } else if (prototypeKeys.has(value)) problemAt(node, 'id', 'is a reserved word')
  return value
}

export function readLine(node: Node, key: string): string {
  const value = readString(node, key)
  if (value === null) return ''
  const line = oneLine(value)
  const problem = oneLineProblem(line) ?? (line === '' ? 'must not be blank' : null)
  if (problem !== null) problemAt(node, key, problem)
  return line
}

/** A line that may be left out; a blank one is left out too. */
export function readOptionalLine(node: Node, key: string): string | undefined {
  if (node.members.get(key) === undefined) return undefined
  const value = readString(node, key)
  if (value === null) return undefined
  const line = oneLine(value)
  const problem = oneLineProblem(line)
  if (problem !== null) problemAt(node, key, problem)
  return line === '' ? undefined : line
}

/** Text that keeps its content, blank or not. */
export function readLongText(node: Node, key: string): string {
  const value = readString(node, key)
  if (value === null) return ''
  const text = withLineFeeds(value)
  const problem = surrogateProblem(text)
  if (problem !== null) problemAt(node, key, problem)
  return text
}

export function readNonBlankText(node: Node, key: string): string {
  const text = readLongText(node, key)
  if (typeof node.members.get(key) === 'string' && isBlank(text)) problemAt(node, key, 'must not be blank')
  return text
}

function readString(node: Node, key: string): string | null {
  const value = node.members.get(key)
  if (typeof value === 'string') return value
  problemAt(node, key, value === undefined ? 'is missing' : 'must be a string')
  return null
}
