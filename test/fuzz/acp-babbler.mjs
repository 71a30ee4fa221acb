/* An agent program that answers each request with whatever lines a file says, `$ID` and `$SESSION` put in: what a program
   with a fault might say. A method that the file does not name gets an honest answer. After its lines it says so in a
   second file. */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [scriptFile, doneFile] = process.argv.slice(2)
const honest = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'the-session' },
  'session/prompt': { stopReason: 'end_turn' },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (method === undefined || id === undefined) return
  const script = JSON.parse(readFileSync(scriptFile, 'utf8'))
  const lines = script[method] ?? [JSON.stringify({ jsonrpc: '2.0', id, result: honest[method] ?? null })]
  for (const text of lines) {
    process.stdout.write(`${text.replaceAll('$ID', JSON.stringify(id)).replaceAll('$SESSION', 'the-session')}\n`)
  }
  if (script[method] !== undefined) appendFileSync(doneFile, `${method}\n`)
})
