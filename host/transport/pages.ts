/* What a browser gets by GET (SPEC 8, 12): health, the start link, the web client. The client's files hold no
   secret, so the shell and its assets need no token; everything it then asks for does. Pure over header texts. */
import { isOwnHost, sameToken, setCookie, type AccessRules } from './access.ts'
import { textReply, type Reply } from './reply.ts'
import { fileReply, type StaticFiles } from './static-files.ts'

export interface PageRequest {
  /** As sent, not decoded: the paths of the client need no escapes. */
  path: string
  query: string
  host: string
  acceptEncoding: string
  ifNoneMatch: string
}

/** Addresses that the client itself reads: settings, each session, and the views of a session. */
const clientPath = /^\/(?:settings|s\/[^/]+(?:\/[a-z-]+)?)\/?$/

/** `isTicket`: whether a text opens the start link although it is not the token; asked once for each. */
export function pageReply(
  rules: AccessRules,
  files: StaticFiles,
  request: PageRequest,
  isTicket: (given: string) => boolean,
): Reply {
  if (!isOwnHost(rules, request.host)) return textReply('403 Forbidden', 'This Host is not served here.\n')
  if (request.path === '/healthz') return textReply('200 OK', 'ok')
  if (request.path === '/') {
    const token = new URLSearchParams(request.query).get('token')
    if (token !== null) return startLinkReply(rules, sameToken(token, rules.token) || isTicket(token))
  }
  const path = request.path === '/' || clientPath.test(request.path) ? '/index.html' : request.path
  const file = files.get(path)
  if (file !== undefined) return fileReply(file, request.acceptEncoding, request.ifNoneMatch)
  if (path === '/index.html')
    return textReply('503 Service Unavailable', 'The web client is not built: run "npm run build".\n')
  if (path === '/ws')
    return textReply('426 Upgrade Required', 'This address speaks WebSocket.\n', [['Upgrade', 'websocket']])
  return textReply('404 Not Found', 'Nothing here.\n')
}

function startLinkReply(rules: AccessRules, isValid: boolean): Reply {
  if (!isValid) {
    return textReply('403 Forbidden', 'This start link is not valid. Open the one that the running host printed.\n')
  }
  return textReply('303 See Other', '', [
    ['Location', '/'],
    ['Set-Cookie', setCookie(rules)],
  ])
}
