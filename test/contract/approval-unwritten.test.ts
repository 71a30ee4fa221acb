/* A person's decision that could not be written (SPEC 2 and 5): the call does not go on, and the desk that was asked hears
   that nothing is decided, also where the call is a subagent's and its session alone begins again. */
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createMemoryStore } from '../../host/log/memory-store.ts'
import type { LogStore } from '../../host/log/port.ts'
import { startSubagent } from '../../host/session/subagent-service.ts'
import { defineTool } from '../../host/tools/tool.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { startInProcessHost, type InProcessHost } from '../harness/in-process-host.ts'
import { scriptedAgent, startScriptedModel } from '../harness/scripted-model.ts'

type ApprovalFrame = Extract<SessionFrame, { type: `approval/${string}` }>

const ran: string[] = []

const guarded = defineTool({
  name: 'guarded',
  description: 'Asks first.',
  input: z.strictObject({}),
  asks: () => 'May it run?',
  execute: (_, { session }) => void ran.push(session.sessionId),
  render: () => 'It ran.',
})

test('first-decision: one that was not written is withdrawn from the desk of the parent, and nothing runs', async () => {
  const bare = createMemoryStore()
  let fails = false
  const store: LogStore = {
    ...bare,
    async appendGroup(appends, options) {
      const isDecision = appends.some(({ bodies }) => bodies.some((body) => body.includes('approval/decided')))
      if (!fails || !isDecision) return bare.appendGroup(appends, options)
      fails = false
      return appends.map(() => ({ kind: 'unavailable', cause: new Error('no disk') }))
    },
  }
  const model = await startScriptedModel()
  const changes = new Changes()
  model.watchers.add(changes)
  let host: InProcessHost | null = null
  const delegate = defineTool({
    name: 'delegate',
    description: 'Hands it on.',
    input: z.strictObject({}),
    async execute(_, { session, callId, signal }) {
      if (host === null) throw new Error('no host')
      const request = { parent: session.sessionId, callId, prompt: 'the work', label: 'work', signal } as const
      const { done } = await startSubagent(host.directory, { ...request, mode: 'foreground' })
      return (await done).status
    },
    render: (__, status) => status,
  })
  host = await startInProcessHost(store, model.baseUrl, { tools: [guarded, delegate] })
  onTestFinished(async () => {
    await host?.close()
    await model.close()
  })
  const client = await Client.connect(host.address, changes)
  const { session } = await client.call('session.create', { agent: scriptedAgent, approval: 'ask' })
  const view = await client.open(session.id)
  await client.call('inspect.subscribe', { sessionId: session.id })
  await client.call('session.send', { sessionId: session.id, messageId: 'm1', text: 'begin' })
  const call = (text: string) =>
    changes.until(() => model.calls.find((each) => each.isParked && each.userTexts.at(-1) === text), text)
  ;(await call('begin')).answerCalls([{ name: 'delegate', arguments: {} }])
  ;(await call('the work')).answerCalls([{ name: 'guarded', arguments: {} }])
  const frame = <Type extends ApprovalFrame['type']>(type: Type) =>
    client.frames.find((each): each is Extract<ApprovalFrame, { type: Type }> => each.type === type)
  const { approvalId } = await changes.until(() => frame('approval/requested'), 'the request')
  fails = true
  const decision = { sessionId: session.id, approvalId, decision: 'allow' }
  expect(await client.ask('approval.decide', decision)).toMatchObject({ ok: false, error: { code: -32010 } })
  expect(await changes.until(() => frame('approval/resolved'), 'the withdrawal')).toMatchObject({
    approvalId,
    outcome: 'cancelled',
  })
  const moves = () =>
    client.frames.flatMap((each) =>
      each.type === 'actor/inspect' && each.entry.machine === 'approval' ? [each.entry.to] : [],
    )
  expect(moves()).toEqual(['pending', 'cancelled'])
  expect(await client.call('approval.decide', decision)).toEqual({ accepted: false, reason: 'not-pending' })
  ;(await call('begin')).answerText('Then not.')
  await changes.until(() => view.eventsOf('turn/end').length === 1, 'the end of the parent’s turn')
  expect(ran).toEqual([])
  client.drop()
})
