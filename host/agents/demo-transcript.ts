/* How the guide reads a transcript: who spoke last, about which panel, and what was answered. It keeps no state
   of its own, so it goes on after a restart, a fork or a rewind as if nothing had been. */
import { z } from 'zod'
import type { AssistantPart } from '../../shared/message.ts'
import { languageOf, type DemoLanguage } from './demo-language.ts'
import { demoSurfaceNames, demoSurfaces, type DemoSurfaceName } from './demo-surfaces.ts'
import type { ModelMessage } from './port.ts'

export type ToolResults = Extract<ModelMessage, { role: 'tool' }>['results']
type ToolCall = Extract<AssistantPart, { type: 'tool-call' }>

export interface Answer {
  label: string
  lines: readonly string[]
}

/** A submitted panel, read back from its message text (SPEC 6.4). `surface` is null for one the guide does not know. */
export interface Submission {
  surface: DemoSurfaceName | null
  language: DemoLanguage
  title: string
  answers: readonly Answer[]
  note: readonly string[]
}

export interface TranscriptView {
  /** Nobody answered in this session yet. */
  isFirst: boolean
  /** The last message of a person or the host, `''` where there is none. */
  text: string
  language: DemoLanguage
  /** The submission that started this turn. */
  submission: Submission | null
  /** `text` came into a running turn: what the turn is about stands before it. */
  isSteering: boolean
  /** `text` is an ordinary message behind an open panel, which it closed. */
  isBypass: boolean
  /** Results of the guide's last step that it has not answered yet. */
  results: ToolResults
}

export function viewTranscript(messages: readonly ModelMessage[]): TranscriptView {
  const textIndex = messages.findLastIndex((message) => message.role === 'user')
  const startIndex = turnStart(messages, textIndex)
  const text = userText(messages[textIndex])
  const submission = readSubmission(userText(messages[startIndex]), messages.slice(0, Math.max(startIndex, 0)))
  const previous = messages[textIndex - 1]
  const last = messages.at(-1)
  const isSteering = startIndex !== textIndex
  const answered = last?.role === 'tool' ? last : isSteering ? previous : undefined
  return {
    isFirst: !messages.slice(0, Math.max(startIndex, 0)).some((message) => message.role === 'assistant'),
    text,
    language: submission?.language ?? languageOf(spokenText(text, messages)),
    submission,
    isSteering,
    isBypass: !isSteering && submission === null && isOpeningStep(previous),
    results: answered?.role === 'tool' ? answered.results : [],
  }
}

/** Where the turn began: steering stands right behind a step's results, unless that step opened a panel and ended it. */
function turnStart(messages: readonly ModelMessage[], userIndex: number): number {
  const previous = messages[userIndex - 1]
  if (previous?.role !== 'tool' || isOpeningStep(previous) || previous.results.some(({ isError }) => isError))
    return userIndex
  const earlier = messages.slice(0, userIndex).findLastIndex((message) => message.role === 'user')
  return earlier < 0 ? userIndex : turnStart(messages, earlier)
}

function userText(message: ModelMessage | undefined): string {
  return message?.role === 'user' ? message.text : ''
}

function isOpeningStep(message: ModelMessage | undefined): boolean {
  return message?.role === 'tool' && message.results.some(isOpening)
}

/** A finished task, reported by the host in English whatever the person speaks. It names the task's id and status. */
export function isHostNotice(text: string): boolean {
  return /\b(bash|pwsh|pty-send|subagent)-[A-Za-z0-9]+\b/.test(text) && /\b(completed|failed|killed)\b/.test(text)
}

function spokenText(text: string, messages: readonly ModelMessage[]): string {
  if (!isHostNotice(text)) return text
  return userText(messages.findLast((message) => message.role === 'user' && !isHostNotice(message.text)))
}

function isOpening(result: ToolResults[number]): boolean {
  return result.name === 'show_task_surface' && !result.isError
}

const shownSchema = z.object({ model: z.object({ title: z.string() }) })

/** The titles of the panels that were opened, newest first. */
function shownTitles(messages: readonly ModelMessage[]): string[] {
  const opened = new Set(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.filter(isOpening).map(({ callId }) => callId) : [],
    ),
  )
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part): part is ToolCall => part.type === 'tool-call') : [],
  )
  return calls
    .filter((call) => opened.has(call.callId))
    .flatMap((call) => titleOf(call.arguments))
    .reverse()
}

function titleOf(argumentsText: string): string[] {
  try {
    const parsed = shownSchema.safeParse(JSON.parse(argumentsText))
    return parsed.success ? [parsed.data.model.title.trim().replace(/\s+/g, ' ')] : []
  } catch {
    return []
  }
}

function readSubmission(text: string, before: readonly ModelMessage[]): Submission | null {
  const [title, ...lines] = text.split('\n')
  if (title === undefined || !shownTitles(before).includes(title)) return null
  if (!lines.every((line) => line === '' || line === 'Note:' || /^(- |  \| )/.test(line))) return null
  const answers: { label: string; lines: string[] }[] = []
  const note: string[] = []
  let target = note
  for (const line of lines) {
    if (line.startsWith('  | ')) target.push(line.slice(4))
    else if (line === 'Note:') target = note
    else if (line.startsWith('- ')) {
      const end = line.search(/:(?: |$)/)
      const value = line.slice(end + 2)
      const answer = { label: end === -1 ? '' : line.slice(2, end), lines: end === -1 || value === '' ? [] : [value] }
      answers.push(answer)
      target = answer.lines
    }
  }
  const known = knownSurface(title)
  return { surface: known?.name ?? null, language: known?.language ?? languageOf(title), title, answers, note }
}

function knownSurface(title: string): { name: DemoSurfaceName; language: DemoLanguage } | undefined {
  for (const name of demoSurfaceNames) {
    if (demoSurfaces[name].en.title === title) return { name, language: 'en' }
    if (demoSurfaces[name].zh.title === title) return { name, language: 'zh' }
  }
  return undefined
}
