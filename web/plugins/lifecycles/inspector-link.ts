/* A window with an inspector in it, and the stream of one session into it. The protocol is that of `@statelyai/inspect`; this keeps
   its adapter, which would post to whatever is in the window, to the page that was agreed to. Loaded when somebody wants
   an inspector, opened when they have chosen which.

   | rule | |
   | --- | --- |
   | after-consent | opening the window is the first thing that happens, and only a choice calls this |
   | one-origin | nothing is posted before a page of the chosen origin asked in that very window, and to no other page then |
   | ends-with-window | a closed window ends it, and the host is told that nobody looks */
import { createBrowserInspector } from '@statelyai/inspect'
import { machineDefinitions } from '../../../machines/definitions.ts'
import { chartOf } from '../../../machines/chart.ts'
import type { Json } from '../../../shared/json.ts'
import { createStore, type ReadableStore } from '../../store.ts'
import { createInspectionStream, type InspectionStream } from './inspection-stream.ts'
import type { Sources } from './sources.ts'

export type InspectorPlace = 'here' | 'stately'

export interface InspectorLink {
  readonly sources: Sources
  readonly place: InspectorPlace
  /** `waiting`: no page in the window has asked yet. */
  readonly phase: ReadableStore<'waiting' | 'connected'>
  /** Tells the viewer that this was all; the window stays. */
  end(): void
}

export interface InspectorLinkDeps {
  sources: Sources
  place: InspectorPlace
  window: Window
  after: (delayMs: number, work: () => void) => () => void
  /** Called once, by `end` or when the window was closed. */
  onEnd: () => void
}

const officialUrl = 'https://stately.ai/inspect'
const lookDelayMs = 1_000

/** Null where the browser opens no window. */
export function openInspector({ sources, place, window: own, after, onEnd }: InspectorLinkDeps): InspectorLink | null {
  const isChosen = (origin: string) => (place === 'here' ? origin === own.location.origin : isOfStately(origin))
  const phase = createStore<'waiting' | 'connected'>('waiting')
  let opened: Window | null = null
  /** Of the page that asked. */
  let origin: string | null = null
  let stream: InspectionStream | null = null
  let listener: ((event: MessageEvent) => void) | null = null

  function receive(event: MessageEvent): void {
    if (opened === null || event.source !== opened || !isChosen(event.origin)) return
    ;({ origin } = event)
    listener?.(event)
    if (typeOfMessage(event.data) !== '@statelyai.connected') return
    stream?.tellAll()
    phase.setState('connected')
  }

  const inspector = createBrowserInspector({
    autoStart: false,
    url: place === 'here' ? new URL('/inspector.html', own.location.origin).href : officialUrl,
    // Everything is told again to each viewer that comes, so nothing is kept; what is sent is JSON already.
    maxDeferredEvents: 0,
    serialize: (event) => event,
    window: guarded(own, {
      open(url, name) {
        opened = own.open(url, name)
        const post = (message: unknown) => origin !== null && opened?.postMessage(message, origin)
        return opened === null ? null : { postMessage: post }
      },
      addEventListener: (_, given) => {
        listener = given
      },
    }),
  })
  inspector.start()
  if (opened === null) return null

  stream = createInspectionStream({
    feed: sources.feed,
    recorder: sources.recorder,
    ownConfig: ownConfigs(),
    send: (event) => inspector.adapter.send(event),
  })
  const letGo = sources.hold()
  own.addEventListener('message', receive)
  const leave = () => inspector.stop()
  own.addEventListener('pagehide', leave)
  let cancelLook = after(lookDelayMs, look)
  let isOver = false

  function look(): void {
    if (opened?.closed === true) return end()
    cancelLook = after(lookDelayMs, look)
  }

  function end(): void {
    if (isOver) return
    isOver = true
    cancelLook()
    own.removeEventListener('message', receive)
    own.removeEventListener('pagehide', leave)
    inspector.stop()
    stream?.dispose()
    letGo()
    onEnd()
  }

  return { sources, place, phase, end }
}

interface Guard {
  open(url: string, name: string): { postMessage(message: unknown): void } | null
  addEventListener(type: string, listener: (event: MessageEvent) => void): void
}

/** What the adapter sees of the page: it opens through this and hears through this. */
function guarded(own: Window, guard: Guard): Window {
  return new Proxy(own, {
    get(target, key) {
      if (key === 'open') return guard.open
      if (key === 'addEventListener') return guard.addEventListener
      return Reflect.get(target, key, target)
    },
  })
}

/** The inspector may move within its house. */
function isOfStately(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && (hostname === 'stately.ai' || hostname.endsWith('.stately.ai'))
}

function typeOfMessage(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined
}

function ownConfigs(): (machine: string) => Json | undefined {
  const configs = new Map(machineDefinitions().map((config) => [chartOf(config).id, config]))
  return (machine) => configs.get(machine)
}
