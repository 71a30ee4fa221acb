/* Every method of the wire with params that are wrong in some place, every envelope, and texts that are nothing at all, over
   the socket and by POST. The schema of a method says what must be refused; whatever is sent is answered, and the host
   goes on with what it had. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { methods, type MethodName } from '../../shared/protocol/methods.ts'
import { HostStage } from '../harness/host-stage.ts'
import { leaveFigures } from './figures.ts'
import { HostileSocket, type Answer } from './hostile-socket.ts'
import { HostileStage } from './hostile-stage.ts'
import { garbage, mutated } from './mutate.ts'
import { Random } from './random.ts'
import { paramsOf } from './samples.ts'
import { replayHint, seedsOf } from './seeds.ts'

const [seed = 0] = seedsOf(1, 1)
/** Of one method; half of them by POST. */
const eachMethod = 160
const envelopes = 1500
const volleyLength = 20

/** Parse, request, method, params; unknown session, conflict. */
const mayAnswer = new Set([-32700, -32600, -32601, -32602, -32004, -32009])

const totals = { 'method params': 0, envelopes: 0, refused: 0, accepted: 0, 'sockets closed': 0 }
let hostile: HostileStage
let socket: HostileSocket

beforeAll(async () => {
  hostile = await HostileStage.open(await HostStage.openShared())
  socket = new HostileSocket(hostile.stage.host)
})
afterAll(async () => {
  totals['sockets closed'] = socket.closed
  leaveFigures('wire', totals)
  socket.drop()
  await hostile.stage.close()
})

test.for(Object.keys(methods).filter(isMethod))('transport/garbage: params of %s', async (method) => {
  const random = new Random(seed * 1000 + method.length)
  await hostile.renew()
  for (let sent = 0; sent < eachMethod; sent += volleyLength) {
    const calls = Array.from({ length: volleyLength }, () => {
      const id = socket.nextId()
      const params = mutated(random, paramsOf(hostile.ids)[method])
      return { id, params, text: `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}` }
    })
    const byPost = random.chance(0.5)
    const answers = byPost ? await postAll(calls) : await sendAll(calls)
    for (const { params, text } of calls) judge(method, params, answers.get(text) ?? null, byPost)
  }
  await hostile.check()
})

test('transport/garbage: envelopes', async () => {
  const random = new Random(seed + 7)
  await hostile.renew()
  for (let sent = 0; sent < envelopes; sent += volleyLength) {
    const texts = Array.from({ length: volleyLength }, () => {
      const call = { jsonrpc: '2.0', id: 'x', method: 'session.history', params: { sessionId: hostile.ids.session } }
      const text = random.chance(0.6) ? mutated(random, call) : garbage(random, call)
      return random.chance(0.9) ? text : Buffer.from(text)
    })
    for (const answer of (await socket.volley(texts)) ?? []) {
      if (answer.error !== undefined) expect([...mayAnswer]).toContain(answer.error.code)
    }
    for (const text of texts.slice(0, 5)) {
      const { status, text: answered } = await socket.post(String(text))
      if (![200, 204, 202, 400, 413].includes(status))
        throw new Error(`${status} ${answered} to ${String(text).slice(0, 500)}`)
    }
    totals.envelopes += texts.length
  }
  await hostile.check()
})

async function sendAll(calls: readonly { id: string; text: string }[]): Promise<Map<string, Answer | null>> {
  const isOpen = (await socket.volley(calls.map(({ text }) => text))) !== null
  const answers = new Map<string, Answer | null>()
  for (const { id, text } of calls) answers.set(text, isOpen ? ((await socket.answerOf(id, text)) ?? null) : null)
  return answers
}

async function postAll(calls: readonly { text: string }[]): Promise<Map<string, Answer | null>> {
  const answered = await Promise.all(calls.map(({ text }) => socket.post(text)))
  return new Map(
    calls.map(({ text }, index): [string, Answer | null] => {
      const { status, text: body } = answered[index] ?? { status: 0, text: '' }
      if (status === 413) return [text, null]
      if (status !== 200) throw new Error(`${status} ${body} to ${text.slice(0, 1000)}`)
      const answer: Answer = JSON.parse(body)
      return [text, answer]
    }),
  )
}

/** What no schema lets in is refused as such; anything else is an answer of the contract. */
function judge(method: MethodName, params: string, answer: Answer | null, byPost: boolean): void {
  totals['method params'] += 1
  if (answer === null) return
  const shown = `${replayHint(seed)}\n${method} ${params.slice(0, 2000)}: ${JSON.stringify(answer).slice(0, 2000)}`
  const fits = methods[method].params.safeParse(JSON.parse(params)).success
  const { error } = answer
  totals[error === undefined ? 'accepted' : 'refused'] += 1
  if (byPost && error?.code === -32600) return
  // A file that cannot be read: no fault of the params, and none of this host's storage either.
  if (method === 'data.import' && fits && error?.code === -32010) return
  if (error === undefined ? !fits : fits ? !mayAnswer.has(error.code) : error.code !== -32602) throw new Error(shown)
  if (error === undefined && !methods[method].result.safeParse(answer.result).success) throw new Error(shown)
}

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name)
}
