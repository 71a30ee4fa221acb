/* What a failed model call means (SPEC 5): whether trying again can help, and words for the person. The text
   never holds a key, a header or the configured address: the provider's own message is redacted and trimmed,
   and the original error, which carries address and request, is not chained. */
import { ModelError } from './port.ts'

export interface FailureContext {
  /** Texts that must never show, whatever a server echoes: the key, the base URL. */
  secrets: readonly string[]
  /** Where the key comes from, named when it is refused. */
  keyName: string
  /** Epoch milliseconds, for a `retry-after` that is a date. */
  now: number
}

/** Code points of a provider's message that are shown. */
const messageMaxLength = 300

/** A shorter key, as local servers take, is a placeholder; redacting it would eat ordinary words. */
const secretMinLength = 4

export function modelErrorOf(error: unknown, context: FailureContext): ModelError {
  const failure = asRecord(error)
  const status = failure['statusCode']
  if (typeof status === 'number' && status >= 400) return fromStatus(status, failure, context)
  const code = networkCode(error)
  if (code !== undefined) return fromNetwork(code)
  switch (failure['name']) {
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
      return new ModelError('transient', 'The answer was cut off before its end.')
    case 'AI_JSONParseError':
    case 'AI_TypeValidationError':
    case 'AI_APICallError':
      return new ModelError('transient', 'The provider sent something that is not a model answer.')
    default:
      return error instanceof Error
        ? new ModelError('permanent', sentence('The model call failed', undefined, error.message, context))
        : fromStreamError(failure, context)
  }
}

function fromStatus(status: number, failure: Record<string, unknown>, context: FailureContext): ModelError {
  const reported = reportedError(failure['responseBody'])
  const message = reported.message ?? text(failure['message'])
  const words = permanentWords(status, reported.code, message, context)
  if (words !== undefined) return new ModelError('permanent', sentence(words, status, message, context))
  const retryAfterMs = retryAfter(asRecord(failure['responseHeaders']), context.now)
  const busy = status === 429 || status === 503 || status === 529
  const transient = sentence(busy ? 'The provider is busy' : 'The provider has a problem', status, message, context)
  return new ModelError('transient', transient, retryAfterMs === undefined ? {} : { retryAfterMs })
}

/** Undefined: trying again may help. */
function permanentWords(status: number, code: string, message: string, context: FailureContext): string | undefined {
  if (code.includes('insufficient_quota')) return 'The account has no credit left'
  if (status >= 500 || status === 408 || status === 409 || status === 429) return undefined
  if (isContextOverflow(code, message) || status === 413) return 'The conversation is too long for this model'
  if (isContentRefusal(code)) return 'The provider refused to answer this'
  switch (status) {
    case 401:
      return `The key was refused; check ${context.keyName}`
    case 403:
      return 'The provider denied access'
    case 404:
      return 'The provider does not know this model or address'
    default:
      return 'The provider did not accept the request'
  }
}

/** An error object inside a stream that began well. It has no status; mostly the server broke down midway. */
function fromStreamError(failure: Record<string, unknown>, context: FailureContext): ModelError {
  const code = `${text(failure['code'])} ${text(failure['type'])}`
  const status = typeof failure['code'] === 'number' ? failure['code'] : Number(failure['code'])
  const message = text(failure['message'])
  if (status >= 400 && status < 600) {
    return fromStatus(status, { message, responseBody: JSON.stringify({ error: failure }) }, context)
  }
  if (isContextOverflow(code, message)) {
    return new ModelError(
      'permanent',
      sentence('The conversation is too long for this model', undefined, message, context),
    )
  }
  if (isContentRefusal(code)) {
    return new ModelError('permanent', sentence('The provider refused to answer this', undefined, message, context))
  }
  if (/invalid_request|authentication|permission|not_found|insufficient_quota/.test(code)) {
    return new ModelError('permanent', sentence('The provider did not accept the request', undefined, message, context))
  }
  return new ModelError('transient', sentence('The provider broke off the answer', undefined, message, context))
}

function isContextOverflow(code: string, message: string): boolean {
  if (/context_length_exceeded|string_above_max_length/.test(code)) return true
  return /context (length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the .{0,40}context/i.test(
    message,
  )
}

function isContentRefusal(code: string): boolean {
  return /content_filter|content_policy|moderation/.test(code)
}

const certificateCode = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_)/

function fromNetwork(code: string): ModelError {
  if (certificateCode.test(code)) {
    return new ModelError('permanent', `The certificate of the model server is not trusted (${code}).`)
  }
  switch (code) {
    case 'ECONNREFUSED':
      return new ModelError('transient', 'Nothing answers at the address of the model server (connection refused).')
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ModelError('transient', 'The name of the model server cannot be found.')
    default:
      return new ModelError('transient', `The connection to the model server broke (${code}).`)
  }
}

/** The system's or undici's code of a failed connection, from anywhere in the chain of causes. */
function networkCode(error: unknown): string | undefined {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const code = asRecord(current)['code']
    if (typeof code === 'string' && (/^(E[A-Z]|UND_ERR_)/.test(code) || certificateCode.test(code))) return code
    if (
      current instanceof TypeError &&
      /^(fetch failed|terminated)$/i.test(current.message) &&
      current.cause === undefined
    ) {
      return 'UND_ERR_SOCKET'
    }
    current = current.cause
  }
  return undefined
}

/** Milliseconds a server asked to wait. */
function retryAfter(headers: Record<string, unknown>, now: number): number | undefined {
  const ms = Number.parseFloat(text(headers['retry-after-ms']))
  if (Number.isFinite(ms)) return Math.max(0, Math.round(ms))
  const value = text(headers['retry-after'])
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000)
  const date = value === '' ? Number.NaN : Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Servers differ: `{error: {message, code}}`, `{error: text}`, `{message}`, `{detail}`, or plain text. */
function reportedError(body: unknown): { message: string | undefined; code: string } {
  if (typeof body !== 'string' || body.trim() === '') return { message: undefined, code: '' }
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return { message: body.trimStart().startsWith('<') ? undefined : body, code: '' }
  }
  const outer = asRecord(parsed)
  const inner = asRecord(outer['error'])
  const message = [inner['message'], outer['error'], outer['message'], outer['detail']].find(
    (value) => typeof value === 'string',
  )
  return { message, code: `${text(inner['code'])} ${text(inner['type'])}`.trim() }
}

function sentence(words: string, status: number | undefined, message: string, context: FailureContext): string {
  const head = status === undefined ? words : `${words} (${status})`
  const shown = shownMessage(message, context.secrets)
  return shown === '' ? `${head}.` : `${head}: ${shown}`
}

function shownMessage(message: string, secrets: readonly string[]): string {
  let shown = message
  for (const secret of secrets) {
    if (secret.length >= secretMinLength) shown = shown.replaceAll(secret, '…')
  }
  shown = shown
    .replace(/\b(sk|pk|key)-[\w*.-]{6,}/gi, '…')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const points = Array.from(shown)
  return points.length <= messageMaxLength ? shown : `${points.slice(0, messageMaxLength).join('')}…`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(ownEntries(value)) : {}
}

/** Own members, and what an error keeps out of enumeration. */
function ownEntries(value: object): [string, unknown][] {
  const entries: [string, unknown][] = Object.entries(value)
  return value instanceof Error ? [...entries, ['name', value.name], ['message', value.message]] : entries
}
