/* `npm run paths`: which transition and which refusal of each machine is walked where. The suites are TypeScript, so
   vite loads them. */
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const file = fileURLToPath(new URL('coverage.ts', import.meta.url))
const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' })
process.stdout.write(module.coverageText())
