import { expect, it } from 'vitest'
import { faultPointNames, killingFaultPoints } from '../../../host/log/fault-points.ts'

it.each(faultPointNames)('log/crash: kills at the n-th passage of %s, once, and at no other point', (point) => {
  let kills = 0
  const faults = killingFaultPoints(`${point}:2`, () => (kills += 1))
  for (const other of faultPointNames) if (other !== point) for (let n = 0; n < 3; n += 1) faults.passed(other)
  faults.passed(point)
  expect(kills).toBe(0)
  faults.passed(point)
  expect(kills).toBe(1)
  faults.passed(point)
  expect(kills).toBe(1)
})

it.each([
  '',
  'after-write',
  'after-write:',
  'after-write:0',
  'after-write:1.5',
  'after-write:x',
  'afterwrite:1',
  'after-write:1:2',
  ':1',
])('log/crash: %j is refused loudly, so that no crash test passes without a crash', (spec) => {
  expect(() => killingFaultPoints(spec, () => {})).toThrow(/before-write/)
})
