/* Agent programs that fail (SPEC 11): whatever they do ends in words for a person, nothing of them is left running, and
   no key reaches whom it is not meant for. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { AcpScene, plantedKey, plantedSecret, shown, type JournalEntry } from './acp-bench.ts'

const timeout = 60_000
let scene: AcpScene
beforeAll(async () => {
  scene = await AcpScene.open({
    greetings: { refusing: 'refuse', deaf: 'deaf', slow: 'slow' },
    programs: {
      absent: { command: 'no-such-program' },
      relative: { command: './agent' },
      odd: { command: 'node', arguments: [] },
      nonsense: { command: '/bin/sh', args: ['-c', 'yes "{ not json"'] },
      brief: {
        command: '/bin/sh',
        args: ['-c', 'echo "cannot find $SECRET" >&2; exit 3'],
        env: { SECRET: plantedSecret },
      },
      echo: { command: 'cat' },
      endless: { command: '/bin/sh', args: ['-c', 'tr "\\0" x < /dev/zero'] },
    },
    limits: { stallSeconds: 1 },
  })
}, timeout)
afterAll(() => scene.close())

test('11: agent programs are offered with what stands in the way of each', async () => {
  const { agents } = await scene.person.call('agents.list', {})
  const acp = agents.filter(({ name }) => name.startsWith('acp/'))
  expect(acp.filter(({ available }) => !available)).toEqual([
    {
      name: 'acp/absent',
      label: 'Agent program (ACP)',
      available: false,
      why: 'The program no-such-program is not installed, or not on the search path of this host.',
    },
    expect.objectContaining({
      name: 'acp/relative',
      why: expect.stringMatching(/acp\.relative\.command.*absolute path/),
    }),
    expect.objectContaining({ name: 'acp/odd', why: expect.stringMatching(/acp\.odd.*arguments/) }),
  ])
  expect(acp.find(({ name }) => name === 'acp/scripted')).toEqual({
    name: 'acp/scripted',
    label: 'Agent program (ACP)',
    available: true,
  })
  expect(JSON.stringify(agents)).not.toContain(plantedSecret)
  const unknown = await scene.person.ask('session.create', { agent: 'acp/never-heard-of' })
  expect(unknown).toMatchObject({ ok: false, error: { message: expect.stringMatching(/no agent named/) } })
})

test('4: a message for a program that is missing is refused with the reason, and its text is offered again', async () => {
  const view = await scene.session({ agent: 'acp/absent' })
  await scene.say(view, 'Hello.')
  const discarded = await scene.until(() => view.discarded[0], 'the refusal')
  expect(discarded).toMatchObject({ reason: 'rejected', text: 'Hello.', why: expect.stringMatching(/not installed/) })
})

test.each([
  ['refusing', 'refuse', /sign in first/],
  ['nonsense', 'not json', /no messages of the protocol/],
  ['brief', 'cannot find', /exited with code 3\. Its last words: cannot find •••$/],
  ['echo', 'cat', /refused initialize/],
  ['endless', '/dev/zero', /a line without end/],
])('11: a program that cannot be talked to (%s) ends the turn in words, and is gone', async (name, word, words) => {
  const view = await scene.session({ agent: `acp/${name}` })
  expect(await scene.turn(view, 'Hello.')).toEqual({ reason: 'error', error: expect.stringMatching(words) })
  await eventually(() => running(word).length === 0, 'the end of its processes')
})

test('11: a program that ends in the middle says so, and the next turn begins with another one that knows what was said', async () => {
  const view = await scene.session()
  const end = await scene.turn(view, [
    { say: 'I begin.' },
    { call: { toolCallId: 'c', kind: 'execute', title: 'make', status: 'in_progress', rawInput: { command: 'make' } } },
    { pauseMs: 200 },
    { exit: 7 },
  ])
  expect(end).toEqual({
    reason: 'error',
    error: expect.stringMatching(/exited with code 7\. Its last words: the engine fell off/),
  })
  expect(shown(view).at(-1)).toMatch(/^result error/)
  expect(await scene.turn(view, 'Go on.')).toEqual({ reason: 'completed' })
  expect(textsOf(scene.journal('prompt').at(-1))[1]).toMatch(/Agent: I begin\.[^]*Agent calls execute/)
})

test('11: what an agent prints beside the protocol is passed over', async () => {
  const view = await scene.session()
  const raw =
    'Welcome!\n[1]\n{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","method":"session/update","params":7}\n'
  expect(await scene.turn(view, [{ raw }, { say: 'Here.' }])).toEqual({ reason: 'completed' })
  expect(shown(view).slice(1)).toEqual(['text: Here.'])
  const errors = scene.host.stderr.split('\n').filter((line) => line !== '')
  for (const line of errors) expect(() => JSON.parse(line) as unknown, line).not.toThrow()
})

test('11: an agent that says nothing is stopped after the limit of the settings', async () => {
  const view = await scene.session()
  const end = await scene.turn(view, [{ say: 'I think.' }, { untilCancelled: true }])
  expect(end).toEqual({ reason: 'error', error: 'The agent said nothing for 1 s and was stopped.' })
  expect(await scene.turn(view, 'Go on.')).toEqual({ reason: 'completed' })
})

test(
  '5: an agent that does not heed an interrupt ends with its program, and the next turn begins anew',
  async () => {
    const view = await scene.session({ agent: 'acp/deaf' })
    await scene.say(view, [
      { say: 'I begin.' },
      { call: { toolCallId: 'c', kind: 'execute', title: 'make', status: 'in_progress' } },
      { hang: true },
    ])
    await scene.until(() => view.eventsOf('tool/call').length === 1, 'its call')
    await scene.person.call('session.interrupt', { sessionId: view.sessionId })
    await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
    expect(await scene.turn(view, 'Go on.')).toEqual({ reason: 'completed' })
    expect(shown(view).slice(-2)).toEqual(['person: Go on.', 'text: Done.'])
  },
  timeout,
)

test(
  '5: a turn that is interrupted before its agent is free again leaves its text to the next one',
  async () => {
    const view = await scene.session({ agent: 'acp/deaf' })
    await scene.say(view, [{ say: 'I begin.' }, { hang: true }])
    await scene.until(() => [...view.streams.values()].some(({ text }) => text === 'I begin.'), 'its words')
    const interrupt = () => scene.person.call('session.interrupt', { sessionId: view.sessionId })
    await interrupt()
    await scene.until(() => view.eventsOf('turn/end').length === 1, 'the first end')
    await scene.say(view, 'First.')
    await scene.until(() => view.eventsOf('user/message').length === 2, 'the second turn')
    await interrupt()
    await scene.until(() => view.eventsOf('turn/end').length === 2, 'the second end')
    expect(await scene.turn(view, 'Second.')).toEqual({ reason: 'completed' })
    expect(shown(view).slice(-3)).toEqual(['person: First.', 'person: Second.', 'text: Done.'])
    expect(textsOf(scene.journal('prompt').at(-1)).slice(-2)).toEqual(['First.', 'Second.'])
  },
  timeout,
)

test(
  '5: a turn that is interrupted while its agent still stops is not begun when it has, and its text goes to the next one',
  async () => {
    const view = await scene.session({ agent: 'acp/slow' })
    await scene.say(view, [{ say: 'I begin.' }, { untilCancelled: true }])
    await scene.until(() => [...view.streams.values()].some(({ text }) => text === 'I begin.'), 'its words')
    const interrupt = () => scene.person.call('session.interrupt', { sessionId: view.sessionId })
    await interrupt()
    await scene.until(() => view.eventsOf('turn/end').length === 1, 'the first end')
    await scene.say(view, 'First.')
    await scene.until(() => view.eventsOf('user/message').length === 2, 'the second turn')
    await interrupt()
    await scene.until(() => view.eventsOf('turn/end').length === 2, 'the second end')
    await scene.say(view, 'Second.')
    await scene.until(() => view.eventsOf('user/message').length === 3, 'the third turn')
    const before = scene.journal('prompt').length
    writeFileSync(`${scene.journalFile}.heed`, '')
    await scene.until(() => view.eventsOf('turn/end').length === 3, 'the third end')
    expect(view.eventsOf('turn/end')[2]?.data.reason).toBe('completed')
    expect(shown(view).slice(-3)).toEqual(['person: First.', 'person: Second.', 'text: Done.'])
    expect(scene.journal('prompt')).toHaveLength(before + 1)
    expect(textsOf(scene.journal('prompt').at(-1))).toEqual(['First.', 'Second.'])
  },
  timeout,
)

test('12: keys of providers do not reach the program, those of its own settings do and go no further', async () => {
  const view = await scene.session()
  await scene.turn(view, 'Hello.')
  const { env } = z.object({ env: z.array(z.string()) }).parse(scene.journal('started').at(-1))
  expect(env).toContain('AGENT_SECRET')
  expect(env.filter((name) => /^(OPENAI|ANTHROPIC|DEEPSEEK)_|^TASK_SURFACE_TOKEN/.test(name))).toEqual([])
  const said = JSON.stringify(scene.person.frames) + scene.host.stderr
  for (const secret of [plantedSecret, plantedKey]) expect(said).not.toContain(secret)
})

test('7: the program and what it left ends with its session', async () => {
  const view = await scene.session()
  const [started, left] = [scene.journal('started').length, scene.journal('child').length]
  await scene.turn(view, [{ leave: true }])
  const pids = [await scene.entry('started', started + 1), await scene.entry('child', left + 1)].map(pidOf)
  expect(pids.map(isAlive)).toEqual([true, true])
  await scene.person.call('session.remove', { sessionId: view.sessionId })
  await goneOf(pids)
})

test(
  '7: a host that is killed leaves no program of its agents',
  async () => {
    const killed = await AcpScene.open()
    try {
      const view = await killed.session()
      await killed.turn(view, [{ leave: true }])
      const pids = [await killed.entry('started'), await killed.entry('child')].map(pidOf)
      expect(pids.map(isAlive)).toEqual([true, true])
      await killed.host.kill('SIGKILL')
      await goneOf(pids)
      await killed.start()
      const again = await killed.person.open(view.sessionId)
      expect(await killed.turn(again, 'Go on.')).toEqual({ reason: 'completed' })
      expect(textsOf(killed.journal('prompt').at(-1))).toHaveLength(3)
    } finally {
      await killed.close()
    }
  },
  timeout,
)

test('7: a host that stops ends its agents within its time', async () => {
  const stopped = await AcpScene.open()
  try {
    const view = await stopped.session()
    await stopped.say(view, [{ say: 'I begin.' }, { hang: true }])
    await stopped.entry('prompt')
    const pids = [pidOf(await stopped.entry('started'))]
    expect(await stopped.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    await goneOf(pids)
  } finally {
    await stopped.close()
  }
})

function textsOf(entry: JournalEntry | undefined): string[] {
  return z.object({ texts: z.array(z.string()) }).parse(entry).texts
}

function pidOf(entry: JournalEntry): number {
  return z.object({ pid: z.number() }).parse(entry).pid
}

function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, 'latin1'))
}

const goneOf = (pids: readonly number[]) =>
  eventually(() => pids.every((pid) => !isAlive(pid)), `the end of ${pids.join(', ')}`)

/** For what no frame tells of. */
async function eventually(condition: () => boolean, what: string): Promise<void> {
  const look = setInterval(() => scene.look(), 20)
  try {
    await scene.until(condition, what)
  } finally {
    clearInterval(look)
  }
}

/** Processes that were started by a host and whose command line holds a word. */
function running(word: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1').includes('TASK_SURFACE_TASK=')
      return isOurs && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(word)
    } catch {
      return false
    }
  })
}
