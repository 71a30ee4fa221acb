/* Actors decide (SPEC 1): a fault planted in one machine changes what the host answers on the socket. Each fault
   is shown against the unchanged host: the same scene, the same harness, another answer. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'
import { inScene, scenes } from './decision-scenes.ts'
import { startPlantedHost, type Fault } from './planted-host.ts'

interface Planted extends Fault {
  rule: string
  title: string
  scene: keyof typeof scenes
  sound: string
  faulty: string
}

const faults: readonly Planted[] = [
  {
    rule: 'one-submission',
    title: 'SUBMIT is accepted while one is queued',
    machine: 'surface',
    from: 'queued: { on: { CLAIM',
    to: "queued: { on: { SUBMIT: { target: 'queued', actions: 'takeSubmission' }, CLAIM",
    scene: 'submitWhileQueued',
    sound: 'submission-pending',
    faulty: 'accepted',
  },
  {
    rule: 'one-submission',
    title: 'SUBMIT is not accepted while open',
    machine: 'surface',
    from: "SUBMIT: { target: 'queued', actions: 'takeSubmission' },",
    to: '',
    scene: 'submitWhileOpen',
    sound: 'accepted',
    faulty: 'submission-pending',
  },
  {
    rule: 'no-dismiss-pending',
    title: 'DISMISS is accepted while a submission is queued',
    machine: 'surface',
    from: 'queued: { on: { CLAIM',
    to: "queued: { on: { DISMISS: { target: '#surface.closed', actions: { type: 'close', params: { reason: 'dismissed' } } }, CLAIM",
    scene: 'dismissWhileQueued',
    sound: 'submission-pending',
    faulty: 'dismissed',
  },
  {
    rule: 'locked-rows',
    title: 'STEER takes a row that answers a surface',
    machine: 'session',
    from: "STEER: { guard: 'hasUnlockedRow'",
    to: "STEER: { guard: 'hasRow'",
    scene: 'steerSubmission',
    sound: 'queue-item-locked',
    faulty: 'ok',
  },
  {
    rule: 'locked-rows',
    title: 'EDIT takes a row that answers a surface',
    machine: 'session',
    from: "EDIT: { guard: 'hasUnlockedRow'",
    to: "EDIT: { guard: 'hasRow'",
    scene: 'editSubmission',
    sound: 'queue-item-locked',
    faulty: 'ok',
  },
  {
    rule: 'busy',
    title: 'CONFIGURE is permitted while a turn runs',
    machine: 'session',
    from: 'running: { on: {',
    to: "running: { on: { CONFIGURE: { actions: 'permit' },",
    scene: 'configureWhileRunning',
    sound: 'session-busy',
    faulty: 'ok',
  },
  {
    rule: 'claim-order',
    title: 'CLAIM takes the last row',
    machine: 'session',
    from: 'const claimed = context.rows.find(isQueued)',
    to: 'const claimed = context.rows.findLast(isQueued)',
    scene: 'claimOfTwo',
    sound: 'first',
    faulty: 'second',
  },
  {
    rule: 'conclude',
    title: 'a concluded turn goes on',
    machine: 'turn',
    from: "guard: 'isConcluded', target: '#turn.ending', actions: { type: 'end', params: { reason: 'completed' } },",
    to: "guard: 'isConcluded', target: 'calling', actions: 'nextStep'",
    scene: 'afterSurface',
    sound: 'turn completed',
    faulty: 'another model call',
  },
  {
    rule: 'retry-bound',
    title: 'a transient failure is never tried again',
    machine: 'turn',
    from: "{ guard: 'canRetry', target: 'waiting' },",
    to: '',
    scene: 'afterOverload',
    sound: 'retry',
    faulty: 'turn error',
  },
  {
    rule: 'first-answer',
    title: 'a pending question takes no answer',
    machine: 'question',
    from: "ANSWER: 'answered',",
    to: '',
    scene: 'answerQuestion',
    sound: 'accepted',
    faulty: 'not-pending',
  },
  {
    rule: 'first-decision',
    title: 'a pending approval takes no permission',
    machine: 'approval',
    from: "ALLOW: 'allowed',",
    to: '',
    scene: 'allowCall',
    sound: 'resolved allow',
    faulty: 'not-pending',
  },
  {
    rule: 'silence',
    title: 'a permission ends as a denial',
    machine: 'approval',
    from: "ALLOW: 'allowed',",
    to: "ALLOW: 'denied',",
    scene: 'allowCall',
    sound: 'resolved allow',
    faulty: 'resolved deny',
  },
]

let model: ScriptedModel
let gate: AdmissionGate
let folder: HostFolder
let sound: HostProcess
let environment: Record<string, string>
let tags = 0

beforeAll(async () => {
  model = await startScriptedModel()
  gate = await AdmissionGate.start()
  environment = {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'no-key',
    TASK_SURFACE_TEST_ADMISSION: gate.url,
  }
  folder = new HostFolder(environment)
  sound = await folder.start()
}, 60_000)

afterAll(async () => {
  await folder.remove()
  await Promise.all([model.close(), gate.close()])
})

const decide = ({ ready }: HostProcess, scene: keyof typeof scenes) =>
  inScene({ address: ready, model, gate, tag: `scene-${(tags += 1)}` }, scenes[scene])

for (const fault of faults) {
  it(`${fault.rule}: where ${fault.title}, ${fault.scene} ends in "${fault.faulty}", not "${fault.sound}"`, async () => {
    expect(await decide(sound, fault.scene)).toBe(fault.sound)
    const planted = await startPlantedHost(fault, environment)
    try {
      expect(await decide(planted.host, fault.scene)).toBe(fault.faulty)
    } finally {
      await planted.remove()
    }
  })
}
