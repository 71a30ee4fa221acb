/* What a tool row says beside the tool's name: an icon, the argument that matters, how it stands. Pure. An
   unknown tool gets the neutral icon and its first short argument. */
import type { Json } from '../../shared/json.ts'
import { textOf } from '../../shared/message.ts'
import type { IconName, Tone } from '../icon.tsx'
import type { ToolResult } from '../session/session-state.ts'
import { duration } from '../time.ts'
import type { ToolUse } from './blocks.ts'
import { transcriptTexts } from './transcript-texts.ts'

const iconByTool: ReadonlyMap<string, IconName> = new Map<string, IconName>([
  ['bash', 'i-term'],
  ['pwsh', 'i-term'],
  ['terminal_send', 'i-term'],
  ['run_code', 'i-term'],
  ['read_file', 'i-file'],
  ['write_file', 'i-file'],
  ['edit_file', 'i-file'],
  ['subagent', 'i-sub'],
  ['ask_user_question', 'i-ask'],
  ['show_task_surface', 'i-plate'],
  ['task_list', 'i-tasks'],
  ['task_output', 'i-tasks'],
  ['task_kill', 'i-tasks'],
  // Kinds of work that agent programs name in place of a tool.
  ['execute', 'i-term'],
  ['read', 'i-file'],
  ['edit', 'i-file'],
  ['delete', 'i-file'],
  ['move', 'i-file'],
  ['search', 'i-search'],
  ['fetch', 'i-out'],
  ['think', 'i-agent'],
  ['switch_mode', 'i-gear'],
])

export function iconOf(tool: string): IconName {
  return iconByTool.get(tool) ?? 'm-neutral'
}

/** Keys whose value tells the call apart, the most telling first. */
const tellingKeys = [
  'command',
  'path',
  // As agent programs spell it.
  'file_path',
  'filePath',
  'absolute_path',
  'pattern',
  'description',
  'input',
  'taskId',
  'prompt',
  'title',
  'query',
  'url',
  'name',
]
const longestArgument = 300

function inputOf(use: ToolUse): Json {
  if (use.call !== null) return use.call.data.arguments
  try {
    const parsed: Json = JSON.parse(use.written)
    return parsed
  } catch {
    return null
  }
}

function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, longestArgument)
}

/** `mono`: a machine reads it. */
export function argumentOf(use: ToolUse): { text: string; mono: boolean } {
  const input = inputOf(use)
  if (use.name === 'ask_user_question') {
    const questions = member(input, 'questions')
    const count = Array.isArray(questions) ? questions.length : 1
    return { text: transcriptTexts.text('questions', { count }), mono: false }
  }
  if (use.name === 'show_task_surface') {
    const title = member(member(input, 'model'), 'title')
    return { text: typeof title === 'string' ? oneLine(title) : '', mono: false }
  }
  if (use.name === 'run_code') {
    const code = member(input, 'code')
    return { text: typeof code === 'string' ? oneLine(code) : '', mono: true }
  }
  for (const key of tellingKeys) {
    const value = member(input, key)
    if (typeof value === 'string' && value.trim() !== '') return { text: oneLine(value), mono: key !== 'description' }
  }
  if (typeof input !== 'object' || input === null) return { text: oneLine(use.written), mono: true }
  const first = Object.values(input).find((value) => typeof value === 'string' || typeof value === 'number')
  return { text: first === undefined ? '' : oneLine(String(first)), mono: true }
}

export interface Standing {
  mark: IconName
  tone: Tone
  word: string
}

function errorWord(result: ToolResult): Standing {
  const { text } = transcriptTexts
  const code = result.data.error?.code ?? ''
  const exitCode = member(result.data.meta, 'exitCode')
  if (/DENIED/.test(code)) return { mark: 'm-dismissed', tone: 'plain', word: text('denied') }
  if (/DECLINED/.test(code)) return { mark: 'm-dismissed', tone: 'plain', word: text('declined') }
  if (/INTERRUPTED|ABORTED|CANCELLED/.test(code))
    return { mark: 'm-killed', tone: 'plain', word: text('toolInterrupted') }
  if (code === 'TASK_SURFACE_OPEN') return { mark: 'm-failed', tone: 'bad', word: text('surfaceOpen') }
  if (code === 'INVALID_MODEL') return { mark: 'm-failed', tone: 'bad', word: text('invalidModel') }
  if (code === 'UNKNOWN_TOOL') return { mark: 'm-failed', tone: 'bad', word: text('unknownTool') }
  if (typeof exitCode === 'number') return { mark: 'm-failed', tone: 'bad', word: text('exit', { code: exitCode }) }
  return { mark: 'm-failed', tone: 'bad', word: text('failed') }
}

/** `+5 −2` for an edit that says so, how a command failed, else how long it took. */
export function standingOfResult(use: ToolUse, result: ToolResult): Standing {
  if (result.data.isError === true) return errorWord(result)
  const { meta } = result.data
  const [added, removed] = [member(meta, 'added'), member(meta, 'removed')]
  const failure = failureWord(meta)
  if (failure !== null) return { mark: 'm-failed', tone: 'bad', word: failure }
  if (typeof added === 'number' && typeof removed === 'number') {
    return { mark: 'm-completed', tone: 'plain', word: `+${added} −${removed}` }
  }
  return { mark: 'm-completed', tone: 'plain', word: use.call === null ? '' : duration(result.time - use.call.time) }
}

/** A command that ran and did not end well; the call itself succeeded. */
function failureWord(meta: Json | undefined): string | null {
  const [exitCode, signal] = [member(meta, 'exitCode'), member(meta, 'signal')]
  if (member(meta, 'timedOut') === true) return transcriptTexts.text('timedOut')
  if (typeof exitCode === 'number' && exitCode !== 0) return transcriptTexts.text('exit', { code: exitCode })
  return typeof signal === 'string' ? transcriptTexts.text('endedBy', { signal }) : null
}

export function outputOf(result: ToolResult): string {
  const text = textOf(result.data.content)
  return text === '' ? (result.data.error?.message ?? '') : text
}

/** The input as the model wrote it, in a form a person can read. */
export function writtenInput(use: ToolUse): string {
  const input = inputOf(use)
  const command = member(input, 'command') ?? member(input, 'code')
  if (typeof command === 'string') return command
  return input === null ? use.written : JSON.stringify(input, null, 2)
}
