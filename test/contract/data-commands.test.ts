/* `export`, `import`, `verify` and `doctor` on real data, beside a running host and without one (SPEC 13). */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkpointKey, eventKey, headerKey } from '../../host/log/keys.ts'
import { openLevelDatabase } from '../../host/log/level-database.ts'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'

const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }

interface Ran {
  code: number | null
  out: string
  err: string
}

async function command(args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(process.execPath, [mainFile, ...args], { stdio: 'pipe' })
  child.stdin.end(input)
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { code, out, err }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'task-surface-data-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A host with one session that has a surface answered, a fork, and a rewound turn. */
async function sessions(): Promise<{ stage: HostStage; sessionId: SessionId; forkId: SessionId; dataDir: string }> {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  const view = await client.open(sessionId)
  const ended = (turns: number) =>
    stage.until(() => view.eventsOf('turn/end').length === turns && view.status?.status === 'idle', `end ${turns}`)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'begin' })
  ;(await stage.call('begin')).answerCalls([show])
  await ended(1)
  const { surfaceId } = view.pushes.at(-1) ?? { surfaceId: activeOf(view.projections.get('taskSurface')?.value) }
  const values = { name: 'Ädä 表面', ship: true }
  await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'submission-1', values })
  ;(await stage.until(() => stage.model.calls.find(({ isParked }) => isParked), 'the next call')).answerText('Good.')
  await ended(2)
  const { session: fork } = await client.call('session.fork', { sessionId })
  await client.call('session.send', { sessionId, messageId: 'm2', text: 'too much' })
  ;(await stage.call('too much')).answerText('Really.')
  await ended(3)
  const toSeq = view.eventsOf('turn/end')[1]?.seq ?? 0
  await client.call('session.rewind', { sessionId, toSeq })
  return { stage, sessionId, forkId: fork.id, dataDir: stage.folder.dataDir }
}

function activeOf(value: unknown): string {
  const id = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(value))?.[1]
  if (id === undefined) throw new Error('no surface is open')
  return id
}

test(
  '13 export/import: byte for byte, beside a host and without one, from folder to folder',
  { timeout: 120_000 },
  async () => {
    const { stage, sessionId, forkId, dataDir } = await sessions()
    const beside = await command(['export', sessionId, '--data', dataDir])
    expect(beside).toMatchObject({ code: 0, err: '' })
    expect(beside.out.split('\n').length).toBeGreaterThan(12)

    // Into the running host: an own id, listed at once, and told of by nothing but its events.
    const imported = await command(['import', '--data', dataDir, '--session', 'a-copy'], beside.out)
    expect(imported).toEqual({ code: 0, out: 'a-copy\n', err: '' })
    const client = await stage.connect()
    expect((await client.call('session.list', {})).sessions.map(({ id }) => id)).toContain('a-copy')
    expect((await command(['export', 'a-copy', '--data', dataDir])).out).toBe(beside.out)
    const again = await command(['import', '--data', dataDir, '--session', 'a-copy'], beside.out)
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('a-copy') })
    const verified = await command(['verify', '--data', dataDir])
    expect(verified).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^3 sessions, \d+ events, nothing broken\n$/),
    })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('import-'))).toEqual([])

    await stage.host.kill('SIGTERM')
    expect(await command(['export', sessionId, '--data', dataDir])).toEqual(beside)
    const forked = await command(['export', forkId, '--data', dataDir])
    const other = folder()
    const file = join(folder(), 'log.jsonl')
    writeFileSync(file, forked.out)
    const fresh = await command(['import', file, '--data', other])
    expect(fresh.code).toBe(0)
    expect((await command(['export', fresh.out.trim(), '--data', other])).out).toBe(forked.out)
    expect((await command(['verify', '--data', other])).code).toBe(0)
    expect(statSync(other).mode & 0o777).toBe(0o700)
  },
)

test('13 import: what is no log is refused with its line, and leaves nothing', { timeout: 120_000 }, async () => {
  const dataDir = folder()
  const created = JSON.stringify({ type: 'session/created', seq: 0, time: 1, data: { agent: 'demo', cwd: '/' } })
  const cases: [input: string, line: number][] = [
    ['', 0],
    ['no JSON\n', 1],
    [`${created}\n{"type":"unheard/of","seq":1,"time":1,"data":{}}\n`, 2],
    [`${created}\n${created}\n`, 2],
    [`${created}\n{"type":"turn/start","seq":5,"time":1,"data":{"turn":1}}\n`, 2],
  ]
  for (const [input, line] of cases) {
    const { code, out, err } = await command(['import', '--data', dataDir], input)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`line ${line}`)
    expect(err.split('\n')).toHaveLength(2)
  }
  expect((await command(['verify', '--data', dataDir])).out).toBe('0 sessions, 0 events, nothing broken\n')
})

test(
  '13 verify: a log that breaks a rule is named with seq and rule, and the exit code is 1',
  { timeout: 120_000 },
  async () => {
    const dataDir = folder()
    const events = [
      { type: 'session/created', data: { agent: 'demo', cwd: '/' } },
      { type: 'turn/start', data: { turn: 1 } },
      { type: 'turn/start', data: { turn: 1 } },
      { type: 'task-surface/dismissed', data: { version: 1, surfaceId: 'x', callId: 'c', dismissalId: 'd' } },
    ]
    const lines = events.map((event, seq) => JSON.stringify({ type: event.type, seq, time: 1, data: event.data }))
    const { out: id } = await command(['import', '--data', dataDir], lines.join('\n'))
    const { code, out } = await command(['verify', id.trim(), '--data', dataDir])
    expect(code).toBe(1)
    expect(out).toMatch(/seq 2 {2}turn-order: .*\n.*seq 2 {2}turn-order: .*\n.*seq 3 {2}one-dismissal: /)
    expect(out).toMatch(/1 sessions, 4 events, 3 broken\n$/)
  },
)

test(
  '13 doctor: a damaged record is named, the rest can be had, and derived records are mended',
  { timeout: 120_000 },
  async () => {
    const { stage, sessionId, forkId, dataDir } = await sessions()
    expect(await command(['doctor', '--data', dataDir])).toMatchObject({
      code: 1,
      err: expect.stringContaining('stop it'),
    })
    const whole = (await command(['export', sessionId, '--data', dataDir])).out.trimEnd().split('\n')
    await stage.host.kill('SIGTERM')
    expect(await command(['doctor', '--data', dataDir])).toMatchObject({ code: 0, out: '2 sessions, none ill\n' })

    const database = await openLevelDatabase(dataDir)
    await database.write([
      { type: 'put', key: eventKey(sessionId, 3), value: '00000000damaged' },
      { type: 'put', key: headerKey(forkId), value: '00000000damaged' },
      {
        type: 'put',
        key: checkpointKey(forkId),
        value: (await database.get(checkpointKey(sessionIdSchema.parse(forkId)))) ?? '',
      },
    ])
    await database.close()
    const ill = await command(['doctor', '--data', dataDir])
    expect(ill.code).toBe(1)
    expect(ill.out).toMatch(/seq 3 {2}readable: .*s![^!]+!e!0*3/)
    expect(ill.out).toMatch(/export .* --salvage/)
    const strict = await command(['export', sessionId, '--data', dataDir])
    expect(strict).toMatchObject({ code: 1, err: expect.stringContaining('--salvage') })
    const salvaged = await command(['export', sessionId, '--data', dataDir, '--salvage'])
    expect(salvaged.code).toBe(0)
    expect(salvaged.out.trimEnd().split('\n')).toEqual(whole.filter((_, seq) => seq !== 3))
    expect(salvaged.err).toMatch(/left out: .*e!0*3/)
    await command(['doctor', '--data', dataDir, '--rebuild'])
    const after = await command(['doctor', '--data', dataDir])
    expect(after.out).not.toContain(forkId)
  },
)

test('13 data: unknown sessions and ids that are none are said in one line', { timeout: 120_000 }, async () => {
  const dataDir = folder()
  for (const args of [
    ['export', 'nobody'],
    ['verify', 'nobody'],
    ['export', 'no id!'],
    ['import', '/no/such/file'],
  ]) {
    const { code, out, err } = await command([...args, '--data', dataDir])
    expect({ args, code, out }).toEqual({ args, code: 1, out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  }
})

test.each([
  ['export', ['export', 's-1']],
  ['salvage', ['export', 's-1', '--salvage']],
  ['verify', ['verify']],
  ['verify one', ['verify', 's-1']],
  ['doctor', ['doctor']],
  ['rebuild', ['doctor', '--rebuild']],
  ['journal', ['journal', 's-1']],
])('data/mistyped: %s of a folder without sessions says so, exits 1 and makes nothing', async (_, args) => {
  const empty = folder()
  const missing = join(empty, 'missing')
  for (const dataDir of [empty, missing]) {
    const { code, out, err } = await command([...args, '--data', dataDir])
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: `task-surface: there are no sessions in ${dataDir}\n` })
  }
  expect(readdirSync(empty)).toEqual([])
})
