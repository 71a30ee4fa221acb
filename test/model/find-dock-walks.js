/* Finds the walks of `dock-walks.ts` anew, when the machine or what a page can do to it has changed. Takes a minute. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const load = async (name) => {
  const file = fileURLToPath(new URL(name, import.meta.url))
  return (await runnerImport(file, { configFile: false, logLevel: 'error' })).module
}
const { dockModel } = await load('dock-paths.ts')
const { pageWalks, unexplained } = await load('page-walks.ts')

const untilDoubt = [
  'a page opens',
  's-1 is named',
  'the host says open',
  'the person types',
  'the person sends',
  'sending fails',
  'the host cannot say',
]
/** Deeper than a search goes. */
const scripts = [
  [...untilDoubt, 'the wait is over', 'the host cannot say', 'the wait is over', 'the host cannot say'],
  [...untilDoubt, 'the connection goes', 'the wait is over'],
]
const { walks, targets } = pageWalks({ ...dockModel, scripts, maxSearch: 3_000 })
for (const target of unexplained(targets, dockModel.leftOut)) process.stderr.write(`not walked: ${target}\n`)
const quoted = walks.map(({ moves }) => moves.map(({ name }) => `    '${name}',\n`).join(''))
const text = `/* The walks of the dock in the page, by the names of their moves (\`dock-paths.ts\`). Found by \`find-dock-walks.js\`. */
export const keptWalks: readonly (readonly string[])[] = [
${quoted.map((lines) => `  [\n${lines}  ],\n`).join('')}]
`
writeFileSync(new URL('dock-walks.ts', import.meta.url), text)
