/* An HTTP answer as a value, and the headers that every answer carries (SPEC 12). Decisions about answers are
   made over these values; `server.ts` alone writes them. */
import type { ErrorCode } from '../../shared/protocol/errors.ts'
import { errorText } from '../rpc/engine.ts'

export interface Reply {
  /** Code and reason, as HTTP writes them: `200 OK`. */
  status: string
  headers: readonly (readonly [string, string])[]
  body: string | Buffer
  /** The rest of the request was not read, so the connection cannot be used again. */
  close?: true
}

/* Scripts, styles, fonts and connections of the host's own origin and nothing else. Style text is allowed inline
   because the component library sets one sheet of its own; model text never becomes markup, so it cannot use that.
   Popups keep their opener: the official inspector is opened as one. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const securityHeaders: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', contentSecurityPolicy],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  // The name of a link's host is looked up when somebody clicks it, not before.
  ['X-DNS-Prefetch-Control', 'off'],
]

const noStore = ['Cache-Control', 'no-store'] as const

export function textReply(status: string, body: string, headers: Reply['headers'] = []): Reply {
  return { status, headers: [['Content-Type', 'text/plain; charset=utf-8'], noStore, ...headers], body }
}

export function jsonReply(status: string, body: string): Reply {
  return { status, headers: [['Content-Type', 'application/json'], noStore], body }
}

/** A refusal of the transport, worded as a JSON-RPC error without id: the request was not read. */
export function refusal(status: string, code: ErrorCode, message: string): Reply {
  return jsonReply(status, errorText(null, code, message))
}
