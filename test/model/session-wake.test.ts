/* Notices begin turns in a session at rest, as often as they may without a person's message (SPEC 7): real background
   tasks that end when the test says so, and the journal of the session against the machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { maxWakes } from '../../machines/session.ts'
import { HostStage } from '../harness/host-stage.ts'
import { scriptedAgent } from '../harness/scripted-model.ts'
import { wakeRefusal, wakeWalk, type SessionEvent, type SessionPath } from './session-host-paths.ts'

type Entry = { from: unknown; to: unknown; event: unknown; accepted: boolean }

const typesOf = ({ steps }: SessionPath): SessionEvent['type'][] => steps.map(({ event }) => event.type)
const typeOf = ({ event }: Entry): unknown =>
  typeof event === 'object' && event !== null && 'type' in event ? event.type : null

test(
  'wake: notices begin turns up to the bound, and the next is refused until a person says something',
  {
    timeout: 120_000,
  },
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'task-surface-wake-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    const stage = await HostStage.open()
    const client = await stage.connect()
    const { session } = await client.call('session.create', { agent: scriptedAgent, approval: 'auto', cwd })
    const sessionId = session.id
    const view = await client.open(sessionId)
    const tasks = Array.from({ length: maxWakes + 1 }, (_, n) => ({
      name: 'bash',
      arguments: { command: `until [ -e go-${n} ]; do sleep 0.05; done`, run_in_background: true },
    }))
    await client.call('session.send', { sessionId, messageId: 'm1', text: 'begin' })
    ;(await stage.call('begin')).answerCalls(tasks)
    ;(await stage.call('begin')).answerText('started')
    const ended = (turns: number) =>
      stage.until(() => view.status?.status === 'idle' && view.eventsOf('turn/end')[turns - 1], `turn ${turns}`)
    await ended(1)
    const entries = (): Entry[] =>
      client.frames.flatMap((frame) =>
        frame.type === 'actor/inspect' && frame.entry.machine === 'session' ? [frame.entry] : [],
      )
    const { actors } = await client.call('inspect.subscribe', { sessionId })
    expect(actors[0]?.snapshot).toMatchObject({ value: { live: 'idle' } })

    for (let n = 0; n < maxWakes; n += 1) {
      writeFileSync(join(cwd, `go-${n}`), '')
      const call = await stage.until(
        () => stage.model.calls.find(({ isParked }) => isParked),
        `the turn of notice ${n}`,
      )
      call.answerText('noted')
      await ended(n + 2)
      await stage.until(() => JSON.stringify(entries().at(-1)?.to) === '{"live":"idle"}', 'a session at rest again')
    }
    writeFileSync(join(cwd, `go-${maxWakes}`), '')
    const refused = await stage.until(() => entries().find(({ accepted }) => !accepted), 'the refusal')
    const moved = entries().filter(({ accepted }) => accepted)
    expect(moved.map(typeOf)).toEqual(typesOf(wakeWalk))
    expect(moved.map(({ to }) => to)).toEqual(wakeWalk.steps.map(({ snapshot }) => snapshot.value))
    expect(refused).toMatchObject({
      event: { type: wakeRefusal.event.type },
      from: { live: 'idle' },
      to: { live: 'idle' },
    })
    expect(view.eventsOf('turn/end')).toHaveLength(maxWakes + 1)
    // The person's next message brings what waited.
    await client.call('session.send', { sessionId, messageId: 'm2', text: 'and?' })
    const last = await stage.until(() => stage.model.calls.find(({ isParked }) => isParked), 'the turn of the person')
    expect(last.userTexts.at(-2)).toBe('and?')
    expect(last.userTexts.at(-1)).toContain(`go-${maxWakes}`)
    last.answerText('done')
    await ended(maxWakes + 2)
  },
)
