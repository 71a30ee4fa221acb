/* Composition root of the inspector's own page: the receiver of `@statelyai/inspect` in, the view out. It works without a network once it
   was loaded, and asks the host for nothing but its own files. */
import { createBrowserReceiver } from '@statelyai/inspect'
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import '../styles/tokens.css'
import '../styles/components.css'
import '../styles/shell.css'
import '../styles/inspector.css'
import { createPreferences } from '../preferences.ts'
import { browserStorage } from '../storage.ts'
import { InspectorPage } from './inspector-page.tsx'
import { isFromOpener, openerOnly } from './opener-only.ts'
import { createReceived } from './received.ts'

const preferences = createPreferences(browserStorage(), navigator.languages)
const received = createReceived(Date.now)

/** Messages come one by one; they are drawn together. */
let waiting: unknown[] = []
function take(message: unknown): void {
  waiting.push(message)
  if (waiting.length > 1) return
  setTimeout(() => {
    const messages = waiting
    waiting = []
    received.take(messages)
  })
}

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const { data } = event
  if (!isFromOpener(window, event) || typeof data !== 'object' || data === null || !('type' in data)) return
  if (data.type === '@statelyai.disconnected') received.lose()
})

function Root() {
  const { language } = useSyncExternalStore(preferences.subscribe, preferences.getState)
  return <InspectorPage received={received} language={language} isAlone={window.opener === null} />
}

const root = document.getElementById('root')
if (root === null) throw new Error('inspector.html has no root')
createRoot(root).render(
  <StrictMode>
    <Root />
  </StrictMode>,
)
// Last: it tells the other window that somebody is here to be told.
createBrowserReceiver({ window: openerOnly(window) }).subscribe(take)
