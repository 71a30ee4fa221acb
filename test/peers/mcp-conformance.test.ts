/* The protocol's own conformance suite and its Inspector (SPEC 11) against `/mcp`. Opt-in: `npm run test:peers`.

   Of the suite's server scenarios those run that ask for nothing but the protocol. The others want a server that offers
   fixtures under fixed names or features that this one does not have, and are no test of it: resources, prompts,
   completion, logging levels and sampling (none is offered), and every `tools-call-*`, `json-schema-*` and
   `elicitation-*` scenario (each calls a fixture tool such as `test_simple_text`). */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { McpScene, smallModel } from '../contract/mcp-bench.ts'
import { installed } from './peer-cache.ts'

const applicable = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]
const conformance = {
  label: 'Conformance',
  package: '@modelcontextprotocol/conformance',
  version: '0.1.13',
  command: 'conformance',
}
const inspector = {
  label: 'Inspector',
  package: '@modelcontextprotocol/inspector',
  version: '0.16.8',
  command: 'mcp-inspector',
}
const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
const installMs = 600_000

let scene: McpScene
let home: string
beforeAll(async () => {
  scene = await McpScene.open()
  home = mkdtempSync(join(tmpdir(), 'task-surface-peer-'))
  installed(conformance)
  installed(inspector)
}, installMs)
afterAll(async () => {
  await scene.close()
  rmSync(home, { recursive: true, force: true })
})

interface Ended {
  code: number
  output: string
}

function run(file: string, args: readonly string[]): Promise<Ended> {
  const { PATH = '' } = process.env
  return new Promise((resolve) => {
    const options = { cwd: home, env: { PATH, HOME: home, TASK_SURFACE_PORT: '0' }, timeout: 120_000 }
    const child = execFile(file, [...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    )
  })
}

/**
 * The suite cannot present a token, so this stands between: it adds the token and passes everything else on, a Host
 * or Origin that is its own as the host's.
 */
async function presentingToken(): Promise<{ url: string; close(): void }> {
  const { port, token } = scene.host.ready
  let ownPort = 0
  const server = createServer((asked, answer) => {
    const own = (text: string | undefined) => text?.replace(`:${ownPort}`, `:${port}`)
    const headers = {
      ...asked.headers,
      authorization: `Bearer ${token}`,
      host: own(asked.headers.host),
      ...(asked.headers.origin !== undefined && { origin: own(asked.headers.origin) }),
    }
    const passed = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  ownPort = bound.port
  return {
    url: `http://127.0.0.1:${ownPort}/mcp`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test.each(applicable)('mcp-conformance: %s passes', async (scenario) => {
  const between = await presentingToken()
  const { code, output } = await run(installed(conformance), ['server', '--url', between.url, '--scenario', scenario])
  between.close()
  expect(output).toMatch(/\b0 failed/)
  expect(code, output).toBe(0)
})

describe('mcp-inspector', () => {
  const header = () => ['--header', `Authorization: Bearer ${scene.host.ready.token}`]
  const http = () => ['--cli', scene.url, '--transport', 'http', ...header()]
  const stdio = () => ['--cli', process.execPath, mainFile, 'mcp', '--data', scene.folder.dataDir]
  const ways = [
    { way: 'Streamable HTTP', target: http },
    { way: 'standard input and output', target: stdio },
  ]

  test.each(ways)('mcp-inspector: lists and calls the tools over $way', async ({ target }) => {
    const listed = await run(installed(inspector), [...target(), '--method', 'tools/list'])
    expect(listed.output).toContain('"name": "show_task_surface"')
    const call = ['--method', 'tools/call', '--tool-name', 'show_task_surface', '--tool-arg']
    const shown = await run(installed(inspector), [...target(), ...call, `model=${JSON.stringify(smallModel)}`])
    expect(shown.output).toMatch(/The person now sees/)
  })

  test('mcp-inspector: a wrong token is refused in words', async () => {
    const wrong = ['--cli', scene.url, '--transport', 'http', '--header', 'Authorization: Bearer wrong']
    const { output } = await run(installed(inspector), [...wrong, '--method', 'tools/list'])
    expect(output).toContain('a valid token is needed')
  })
})
