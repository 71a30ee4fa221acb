/* Who may speak to the host (SPEC 12), as pure decisions over header texts. It knows no server; `server.ts`
   asks it before anything else is done with a request.

   - access/host: the Host header must be one of the names the host answers to, whole and with its port, so a name
     that was rebound to this machine is refused.
   - access/origin: an Origin must be the host's own; none at all is fine with a bearer token, for programs.
   - access/token: cookie or bearer, compared in constant time.
   - access/session-token: an address that is for one session takes that session's own token as well, which opens
     nothing else.
   A foreign Host or Origin is 403 whatever the token; a missing or wrong token is 401. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'

/** Header texts as they came; an absent header is ''. */
export interface Credentials {
  host: string
  origin: string
  cookie: string
  authorization: string
}

export interface AccessRules {
  token: string
  /** Port in the name: browsers keep one cookie jar for all ports of a name. */
  cookieName: string
  /** Lower case, each with its port as a browser writes it. */
  hosts: ReadonlySet<string>
  /** `http://` and one of the hosts. */
  origins: ReadonlySet<string>
}

export type Verdict =
  | { allowed: true; by: 'bearer' | 'cookie' }
  | { allowed: false; status: 401 | 403; message: string }

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The rules of a host that listens on `port` of `boundHost`. A wildcard address is reached under the machine's own
 * addresses, so those are passed as `ownAddresses`; an address, unlike a name, cannot be rebound.
 */
export function accessRules(options: {
  token: string
  boundHost: string
  port: number
  ownAddresses: readonly string[]
}): AccessRules {
  const { token, boundHost, port } = options
  const wildcard = boundHost === '0.0.0.0' || boundHost === '::'
  const names = [...loopbackNames, ...(wildcard ? options.ownAddresses : [boundHost]).map(hostName)]
  const hosts = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
  return {
    token,
    cookieName: `task_surface_${port}`,
    hosts,
    origins: new Set([...hosts].map((host) => `http://${host}`)),
  }
}

/** A name or address as it stands in a URL: IPv6 in brackets. */
export function hostName(address: string): string {
  const name = address.toLowerCase()
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
}

/** Whether the request was meant for this host at all. Asked for every request, the empty shell included. */
export function isOwnHost(rules: AccessRules, host: string): boolean {
  return rules.hosts.has(host.toLowerCase())
}

/** Sockets and POST: everything that reads or changes state. `own`: a further token that opens this one address. */
export function judge(rules: AccessRules, credentials: Credentials, own?: string): Verdict {
  if (!isOwnHost(rules, credentials.host))
    return { allowed: false, status: 403, message: 'this Host is not served here' }
  const { origin } = credentials
  if (origin !== '' && !rules.origins.has(origin.toLowerCase())) {
    return { allowed: false, status: 403, message: 'this Origin may not speak to the host' }
  }
  const bearer = bearerOf(credentials.authorization)
  if (bearer !== null) {
    const isOwn = own !== undefined && sameToken(bearer, own)
    return isOwn || sameToken(bearer, rules.token) ? { allowed: true, by: 'bearer' } : unauthorised
  }
  const cookie = cookieOf(credentials.cookie, rules.cookieName)
  if (cookie === null || !sameToken(cookie, rules.token)) return unauthorised
  if (origin === '') return { allowed: false, status: 403, message: 'a browser session needs an Origin' }
  return { allowed: true, by: 'cookie' }
}

/**
 * The token that opens `/mcp?session=ID` and nothing else. Derived, so that it is the same after a restart and nothing is
 * kept; who has it learns nothing about the host's own.
 */
export function sessionToken(token: string, sessionId: SessionId): string {
  return createHmac('sha256', token).update(`mcp-session:${sessionId}`).digest('base64url')
}

/** Who may use the MCP endpoint, and the one session its address is for; `bound` is null where it names none. */
export function judgeMcp(
  rules: AccessRules,
  credentials: Credentials,
  query: string,
): { verdict: Verdict; bound: SessionId | null } {
  const named = new URLSearchParams(query).get('session')
  if (named === null) return { verdict: judge(rules, credentials), bound: null }
  const bound = sessionIdSchema.safeParse(named)
  if (bound.success) {
    return { verdict: judge(rules, credentials, sessionToken(rules.token, bound.data)), bound: bound.data }
  }
  const verdict = judge(rules, credentials)
  return { verdict: verdict.allowed ? unauthorised : verdict, bound: null }
}

const unauthorised: Verdict = { allowed: false, status: 401, message: 'a valid token is needed' }

function bearerOf(authorization: string): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null
}

/** The value of one cookie, decoded; null where it is absent or no valid text. */
export function cookieOf(header: string, name: string): string | null {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at === -1 || pair.slice(0, at).trim() !== name) continue
    try {
      return decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return null
    }
  }
  return null
}

/** The header that hands the token to the browser; scripts cannot read it and other sites cannot send it. */
export function setCookie(rules: AccessRules): string {
  return `${rules.cookieName}=${encodeURIComponent(rules.token)}; Path=/; HttpOnly; SameSite=Strict`
}

/** Constant time in both texts: digests of equal length are compared, never the texts. */
export function sameToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
