/* What a prompt hands to its turn of calls that may be our own tools (SPEC 11), on a clock that stands still. */
import { expect, it } from 'vitest'
import type { PromptEnd } from '../../../host/acp/conversation.ts'
import { PromptRun } from '../../../host/acp/prompt-run.ts'
import { StillClock } from '../tasks/still-clock.ts'

const announced = {
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: '{"model":{}}',
  kind: 'other',
  status: 'pending',
} as const

function prompted() {
  const clock = new StillClock()
  const conversation = {
    prompt: () => new Promise<PromptEnd>(() => {}),
    cancel() {},
    ended: new AbortController().signal,
    end() {},
  }
  const run = new PromptRun({ conversation, clock, silenceMs: 60_000 }, ['Ask.'])
  run.take(announced)
  const inside = () => void run.callInside({ name: 'show_task_surface', arguments: '{}' }, new AbortController().signal)
  return { clock, run, inside }
}

it('11: a call of an unknown kind gives way to the call of our own tool that it announced', async () => {
  const { clock, run, inside } = prompted()
  const next = run.next()
  inside()
  await clock.advance(299)
  await expect(next).resolves.toMatchObject({ kind: 'inside', name: 'show_task_surface' })
})

it.each([
  ['pending', 1_000],
  ['in_progress', 300],
] as const)('11: without such a call, one that is %s is shown once it has waited %d ms', async (status, ms) => {
  const { clock, run } = prompted()
  run.take({ ...announced, sessionUpdate: 'tool_call_update', status })
  let shown: unknown = null
  const next = run.next().then((happening) => (shown = happening))
  await clock.advance(ms - 1)
  expect(shown).toBeNull()
  await clock.advance(1)
  await next
  expect(shown).toMatchObject({ kind: 'calls', calls: [{ id: 't' }] })
})
