/* What a person is told about a call that wants permission. Pure. Rule: APPR-WHOLE whatever the call says shows:
   in the summary, or as a fact of its own. */
import type { Json } from '../../../shared/json.ts'
import type { PendingApproval } from '../../session/session-state.ts'

export type Asked = 'command' | 'terminal' | 'write' | 'edit' | 'read' | 'code' | 'subagent' | 'any'

const askedByTool: ReadonlyMap<string, Asked> = new Map([
  ['bash', 'command'],
  ['pwsh', 'command'],
  ['terminal_send', 'terminal'],
  ['write_file', 'write'],
  ['edit_file', 'edit'],
  ['read_file', 'read'],
  ['run_code', 'code'],
  ['subagent', 'subagent'],
])

export function askedOf(tool: string): Asked {
  return askedByTool.get(tool) ?? 'any'
}

export type Fact =
  | { kind: 'purpose'; text: string }
  | { kind: 'background'; yes: boolean }
  | { kind: 'timeout'; ms: number }
  | { kind: 'input'; key: string; text: string }

function factOf(key: string, value: Json): Fact {
  if (key === 'description' && typeof value === 'string') return { kind: 'purpose', text: value }
  if (key === 'run_in_background' && typeof value === 'boolean') return { kind: 'background', yes: value }
  if (key === 'timeoutMs' && typeof value === 'number') return { kind: 'timeout', ms: value }
  return { kind: 'input', key, text: typeof value === 'string' ? value : JSON.stringify(value) }
}

/**
 * Whether `text` stands in `summary`, as the host writes it: with its codes for what cannot be seen, and every line
 * behind one and the same prefix, if any.
 */
function standsIn(summary: string, text: string): boolean {
  const [shown, wanted] = [plain(summary), plain(text)]
  if (shown.includes(wanted)) return true
  const [lines, parts] = [shown.split('\n'), wanted.split('\n')]
  return lines.some((first, at) => {
    if (!first.endsWith(parts[0] ?? '')) return false
    const prefix = first.slice(0, first.length - (parts[0] ?? '').length)
    return parts.every((part, index) => lines[at + index] === prefix + part)
  })
}

/** The parts of the input that the summary does not show. */
export function factsBeside({ summary, input }: PendingApproval): Fact[] {
  const shows = (value: Json) => typeof value === 'string' && standsIn(summary, value)
  if (shows(input)) return []
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [factOf('input', input)]
  return Object.entries(input).flatMap(([key, value]) =>
    value === undefined || shows(value) ? [] : [factOf(key, value)],
  )
}

/** Whether what is asked for has characters in it that show nothing; the host may have written them out already. */
export function hidesSomething({ summary, input }: PendingApproval): boolean {
  const texts = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  return [summary, ...texts].some((text) => typeof text === 'string' && text.search(unseen) >= 0)
}

export interface Piece {
  text: string
  /** Written out instead of a character that shows nothing or turns the line around. */
  code: boolean
}

/** Format and control characters, separators that look like spaces, code points of no meaning. Tab and LF are seen. */
const unseen =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u00A0\u115F\u1160\u2000-\u200A\u202F\u205F\u3164\uFFA0]/gu

/** Past so many pieces the codes stand in the text: a page of them is not worth a slow browser. */
const piecesAtMost = 2_000

/** As the host writes them in a summary: `^M`, `<U+202E>`. */
function codeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0
  if (point < 0x20) return `^${String.fromCharCode(point + 0x40)}`
  return `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`
}

function plain(text: string): string {
  return text.replaceAll(unseen, codeOf)
}

/** A command that a person allows must look like what runs: nothing in it may hide or pose as something else. */
export function visible(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (pieces.length > piecesAtMost) return [{ text: plain(text), code: true }]
    if (index > end) pieces.push({ text: text.slice(end, index), code: false })
    pieces.push({ text: codeOf(character), code: true })
    end = index + character.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), code: false })
  return pieces
}
