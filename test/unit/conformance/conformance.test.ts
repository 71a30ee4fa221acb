/* The executable contract: what keeps to it passes, what does not is caught, and nothing is passed over in silence. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import {
  conformanceCases,
  conformanceMachines,
  runCase,
  runConformance,
  type ConformanceDriver,
} from '../../../machines/conformance.ts'
import { machineById } from '../../../machines/definitions.ts'
import { lifecycleState } from '../../../machines/path-cases.ts'
import { pathModels } from '../../../machines/path-models.ts'
import { driver as tinySurface } from './tiny-surface.ts'

/** Of a machine itself. */
function actorDriver(name: string): ConformanceDriver {
  const model = pathModels[name]
  if (model === undefined) throw new Error(`no ${name}`)
  return {
    start() {
      const actor = createActor(model.all.machine, { input: model.all.input }).start()
      return {
        send(event) {
          const snapshot = actor.getSnapshot()
          const isAccepted = snapshot.status === 'active' && snapshot.can(event)
          if (isAccepted) actor.send(event)
          return isAccepted
        },
        read: () => lifecycleState(actor.getSnapshot()),
        end: () => void actor.stop(),
      }
    },
  }
}

it('conformance/machines: every machine has a contract', () => {
  expect(conformanceMachines.toSorted()).toEqual(Object.keys(machineById).toSorted())
  expect(() => conformanceCases('lamp')).toThrow()
  expect(() => conformanceCases('constructor')).toThrow()
})

it.each(conformanceMachines)('conformance/machines: an actor of %s keeps to it', { timeout: 60_000 }, async (name) => {
  const report = await runConformance(name, actorDriver(name))
  expect(report).toMatchObject({ machine: name, failures: [], leftOut: [], notCompared: [] })
  expect(report.cases).toBe(conformanceCases(name).length)
})

it('conformance/second: an implementation that knows nothing of the machines keeps to the contract of a surface', async () => {
  const report = await runConformance('surface', tinySurface, { parallel: 4 })
  expect(report).toEqual({
    machine: 'surface',
    cases: conformanceCases('surface').length,
    failures: [],
    leftOut: [],
    compared: ['closed', 'discarded', 'submission'],
    notCompared: ['callId', 'surfaceId'],
  })
})

describe('conformance/planted', () => {
  const output = fileURLToPath(new URL('../../output/', import.meta.url))
  const source = readFileSync(new URL('tiny-surface.ts', import.meta.url), 'utf8')
  let folder: string
  beforeAll(() => {
    mkdirSync(output, { recursive: true })
    folder = mkdtempSync(join(output, 'planted-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function planted(name: string, from: string, to: string): Promise<ConformanceDriver> {
    if (source.split(from).length !== 2) throw new Error(`not one place for ${from}`)
    const file = join(folder, `${name}.ts`)
    writeFileSync(
      file,
      source.replace(from, () => to),
    )
    const module: { driver: ConformanceDriver } = await import(file)
    return module.driver
  }

  it.each([
    [
      'a pending form can be dismissed',
      'if (this.tray !== null) return false\n    return this.close',
      'return this.close',
    ],
    [
      'a second answer takes the place of the first',
      'this.outcome !== null || this.tray !== null',
      'this.outcome !== null',
    ],
    ['a discarded answer stays in the tray', 'this.emptyTray()\n    this.lastDiscard', 'this.lastDiscard'],
    [
      'an answer that nobody took is written down',
      'if (!this.isTaken) return false',
      'if (this.tray === null) return false',
    ],
    ['what is closed closes again', 'if (this.outcome !== null) return false\n    this.emptyTray', 'this.emptyTray'],
    ['a bypassed form says that it was dismissed', "close('bypassed')", "close('dismissed')"],
    ['a new answer leaves the old reason', 'this.lastDiscard = null\n', '\n'],
    [
      'a refusal says yes',
      'if (this.tray === null) return false\n    this.emptyTray',
      'if (this.tray === null) return true\n    this.emptyTray',
    ],
  ])('conformance/planted: %s, and is caught', async (title, from, to) => {
    const { failures } = await runConformance('surface', await planted(title.replaceAll(' ', '-'), from, to))
    expect(failures.length).toBeGreaterThan(0)
    // Each names the way to it.
    const titles = new Set(conformanceCases('surface').map((each) => each.title))
    for (const failure of failures) {
      expect(titles).toContain(failure.title)
      expect(failure.error.message).toContain(`after ${failure.error.path}`)
    }
  })
})

describe('conformance/honest', () => {
  const shy: ConformanceDriver = {
    ...tinySurface,
    async start(events) {
      const session = await tinySurface.start(events)
      return { ...session, read: async () => ({ state: (await session.read()).state }) }
    },
  }

  it('conformance/honest: what a driver does not show is not compared, and the report says so', async () => {
    const report = await runConformance('surface', shy)
    expect(report).toMatchObject({
      failures: [],
      compared: [],
      notCompared: ['callId', 'closed', 'discarded', 'submission', 'surfaceId'],
    })
  })

  it('conformance/honest: what a driver cannot do is left out, with all that comes after it, and listed', async () => {
    const sent: string[] = []
    const halting: ConformanceDriver = {
      cannot: ({ type }, { state }) => (type === 'CLAIM' && state === 'live.queued' ? 'nobody claims here' : null),
      async start(events) {
        const session = await tinySurface.start(events)
        return { ...session, send: (event) => (sent.push(event.type), session.send(event)) }
      },
    }
    const cases = conformanceCases('surface')
    const report = await runConformance('surface', halting)
    expect(report.failures).toEqual([])
    expect(report.leftOut.every(({ why }) => why === 'nobody claims here')).toBe(true)
    const all = cases.reduce((sum, { steps, refused }) => sum + steps.length + refused.length, 0)
    expect(sent.length + report.leftOut.length).toBe(all)
    const claiming = cases.filter(({ steps }) => steps.some(({ event }) => event.type === 'CLAIM'))
    for (const each of claiming) expect((await runCase(halting, each)).ran).toBe(false)
  })

  it('conformance/honest: an implementation that breaks is a failure of that case, a driver that breaks of the whole', async () => {
    const breaking = (part: 'send' | 'read'): ConformanceDriver => ({
      async start(events) {
        const session = await tinySurface.start(events)
        const broken = () => {
          throw new Error('broken')
        }
        return { ...session, [part]: broken }
      },
    })
    const report = await runConformance('surface', breaking('send'))
    expect(report.failures.length).toBe(report.cases)
    await expect(runConformance('surface', breaking('read'))).rejects.toThrow('broken')
  })

  it('conformance/honest: every session is ended, also one that failed', async () => {
    let open = 0
    const counting: ConformanceDriver = {
      async start(events) {
        open += 1
        const session = await tinySurface.start(events)
        return { ...session, send: () => false, end: () => void (open -= 1) }
      },
    }
    expect((await runConformance('surface', counting)).failures.length).toBeGreaterThan(0)
    expect(open).toBe(0)
  })
})
