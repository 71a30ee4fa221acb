/* Whatever code tries in code mode, against a real host under its own limits (SPEC 5): bounded, said in words, and the host
   serves others meanwhile. What the sandbox does with each is tested by itself in `test/contract/tools-code.test.ts`. */
import { expect, test } from 'vitest'
import { HostStage } from '../harness/host-stage.ts'
import { scriptedAgent } from '../harness/scripted-model.ts'

/** What code may try, and how the model reads that it came to nothing. */
const attempts: readonly (readonly [code: string, reads: RegExp])[] = [
  ['for (;;);', /^CODE_FAILED: The code ran for more than \d+ ms/],
  ['const kept = []; for (;;) kept.push(new Array(100_000).fill(0.5))', /^CODE_FAILED: .*(memory|more than \d+ ms)/is],
  ['Object.prototype.toJSON = () => "forged"; Promise.prototype.then = null; return { a: 1 }', /^"forged"$/],
  // It has harmed nobody but itself.
  ['return { a: 1 }', /^\{\n {2}"a": 1\n\}$/],
  [
    `const ends = await Promise.allSettled(Array.from({ length: 10_000 }, () => tools.task_list()))
     return ends.at(-1).reason.message`,
    /^TOO_MANY_CALLS: at most \d+ calls|^CODE_FAILED: The code ran for more/,
  ],
  ['return process.exit(1)', /^CODE_FAILED: ReferenceError: '?process'? is not defined/],
  ['return require("node:fs").readFileSync("/etc/passwd")', /^CODE_FAILED: ReferenceError: '?require'? is not defined/],
  ['return (await import("node:fs")).readFileSync("/etc/passwd")', /^CODE_FAILED: .*could not load module/s],
  ['return await fetch("http://127.0.0.1:1/")', /^CODE_FAILED: ReferenceError: '?fetch'? is not defined/],
  ['return (() => {}).constructor("return this")().process.pid', /^CODE_FAILED: TypeError/],
]

test(
  'code-bounds: whatever code tries is bounded and said in words, and the host serves others meanwhile',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const client = await stage.connect()
    const { session } = await client.call('session.create', {
      agent: scriptedAgent,
      approval: 'auto',
      toolMode: 'code',
    })
    const view = await client.open(session.id)
    await client.call('session.send', { sessionId: session.id, messageId: 'm1', text: 'begin' })
    const call = await stage.call('begin')
    const { bootId } = await client.call('host.describe', {})
    call.answerCalls(attempts.map(([text]) => ({ name: 'run_code', arguments: { code: text } })))
    await stage.until(() => view.eventsOf('tool/call')[0], 'the first attempt')
    // The endless loop runs now.
    const { id } = await stage.createSession(client)
    const other = await client.open(id)
    await client.call('session.send', { sessionId: id, messageId: 'm2', text: 'meanwhile' })
    ;(await stage.call('meanwhile')).answerText('here')
    await stage.until(() => other.eventsOf('turn/end')[0], 'the end of a turn beside it')
    expect(view.eventsOf('tool/result')).toEqual([])

    await expect
      .poll(() => view.eventsOf('tool/result').filter(({ data }) => data.name === 'run_code').length, {
        timeout: 90_000,
      })
      .toBe(attempts.length)
    const next = await stage.call('begin')
    expect(next.toolTexts).toHaveLength(attempts.length)
    for (const [index, [, reads]] of attempts.entries()) expect(next.toolTexts[index]).toMatch(reads)
    next.answerText('done')
    await stage.until(() => view.eventsOf('turn/end')[0], 'the end')
    expect(await client.call('host.describe', {})).toMatchObject({ bootId })
  },
)
