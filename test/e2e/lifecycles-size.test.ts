/* A journal of ten thousand entries in the lifecycles view: every step does what it does in a short one, and only what
   is in view is drawn. On a host the test plays, so that the journal is the same every time. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { machineDefinitions } from '../../machines/definitions.ts'
import { patiently, useStage } from './web-browser.ts'

const stage = useStage()

const live = (state: string) => ({ live: state })

/** Turn after turn, each with a surface that is answered: an entry has the shape a host gives it. */
function journal(length: number): object[] {
  const entries: object[] = []
  const add = (actorId: string, type: string, from: unknown, to: unknown, accepted = true) => {
    const id = entries.length + 1
    const machine = actorId.split(':')[0]
    entries.push({
      id: String(id),
      at: 1.7e12 + id * 137,
      actorId,
      machine,
      sessionId: 's',
      event: { type },
      from,
      to,
      accepted,
    })
  }
  add('session:s', 'xstate.init', null, live('idle'))
  for (let round = 1; entries.length < length; round += 1) {
    add('session:s', 'ENQUEUE', live('idle'), live('boundary'))
    add('session:s', 'CLAIM', live('boundary'), live('claiming'))
    add('session:s', 'ISSUE', live('claiming'), live('committing'))
    add('session:s', 'COMMIT', live('committing'), live('running'))
    add(`turn:${round}:s`, 'xstate.init', null, live('calling'))
    add(`surface:ts-${round}`, 'xstate.init', null, live('open'))
    add(`turn:${round}:s`, 'ANSWERED', live('calling'), 'ending')
    add(`turn:${round}:s`, 'ENDED', 'ending', 'ended')
    add('session:s', 'CONFIGURE', live('running'), live('running'), false)
    add(`surface:ts-${round}`, 'SUBMIT', live('open'), live('queued'))
    add(`surface:ts-${round}`, 'DISCARD', live('queued'), live('open'))
    add(`surface:ts-${round}`, 'BYPASS', live('open'), 'closed')
    add('session:s', 'TURN_ENDED', live('running'), live('boundary'))
    add('session:s', 'CLAIM', live('boundary'), live('idle'))
  }
  return entries.slice(0, length)
}

function serve(entries: readonly object[]): void {
  stage.host.on('inspect.machines', () => ({ result: { machines: machineDefinitions() } }))
  stage.host.on('inspect.subscribe', () => ({ result: { actors: [] } }))
  stage.host.on('inspect.journal', ({ afterId, limit }) => {
    const from = Number(afterId ?? 0)
    const page = entries.slice(from, from + Number(limit))
    return { result: { entries: page, hasMore: from + page.length < entries.length } }
  })
}

/** Nodes that jumps of the scrubber put into the page or change, all together. */
function changedBy(page: Page, jumps: number): Promise<number> {
  return page.evaluate(async (count) => {
    const slider = document.querySelector<HTMLInputElement>('#scrub')
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
    if (slider === null || setter === undefined) throw new Error('no scrubber')
    let changed = 0
    const observer = new MutationObserver((records) => {
      for (const { addedNodes, type } of records) changed += type === 'childList' ? addedNodes.length : 1
    })
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    const most = Number(slider.max)
    for (let jump = 0; jump < count; jump += 1) {
      setter.call(slider, String(Math.max(1, Math.round(most - ((jump * 7919) % most)))))
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
    }
    await new Promise(requestAnimationFrame)
    observer.disconnect()
    return changed
  }, jumps)
}

test('LIFE-SIZE: a step in a journal of ten thousand entries changes no more of the page than one in a short journal', async () => {
  stage.host.add('s', { title: 'Long' })
  // Long enough to fill both lists, so that a jump draws as many rows in either.
  serve(journal(600))
  const short = await stage.open('/s/s/lifecycles')
  await expect.poll(() => short.locator('.scrub-read').innerText(), patiently).toContain('600 of 600')

  serve(journal(10_000))
  const page = await stage.open('/s/s/lifecycles')
  await expect.poll(() => page.locator('.scrub-read').innerText(), patiently).toContain('10000 of 10000')
  await page.locator('.react-flow__node').first().waitFor()
  await short.bringToFront()
  const fewChanged = await changedBy(short, 25)
  await short.close()
  await page.bringToFront()
  const manyChanged = await changedBy(page, 25)
  expect(fewChanged).toBeGreaterThan(0)
  // Sixteen times the entries; a jump goes farther, so it meets more actors in other states.
  expect(manyChanged).toBeLessThanOrEqual(4 * fewChanged)

  // Only a screenful is drawn of both lists, wherever they stand, and what is drawn is what is asked for.
  await page.getByRole('radio', { name: 'All actors' }).check()
  for (const key of ['Home', 'End', 'PageUp']) {
    await page.getByRole('listbox').focus()
    await page.keyboard.press(key)
    await page.locator('.ev-row[aria-selected=true]').waitFor()
    expect(await page.locator('.ev-row').count()).toBeLessThan(80)
    expect(await page.locator('.kids .actor').count()).toBeLessThan(80)
  }
  expect(await page.locator('.ev-row[aria-selected=true]').getAttribute('aria-posinset')).toBe('9990')
  await page.getByRole('searchbox', { name: 'Find an actor' }).fill('turn 313')
  await page.getByRole('button', { name: /^Turn 313/ }).click()
  await expect.poll(() => page.getByRole('heading', { level: 2, name: 'Turn 313' }).count(), patiently).toBe(1)
  // What comes now comes at the end, once, although it is told twice.
  const [next] = journal(10_001).slice(-1)
  await page.getByRole('button', { name: 'Go live' }).click()
  for (let times = 0; times < 2; times += 1) stage.host.sendAll({ type: 'actor/inspect', entry: next })
  await expect.poll(() => page.locator('.scrub-read').innerText(), patiently).toContain('10001 of 10001')
  // A lost connection leaves everything where it is, and says so.
  stage.host.drop({ stay: true })
  await page.getByText('Last known: the connection is gone.').waitFor()
  expect(await page.locator('.scrub-read').innerText()).toContain('10001 of 10001')
})
