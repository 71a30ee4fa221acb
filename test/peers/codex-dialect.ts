/* Codex groups the tools of a server under a namespace, which the scripted model does not know. This stands between: on
   the way there tools and calls carry one long name, on the way back namespace and name again. */
import { createServer } from 'node:http'
import { z } from 'zod'
import { closeServer, listenOnLoopback, readBody } from '../harness/loopback-server.ts'

const toolSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  tools: z.array(z.unknown()).optional(),
})
const requestSchema = z.looseObject({
  tools: z.array(toolSchema).default([]),
  input: z.array(z.looseObject({ name: z.string().optional(), namespace: z.string().optional() })).default([]),
})
const namedSchema = z.looseObject({ type: z.string(), name: z.string() })

/** Answers the address that stands for `modelUrl`, and how to close it. */
export async function speakCodex(modelUrl: string): Promise<{ url: string; close: () => Promise<void> }> {
  const namespaceByName = new Map<string, { namespace: string; name: string }>()

  const joined = (namespace: string, name: string) => {
    const long = `${namespace}__${name}`
    namespaceByName.set(long, { namespace, name })
    return long
  }

  function flat(body: string): string {
    const request = requestSchema.parse(JSON.parse(body))
    const tools = request.tools.flatMap((tool): z.infer<typeof toolSchema>[] => {
      const { type, name: namespace } = tool
      if (type !== 'namespace' || namespace === undefined) return [tool]
      return (tool.tools ?? []).map((inner) => {
        const named = namedSchema.parse(inner)
        return { ...named, name: joined(namespace, named.name) }
      })
    })
    const input = request.input.map(({ namespace, ...item }) =>
      namespace === undefined || item.name === undefined ? item : { ...item, name: joined(namespace, item.name) },
    )
    return JSON.stringify({ ...request, tools, input })
  }

  const grouped = (text: string) =>
    text.replaceAll(/"name":"([\w-]+)"/g, (whole, long: string) => {
      const found = namespaceByName.get(long)
      return found === undefined ? whole : `"namespace":"${found.namespace}","name":"${found.name}"`
    })

  const server = createServer((asked, answer) => {
    void (async () => {
      const body = await readBody(asked)
      if (body === null) return
      const headers = { 'content-type': 'application/json', authorization: asked.headers.authorization ?? '' }
      const post = { method: 'POST', headers, body: flat(body) }
      const response = await fetch(new URL(asked.url ?? '/', modelUrl), asked.method === 'POST' ? post : { headers })
      answer.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? 'text/plain' })
      answer.end(grouped(await response.text()))
    })().catch(() => answer.destroy())
  })
  const port = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
}
