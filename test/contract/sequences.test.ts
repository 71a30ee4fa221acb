/* Every command sequence of the contract against a real host process: sockets, LevelDB, a scripted model server.
   Cases share two hosts, one with the admission hook and one without; those that restart have a host of their own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'
import { restarts, sequenceCases, surfaceModels, type SequenceCase } from '../harness/sequence-cases.ts'
import { runSequence, type SequenceStage } from '../harness/sequence-runner.ts'

const cases = sequenceCases()
const models = surfaceModels()

let model: ScriptedModel
let gate: AdmissionGate
const folders: HostFolder[] = []
let plain: HostProcess
let gated: HostProcess

const openFolder = (hook: boolean): HostFolder => {
  const folder = new HostFolder({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'no-key',
    ...(hook && { TASK_SURFACE_TEST_ADMISSION: gate.url }),
  })
  folders.push(folder)
  return folder
}

beforeAll(async () => {
  model = await startScriptedModel()
  gate = await AdmissionGate.start()
  ;[plain, gated] = await Promise.all([openFolder(false).start(), openFolder(true).start()])
}, 60_000)

afterAll(async () => {
  await Promise.all(folders.map((folder) => folder.remove()))
  await Promise.all([model.close(), gate.close()])
})

let tags = 0
/** Runs a case on the host it needs. */
async function run(sequence: SequenceCase, deadlineMs?: number): Promise<void> {
  const stage: Omit<SequenceStage, 'address' | 'restart'> = {
    model,
    gate: sequence.gate ? gate : null,
    models,
    tag: `case-${(tags += 1)}`,
    ...(deadlineMs !== undefined && { deadlineMs }),
  }
  if (!restarts(sequence)) {
    const host = sequence.gate ? gated : plain
    await runSequence(sequence, { ...stage, address: () => host.ready, restart: null })
    return
  }
  const folder = openFolder(sequence.gate)
  let host = await folder.start()
  const restart = async () => {
    await host.kill('SIGKILL')
    host = await folder.start()
  }
  await runSequence(sequence, { ...stage, address: () => host.ready, restart })
  await folder.remove()
}

const prefix = (count: number, sequence: SequenceCase): SequenceCase => ({
  ...sequence,
  steps: sequence.steps.slice(0, count),
})

describe.concurrent('sequences', () => {
  for (const sequence of cases) {
    test(`${sequence.rule}: ${sequence.name}`, { timeout: 60_000 }, () => run(sequence))
  }
})

describe('the runner can fail', () => {
  const submission = cases.find(({ name }) => name === 'submit/with-a-note')
  if (submission === undefined) throw new Error('the case that is altered here is gone')
  const at = submission.steps.findIndex(({ command }) => command.cmd === 'submit') + 3
  const altered = (change: (step: SequenceCase['steps'][number]) => SequenceCase['steps'][number]): SequenceCase => {
    const { steps } = prefix(at, submission)
    return { ...submission, steps: [...steps.slice(0, -1), ...steps.slice(-1).map(change)] }
  }
  const alterations: Record<string, SequenceCase> = {
    'a push that never comes': altered((step) => ({
      ...step,
      pushes: [...(step.pushes ?? []), ...(step.pushes ?? [])],
    })),
    'a push that is not expected': altered(({ pushes: _, ...step }) => step),
    'an event that never comes': altered((step) => ({
      ...step,
      appended: [...(step.appended ?? []), { type: 'turn/end' }],
    })),
    'an event that is not expected': altered((step) => ({ ...step, appended: (step.appended ?? []).slice(0, 1) })),
    'another text': altered((step) => ({
      ...step,
      appended: (step.appended ?? []).map((event) => (event.text === undefined ? event : { ...event, text: 'other' })),
    })),
    'other values': altered((step) => ({
      ...step,
      appended: (step.appended ?? []).map((event) => (event.values === undefined ? event : { ...event, values: {} })),
    })),
    'a discard that never comes': altered((step) => ({ ...step, discarded: [{ messageId: 'm0', reason: 'removed' }] })),
    'another state of the turn': altered((step) => ({
      ...step,
      then: { A: { running: false, queue: [], active: null } },
    })),
    'another queue': altered((step) => ({
      ...step,
      then: { A: { running: true, queue: [{ messageId: 'm1', placement: 'queued' }], active: null } },
    })),
    'another active surface': altered((step) => ({
      ...step,
      then: { A: { running: true, queue: [], active: { surface: 'host:S1', pending: null } } },
    })),
    'another answer': {
      ...submission,
      steps: submission.steps.slice(0, 1).map((step) => ({ ...step, reply: { ...step.reply, placement: 'steering' } })),
    },
  }

  test('control: the unaltered case passes', () => run(prefix(at, submission)))
  test.for(Object.entries(alterations))('%s', async ([, sequence]) => {
    await expect(run(sequence, 1500)).rejects.toThrow(submission.name)
  })
})
