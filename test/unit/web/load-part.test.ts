/* Parts of the page that the host has not at hand right now. */
import { expect, it } from 'vitest'
import { loadPart, partsMissing } from '../../../web/load-part.ts'
import { createManualClock } from './manual-clock.ts'

const settle = async () => {
  for (let round = 0; round < 5; round += 1) await Promise.resolve()
}

function play(failures: number) {
  const clock = createManualClock()
  let asked = 0
  const load = loadPart(async () => {
    asked += 1
    if (asked <= failures) throw new TypeError('Failed to fetch')
    return 'the part'
  }, clock.after)
  return { clock, load, asked: () => asked }
}

it('PART-AGAIN: a part is loaded once, at the first call', async () => {
  const { load, asked } = play(0)
  expect(asked()).toBe(0)
  expect(await Promise.all([load(), load()])).toEqual(['the part', 'the part'])
  expect(asked()).toBe(1)
})

it('PART-AGAIN: a host that is away is asked again, more and more rarely, until it answers', async () => {
  const { clock, load, asked } = play(2)
  const part = load()
  await settle()
  clock.advance(999)
  await settle()
  expect(asked()).toBe(1)
  clock.advance(1)
  await settle()
  expect(asked()).toBe(2)
  clock.advance(2_000)
  expect(await part).toBe('the part')
  expect(partsMissing.getState()).toBe(false)
})

it('PART-OLD: a part that stays away is said, until it comes after all', async () => {
  const { clock, load } = play(3)
  const part = load()
  for (const delay of [0, 1_000, 2_000]) {
    clock.advance(delay)
    await settle()
  }
  expect(partsMissing.getState()).toBe(true)
  clock.advance(4_000)
  expect(await part).toBe('the part')
  expect(partsMissing.getState()).toBe(false)
})
