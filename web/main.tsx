/* Composition root of the page: the one place that touches the browser's globals, and the list of plugins. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/tokens.css'
import './styles/components.css'
import './styles/shell.css'
import './styles/record.css'
import './styles/desk.css'
import './styles/surface.css'
import './styles/tasks.css'
import { ClientProvider, createClient } from './client.tsx'
import { after, browserSocketDeps, soon } from './connection/browser-socket.ts'
import { createConnection } from './connection/connection.ts'
import { registerApprovals } from './plugins/approvals/approvals.tsx'
import { registerLifecycles } from './plugins/lifecycles/plugin.tsx'
import { registerQuestions } from './plugins/questions/questions.tsx'
import { registerSubagents } from './plugins/subagents/subagents.tsx'
import { registerTaskSurface } from './plugins/task-surface/plugin.tsx'
import { registerTasks } from './plugins/tasks/tasks.tsx'
import { createPageActors } from './page-actors.ts'
import { createPreferences } from './preferences.ts'
import { randomId } from './random-id.ts'
import { createRouter } from './router.ts'
import { App } from './shell/app.tsx'
import { createSlots } from './slots.ts'
import { browserStorage } from './storage.ts'

const storage = browserStorage()
const slots = createSlots()
const pageActors = createPageActors()
const connection = createConnection({ ...browserSocketDeps, noteActor: pageActors.note })
const client = createClient({
  connection,
  slots,
  router: createRouter(window),
  preferences: createPreferences(storage, navigator.languages),
  storage,
  pageActors,
  mintId: randomId,
  now: Date.now,
  after,
  soon,
})

registerQuestions(slots.scope(), client)
registerTaskSurface(slots.scope(), client)
registerApprovals(slots.scope(), client)
registerTasks(slots.scope(), client)
registerSubagents(slots.scope())
registerLifecycles(slots.scope(), client)

window.addEventListener('online', connection.woken)
window.addEventListener('pageshow', (event) => {
  if (event.persisted) connection.woken()
})
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') connection.woken()
  else client.flush()
})
window.addEventListener('pagehide', client.flush)

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no root')
createRoot(root).render(
  <StrictMode>
    <ClientProvider client={client}>
      <App />
    </ClientProvider>
  </StrictMode>,
)
// Last, so that nothing arrives before everyone listens.
connection.start()
