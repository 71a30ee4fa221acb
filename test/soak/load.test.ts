/* SPEC 2, 8: a real host under load for minutes. 1,000 sockets watch 200 sessions in which 50 turns a second are due, whether
   the host keeps up or not. Every socket checks every frame by `n` and `seq`; the memory of the host is looked at
   all the while. TASK_SURFACE_SOAK_MINUTES: 10 where it is not set; TASK_SURFACE_SOAK_PROFILE: a file for a profile of the host. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { growth, percentile } from './figures.ts'
import { HostInspector, inspectable, type HostSample } from './host-inspector.ts'
import { startQuickModel } from './quick-model.ts'
import { Seat, type TurnTimes } from './seat.ts'

const { TASK_SURFACE_SOAK_MINUTES = '10', TASK_SURFACE_SOAK_PROFILE: profile } = process.env
const minutes = Number(TASK_SURFACE_SOAK_MINUTES)
const sessions = 200
const socketsPerSession = 5
const turnsPerSecond = 50

const turns = Math.round(minutes * 60 * turnsPerSecond)
/** Every first session is replaced within it, so that what comes after is a steady state. */
const warmUpShare = 0.3
/** Short enough for the warm-up, and at most a conversation of ordinary length. */
const turnsPerSession = Math.max(5, Math.min(40, Math.floor((turns / sessions) * warmUpShare * 0.8)))
const samples = 30

/** Of the heap after the warm-up. In ten minutes that is 100 bytes a turn; sampling alone shows less, up or down. */
const maxHeapGrowth = 2 * 1024 * 1024
const maxResidentGrowth = 1.1

interface Pacing {
  fault: AbortSignal
  gate: Gate
  inspector: HostInspector
  finished: () => number
}

interface Sample extends HostSample {
  turns: number
}

test('durable-first: 1,000 sockets of 200 sessions get every frame once, and the host stays as large as it is', async () => {
  const model = await startQuickModel()
  const folder = new HostFolder({ ...model.environment, ...inspectable })
  try {
    const host = await folder.start()
    const load = await carryLoad(host, folder)
    print(load)
    expect(load.times).toHaveLength(turns)
    expect.soft(load.perSecond, 'turns a second').toBeGreaterThan(turnsPerSecond * 0.98)
    expect.soft(load.heapPerTurn * turns * (1 - warmUpShare), 'growth of the heap').toBeLessThan(maxHeapGrowth)
    expect
      .soft(load.residentGrowth, 'resident memory at the end, against that after the warm-up')
      .toBeLessThan(maxResidentGrowth)
    expect(await host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(verify(folder)).toMatchObject({ status: 0 })
  } finally {
    await folder.remove()
    await model.close()
  }
})

async function carryLoad(host: HostProcess, { token }: HostFolder) {
  const fault = new AbortController()
  const broken = (cause: Error) => fault.abort(cause)
  const times: TurnTimes[] = []
  const gate = new Gate()
  const address = { port: host.ready.port, token }
  const seats = Array.from(
    { length: sessions },
    (_, index) =>
      new Seat({
        address,
        cwd: process.cwd(),
        sockets: socketsPerSession,
        turnsPerSession,
        turnsOfFirst: 1 + (index % turnsPerSession),
        mayBegin: () => gate.passed,
        finished: (each) => times.push(each),
        broken,
      }),
  )
  const inspector = await HostInspector.of(host)
  try {
    for (const seat of seats) await seat.sit()
    if (profile !== undefined) await inspector.startProfile()
    const before = process.cpuUsage()
    const begun = performance.now()
    const { taken, pausedMs } = await pace(seats, {
      fault: fault.signal,
      gate,
      inspector,
      finished: () => times.length,
    })
    await Promise.all(seats.map((seat) => seat.settle()))
    fault.signal.throwIfAborted()
    const seconds = (performance.now() - begun - pausedMs) / 1000
    const { user, system } = process.cpuUsage(before)
    if (profile !== undefined) await inspector.writeProfile(profile)
    const figures = { ...flatness(taken), ...totals(seats), clientSeconds: (user + system) / 1e6 }
    return { times, seconds, perSecond: times.length / seconds, ...figures }
  } finally {
    for (const seat of seats) seat.close()
    inspector.close()
  }
}

/** Lets turns begin, or makes them wait. */
class Gate {
  passed: Promise<void> = Promise.resolve()
  #open: () => void = () => {}

  close(): void {
    this.passed = new Promise((resolve) => (this.#open = resolve))
  }

  open(): void {
    this.#open()
  }
}

/**
 * Makes turns due at their times, however the host does. Now and then time stands still: when no turn runs, what the host
 * holds is looked at, so that it is not what turns in progress need.
 */
async function pace(
  seats: readonly Seat[],
  { fault, gate, inspector, finished }: Pacing,
): Promise<{ taken: Sample[]; pausedMs: number }> {
  const begun = performance.now()
  let pausedMs = 0
  const taken: Sample[] = []
  let due = 0
  for (let sampled = 0; due < turns;) {
    fault.throwIfAborted()
    const elapsed = (performance.now() - begun - pausedMs) / 1000
    for (; due < Math.min(turns, elapsed * turnsPerSecond); due += 1)
      seats[due % seats.length]?.turn(begun + pausedMs + (due / turnsPerSecond) * 1000)
    await tick()
    if (due < ((sampled + 1) * turns) / samples) continue
    const pausedAt = performance.now()
    gate.close()
    while (seats.some(({ isRunning }) => isRunning) && !fault.aborted) await tick()
    sampled += 1
    taken.push({ ...(await inspector.sample()), turns: finished() })
    gate.open()
    pausedMs += performance.now() - pausedAt
  }
  return { taken, pausedMs }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 1000 / turnsPerSecond))

function flatness(taken: readonly Sample[]) {
  const steady = taken.slice(Math.ceil(samples * warmUpShare))
  const third = Math.floor(steady.length / 3)
  const resident = (some: readonly Sample[]) =>
    percentile(
      some.map((each) => each.resident),
      0.5,
    )
  const [first, last] = [taken[0], taken.at(-1)]
  return {
    samples: taken,
    hostMsPerTurn:
      (1000 * ((last?.cpuSeconds ?? 0) - (first?.cpuSeconds ?? 0))) / ((last?.turns ?? 0) - (first?.turns ?? 0)),
    heapPerTurn: growth(steady.map((each) => ({ x: each.turns, y: each.heap }))),
    residentGrowth: resident(steady.slice(-third)) / resident(steady.slice(0, third)),
  }
}

function totals(seats: readonly Seat[]) {
  const sum = (count: (seat: Seat) => number) => seats.reduce((total, seat) => total + count(seat), 0)
  return {
    frames: sum((seat) => seat.frames),
    hostFrames: sum((seat) => seat.hostFrames),
    sessions: sum((seat) => seat.sessions),
  }
}

function print(load: Awaited<ReturnType<typeof carryLoad>>): void {
  const ms = (key: keyof TurnTimes, share: number) =>
    percentile(
      load.times.map((each) => each[key]),
      share,
    ).toFixed(0)
  const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
  const lines = [
    `${load.times.length} turns in ${load.seconds.toFixed(0)} s: ${load.perSecond.toFixed(1)} a second, in ${load.sessions} sessions`,
    `${load.frames} frames of sessions checked and ${load.hostFrames} about sessions received by ${sessions * socketsPerSession} sockets`,
    `on the processor for each turn: ${load.hostMsPerTurn.toFixed(1)} ms of the host, ${((1000 * load.clientSeconds) / load.times.length).toFixed(1)} ms of its clients and the model`,
    `from due to the durable message on every socket: p50 ${ms('visibleMs', 0.5)} ms, p99 ${ms('visibleMs', 0.99)} ms`,
    `from due to the end of the turn on every socket: p50 ${ms('endedMs', 0.5)} ms, p99 ${ms('endedMs', 0.99)} ms`,
    `heap: ${load.samples.map(({ heap }) => mib(heap)).join(' ')} MiB; each turn leaves ${load.heapPerTurn.toFixed(0)} bytes`,
    `resident: ${load.samples.map(({ resident }) => mib(resident)).join(' ')} MiB; grows by ${load.residentGrowth.toFixed(3)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** `task-surface verify` on what the host left behind. */
function verify({ dataDir }: HostFolder) {
  const command = fileURLToPath(new URL('../../host/bin/task-surface.js', import.meta.url))
  return spawnSync(process.execPath, [command, 'verify', '--data', dataDir], { encoding: 'utf8' })
}
