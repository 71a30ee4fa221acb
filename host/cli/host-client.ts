/* How a command talks to the host that runs on a data folder: the same methods and schemas as any client, over
   `POST /rpc`. */
import { z } from 'zod'
import type { MethodName, Params } from '../../shared/protocol/methods.ts'
import { CommandError } from './command-error.ts'
import type { RunningHost } from './data-folder.ts'

/** A running host that does not answer in this time is not going to. */
const answerMs = 10_000

const responseSchema = z.union([
  z.object({ result: z.unknown() }),
  z.object({ error: z.object({ message: z.string() }) }),
])

/** The result, for the method's own schema to parse. Rejects with `CommandError` where the host cannot be reached or refuses. */
export async function askHost<Name extends MethodName>(
  host: RunningHost,
  method: Name,
  params: Params<Name>,
): Promise<unknown> {
  let response: unknown
  try {
    const reply = await fetch(new URL('/rpc', host.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(answerMs),
    })
    response = await reply.json()
  } catch (cause) {
    throw new CommandError(`the host at ${host.url} does not answer`, { cause })
  }
  const answer = responseSchema.safeParse(response)
  if (!answer.success) throw new CommandError(`the host at ${host.url} gave an answer that cannot be read`)
  if ('error' in answer.data) throw new CommandError(answer.data.error.message)
  return answer.data.result
}
