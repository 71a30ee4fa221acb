/* The sandbox of `run_code` (SPEC 5): what code can do, and that nothing it does reaches the host. Real threads. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../host/clock.ts'
import { runInSandbox, type SandboxEnd, type SandboxLimits } from '../../host/code/sandbox.ts'

const workerFile = fileURLToPath(new URL('../../dist/run/code/sandbox-worker.js', import.meta.url))
/** Time for whatever is not about time, however busy the machine is. */
const limits: SandboxLimits = { cpuMs: 15_000, memoryBytes: 64 * 1024 * 1024, maxCalls: 20, maxOutputLength: 100_000 }

interface Ran {
  end: SandboxEnd
  calls: string[]
}

async function run(code: string, { signal = new AbortController().signal, cpuMs = limits.cpuMs } = {}): Promise<Ran> {
  const calls: string[] = []
  const end = await runInSandbox(
    { clock: systemClock, workerFile, limits: { ...limits, cpuMs } },
    {
      code,
      names: ['echo', 'fail'],
      signal,
      call: async (name, argumentsText) => {
        calls.push(`${name} ${argumentsText}`)
        return name === 'fail' ? { text: 'NO_LUCK: not today', isError: true } : { text: argumentsText, isError: false }
      },
    },
  )
  return { end, calls }
}

const returned = async (code: string, cpuMs = limits.cpuMs) => (await run(code, { cpuMs })).end
const value = (text: string) => ({ kind: 'returned', value: text, output: '' })
const failed = (message: RegExp) => ({ kind: 'failed', message: expect.stringMatching(message), output: '' })

describe('code', () => {
  it('returns what it returns, as text or JSON, and what it printed', async () => {
    expect(await returned('return "done"')).toEqual(value('done'))
    expect(await returned('return [1, { a: null }]')).toEqual(value('[\n  1,\n  {\n    "a": null\n  }\n]'))
    expect(await returned('console.log("a", 1, { b: [2] }); console.error(new Error("no"))')).toEqual({
      kind: 'returned',
      value: undefined,
      output: 'a 1 {"b":[2]}\nError: no\n',
    })
  })

  it('calls tools as functions; their text comes back, a failure is thrown', async () => {
    const { end, calls } = await run(`
      const texts = await Promise.all([tools.echo({ n: 1 }), tools.echo()])
      try { await tools.fail({}) } catch (error) { texts.push(error.message) }
      return texts.join(' | ')`)
    expect(end).toEqual(value('{"n":1} | {} | NO_LUCK: not today'))
    expect(calls).toEqual(['echo {"n":1}', 'echo {}', 'fail {}'])
  })

  it('says where it failed', async () => {
    expect(await returned('let a = 1\nthrow new TypeError("bad")')).toEqual(failed(/^TypeError: bad\n.*code\.js:3/s))
    expect(await returned('this is no code')).toEqual(failed(/^SyntaxError: .*code\.js:2/s))
    expect(await returned('await new Promise(() => {})')).toEqual(failed(/never comes/))
    expect(await returned('await tools.fail({})')).toEqual(failed(/NO_LUCK: not today/))
  })
})

describe('bounded', () => {
  it.each([
    ['an endless loop', 'for (;;);'],
    ['one that hides behind promises', 'for (;;) await null'],
    ['one that catches everything', 'for (;;) { try { for (;;); } catch {} }'],
    ['one in a job nobody waits for', 'Promise.resolve().then(() => { for (;;); }); await new Promise(() => {})'],
    ['a pattern that backtracks', 'return /(a+)+$/.test("a".repeat(60) + "b")'],
  ])('time: %s', async (_, code) => {
    expect(await returned(code, 300)).toEqual(failed(/^The code ran for more than 300 ms/))
  })

  it('time: waits for tools do not count', async () => {
    const clock = systemClock
    const signal = new AbortController().signal
    const cpuMs = 1_000
    const end = await runInSandbox(
      { clock, workerFile, limits: { ...limits, cpuMs } },
      {
        code: 'for (let n = 0; n < 3; n++) await tools.wait(); return "rested"',
        names: ['wait'],
        signal,
        call: async () => {
          await clock.sleep(cpuMs, signal)
          return { text: '', isError: false }
        },
      },
    )
    expect(end).toEqual(value('rested'))
  })

  it.each([
    ['many arrays', 'const kept = []; for (;;) kept.push(new Array(100_000).fill(0.5))'],
    ['a text that doubles', 'let text = "x"; for (;;) text += text'],
    ['recursion', 'const down = () => down() + 1; return down()'],
    ['one huge array', 'return new Uint8Array(2 ** 31).length'],
  ])('memory: %s', { timeout: 120_000 }, async (_, code) => {
    const before = process.memoryUsage().rss
    expect(await returned(code, 1_000)).toMatchObject({ kind: 'failed' })
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024)
  })

  it('calls: 10,000 at once are a readable error, and the host is asked for no more than the limit', async () => {
    const { end, calls } = await run(`
      const ends = await Promise.allSettled(Array.from({ length: 10_000 }, () => tools.echo({})))
      return ends.at(-1).reason.message + ' ' + ends.filter(({ status }) => status === 'fulfilled').length`)
    expect(end).toEqual(value('TOO_MANY_CALLS: at most 20 calls of tools in one run. 20'))
    expect(calls).toHaveLength(20)
  })

  it('output: what is printed and returned ends at the limit', async () => {
    const end = await returned(
      'for (let n = 0; n < 300; n++) console.log("x".repeat(1000)); return "y".repeat(500_000)',
    )
    expect(end).toMatchObject({ kind: 'returned' })
    if (end.kind !== 'returned') return
    expect(end.output.length).toBe(limits.maxOutputLength)
    expect(end.value?.length).toBe(limits.maxOutputLength)
  })
})

describe('closed', () => {
  it.each([
    ['process', 'return typeof process'],
    ['require', 'return typeof require'],
    ['fetch', 'return typeof fetch'],
    ['timers', 'return typeof setTimeout'],
    ['the thread', 'return typeof postMessage'],
    ['the doors of the sandbox', 'return typeof call + typeof print + typeof done'],
    ['a constructor’s way out', 'return typeof (() => {}).constructor("return this")().process'],
  ])('%s is not there', async (_, code) => {
    expect(await returned(code)).toEqual(value(code.includes('+') ? 'undefined'.repeat(3) : 'undefined'))
  })

  it('modules are not there', async () => {
    expect(await returned('return await import("node:fs")')).toEqual(failed(/could not load module/))
  })

  it.each([
    'Object.prototype.toJSON = () => { throw 1 }; return { a: 1 }',
    'JSON.stringify = () => "forged"; return { a: 1 }',
    'Promise.prototype.then = () => { throw 1 }; return { a: 1 }',
    'Array.prototype.map = () => { throw 1 }; console.log("x"); return { a: 1 }',
    'Object.defineProperty(globalThis, "tools", { value: 1 }); return { a: 1 }',
    'tools.echo = 1; return { a: 1 }',
  ])('tampering harms the code alone: %s', async (code) => {
    const end = await returned(code)
    expect(['returned', 'failed']).toContain(end.kind)
    if (end.kind === 'returned') expect(end.value).toBe('{\n  "a": 1\n}')
    expect(await returned('return { a: 1 }')).toEqual(value('{\n  "a": 1\n}'))
  })

  it('an interrupt ends it at once, however busy it is', async () => {
    const stop = new AbortController()
    const running = run('for (;;) await tools.echo({})', { signal: stop.signal })
    stop.abort()
    expect((await running).end).toEqual({ kind: 'aborted' })
  })
})
