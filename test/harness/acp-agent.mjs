/* A program that speaks the Agent Client Protocol and does what its prompt says: the last text of a prompt that is JSON
   is a list of steps. Everything it is told goes into a journal, one JSON object a line, in the file that the
   environment names. `node acp-agent.mjs <greeting>`: `refuse` wants a person to sign in, `none` never answers, `deaf` heeds
   no cancel, `slow` heeds it once the file of the journal has a neighbour `.heed`. */
import { agent, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'

const [greeting = 'kind'] = process.argv.slice(2)
const journalFile = process.env.ACP_JOURNAL ?? '/dev/null'
const journal = (entry) => appendFileSync(journalFile, `${JSON.stringify(entry)}\n`)

let server = null
let usage
let stopAsked = () => {}
let stopped = Promise.resolve()

journal({ kind: 'started', pid: process.pid, env: Object.keys(process.env), args: process.argv.slice(2) })

const options = [
  { optionId: 'yes-for-ever', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

async function callTool({ name, arguments: input }) {
  const client = new Client({ name: 'acp-agent', version: '1.0.0' })
  const headers = Object.fromEntries(server.headers.map(({ name: header, value }) => [header, value]))
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }))
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    return { text: content.map(({ text }) => text).join('\n'), isError }
  } finally {
    await client.close()
  }
}

/** Answers why the prompt stops, where a step says so. */
async function run(steps, { sessionId, client }) {
  const update = (fields) => client.notify('session/update', { sessionId, update: fields })
  const say = (sessionUpdate, text) => update({ sessionUpdate, content: { type: 'text', text } })
  for (const step of steps) {
    const [[kind, value]] = Object.entries(step)
    if (kind === 'say') await say('agent_message_chunk', value)
    else if (kind === 'think') await say('agent_thought_chunk', value)
    else if (kind === 'plan') await update({ sessionUpdate: 'plan', entries: value })
    else if (kind === 'call') await update({ sessionUpdate: 'tool_call', title: 'A tool', ...value })
    else if (kind === 'update') await update({ sessionUpdate: 'tool_call_update', ...value })
    else if (kind === 'permit') {
      const answer = await client.request('session/request_permission', { sessionId, toolCall: value, options })
      journal({ kind: 'permission', id: value.toolCallId, outcome: answer.outcome })
    } else if (kind === 'mcp') journal({ kind: 'mcp', name: value.name, ...(await callTool(value)) })
    else if (kind === 'together') await Promise.all(value.map((part) => run(part, { sessionId, client })))
    else if (kind === 'pauseMs') await new Promise((resolve) => setTimeout(resolve, value))
    else if (kind === 'raw') process.stdout.write(value)
    else if (kind === 'exit') {
      process.stderr.write('the engine fell off\n')
      process.exit(value)
    } else if (kind === 'hang') await new Promise(() => setInterval(() => {}, 60_000))
    else if (kind === 'untilCancelled') await stopped
    else if (kind === 'leave') {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], {
        detached: true,
        stdio: 'ignore',
      })
      journal({ kind: 'child', pid: child.pid })
    } else if (kind === 'usage') usage = value
    else if (kind === 'stop') return value
    else throw new Error(`unknown step ${kind}`)
  }
  return 'end_turn'
}

function stopOnceTold() {
  const looking = setInterval(() => {
    if (!existsSync(`${journalFile}.heed`)) return
    clearInterval(looking)
    stopAsked()
  }, 20)
}

function stepsIn(text) {
  try {
    const steps = JSON.parse(text)
    return Array.isArray(steps) ? steps : null
  } catch {
    return null
  }
}

agent({ name: 'acp-agent' })
  .onRequest('initialize', ({ params }) => {
    journal({ kind: 'initialize', params })
    if (greeting === 'none') return new Promise(() => setInterval(() => {}, 60_000))
    return { protocolVersion: params.protocolVersion, agentCapabilities: { mcpCapabilities: { http: true } } }
  })
  .onRequest('session/new', ({ params }) => {
    journal({ kind: 'session', params })
    if (greeting === 'refuse') throw RequestError.authRequired()
    server = params.mcpServers[0] ?? null
    return { sessionId: 'the-session' }
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const texts = params.prompt.map(({ text }) => text)
    journal({ kind: 'prompt', texts })
    usage = undefined
    stopped = new Promise((resolve) => {
      stopAsked = () => resolve('cancelled')
    })
    const steps = stepsIn(texts.at(-1)) ?? [{ say: 'Done.' }]
    const stopReason = await Promise.race([run(steps, { sessionId: params.sessionId, client }), stopped])
    journal({ kind: 'stopped', stopReason })
    return { stopReason, ...(usage !== undefined && { usage }) }
  })
  .onNotification('session/cancel', () => {
    journal({ kind: 'cancel' })
    if (greeting === 'slow') stopOnceTold()
    else if (greeting !== 'deaf') stopAsked()
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
