/* The address of the page: one per session (SPEC 9). Parsing and printing are pure; `createRouter` keeps
   the history of the browser in step. */
import { type SessionId, sessionIdSchema } from '../shared/ids.ts'
import { createStore, type ReadableStore } from './store.ts'

/** `pane` names a view of the session in place of its conversation, such as `lifecycles`. */
export type Route =
  | { view: 'new' }
  | { view: 'settings' }
  | { view: 'session'; sessionId: SessionId; pane: string | null }
  | { view: 'unknown' }

export function parseRoute(pathname: string): Route {
  if (pathname === '/' || pathname === '') return { view: 'new' }
  if (pathname === '/settings') return { view: 'settings' }
  const parts = /^\/s\/([^/]+)(?:\/([a-z-]+))?\/?$/.exec(pathname)
  const sessionId = sessionIdSchema.safeParse(parts?.[1])
  return sessionId.success
    ? { view: 'session', sessionId: sessionId.data, pane: parts?.[2] ?? null }
    : { view: 'unknown' }
}

export function pathOf(route: Route): string {
  switch (route.view) {
    case 'new':
    case 'unknown':
      return '/'
    case 'settings':
      return '/settings'
    case 'session':
      return `/s/${route.sessionId}${route.pane === null ? '' : `/${route.pane}`}`
    default: {
      const never: never = route
      return never
    }
  }
}

export interface Router extends ReadableStore<Route> {
  go(route: Route, options?: { replace?: boolean }): void
  dispose(): void
}

export function createRouter(page: Window): Router {
  const state = createStore(parseRoute(page.location.pathname))
  const read = () => state.setState(parseRoute(page.location.pathname))
  page.addEventListener('popstate', read)
  return {
    ...state,
    go(route, options) {
      const path = pathOf(route)
      if (path !== page.location.pathname) {
        if (options?.replace === true) page.history.replaceState(null, '', path)
        else page.history.pushState(null, '', path)
      }
      state.setState(route)
    },
    dispose: () => page.removeEventListener('popstate', read),
  }
}
