/* How a test follows a host and decides while it runs where it dies. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { followedFaultPoints, passagesFile, planFile } from '../../../host/log/fault-points.ts'
import {
  eventKey,
  headerKey,
  journalKey,
  markerKey,
  refusedKey,
  subjectOfKey,
  taskKey,
} from '../../../host/log/keys.ts'
import { taskIdSchema } from '../../../shared/ids.ts'
import { session } from '../../contract/log-backends.ts'
import { worthDying, type Passage } from '../../crash/passages.ts'

function followed() {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-followed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const plan = (text: string) => writeFileSync(join(folder, planFile), text)
  plan('')
  let kills = 0
  const faults = followedFaultPoints(folder, () => (kills += 1))
  return { faults, plan, kills: () => kills, passed: () => readFileSync(join(folder, passagesFile), 'utf8') }
}

it('log/crash: a host that is followed dies at the passage that is planned, counted from then on, of that subject', () => {
  const { faults, plan, kills } = followed()
  const pass = (subject: string) => faults.passed('after-write', () => [subject])
  for (let n = 0; n < 5; n += 1) pass('a')
  plan('after-write:2 a,tasks')
  pass('a')
  pass('b')
  faults.passed('before-write', () => ['a'])
  expect(kills()).toBe(0)
  pass('tasks')
  expect(kills()).toBe(1)
  plan('')
  pass('a')
  expect(kills()).toBe(1)
})

it('log/crash: each passage is told with its subjects and its stretch', async () => {
  const { faults, passed } = followed()
  faults.passed('before-publish', () => ['a'])
  faults.passed('after-publish', () => ['a', 'b'])
  await Promise.resolve()
  faults.passed('before-write')
  expect(passed()).toBe('0 before-publish a\n0 after-publish a,b\n1 before-write \n')
})

it('log/crash: a record is about its session or about tasks, and the journal about nobody', () => {
  const id = session('a.b')
  const keys = [headerKey(id), markerKey(id), eventKey(id, 3), taskKey(taskIdSchema.parse('bash-1'))]
  expect(keys.map(subjectOfKey)).toEqual(['a.b', 'a.b', 'a.b', 'tasks'])
  expect([journalKey(id, 1), refusedKey(id), '!format'].map(subjectOfKey)).toEqual([null, null, null])
})

it('log/crash: of a move, each way between two changes of disk or sockets is one place to die', () => {
  const at = (text: string): Passage[] =>
    text.split(' ').map((each) => {
      const [point = '', stretch] = each.split('/')
      return { point: pointNames[point] ?? 'before-write', stretch: Number(stretch) }
    })
  const passages = at('bw/0 bb/1 ab/2 aw/2 bp/3 ap/3 bp/3 ap/3 bp/4 ap/4 bb/5 ab/6 bp/7 ap/7')
  expect(worthDying(passages).map((index) => `${index} ${passages[index]?.point}`)).toEqual([
    '0 before-write',
    '3 after-write',
    '8 before-publish',
    '10 before-batch',
    '11 after-batch',
    '13 after-publish',
  ])
})

const pointNames: Readonly<Record<string, Passage['point']>> = {
  bw: 'before-write',
  aw: 'after-write',
  bb: 'before-batch',
  ab: 'after-batch',
  bp: 'before-publish',
  ap: 'after-publish',
}
