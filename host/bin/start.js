/* `npm start`: whatever a checkout still lacks, then `task-surface serve` in this very process, so that signals and
   the exit code need no forwarding. */
import { ensureBuilt, ensureInstalled } from './prepare.js'

ensureInstalled()
ensureBuilt()
process.argv.splice(2, 0, 'serve')
await import('../../dist/run/main.js')
