/* Drives one Task Surface through the real page by the events of the surface machine, and reads from the page where the
   surface stands. What a person does is done in the page; CLAIM and COMMIT are the host's own steps, held and released
   by the gate. Two things no page offers, so another client does them: interrupting a claim that is no turn yet, and
   removing the session somebody else looks at. */
import type { Page } from 'playwright-core'
import type { SurfaceDriver } from '../model/surface-driver.ts'
import type { SurfaceEvent, SurfaceSnapshot } from '../model/surface-paths.ts'

/** Everything of a page that tells where its surface stands. */
interface Look {
  /** The word beside the mark of the dock. */
  word: string | null
  /** What the dock lets a person do. */
  offers: string[]
  /** Why it is open again. */
  notice: string
  /** The word on the row in the transcript. */
  row: string | null
  isMissing: boolean
}

const discardByNotice: Readonly<Record<string, string>> = {
  'They were taken out of the queue.': 'removed',
  'The turn was interrupted before it began.': 'cancelled',
}
const closedByWord: Readonly<Record<string, string>> = {
  Submitted: 'submitted',
  Dismissed: 'dismissed',
  'Bypassed by a message': 'bypassed',
}

function lookAt(page: Page): Promise<Look> {
  return page.evaluate(() => {
    const wordIn = (selector: string) => {
      const state = document.querySelector(`${selector} .state`)
      // When it ended stands beside how.
      const time = state?.querySelector('time')?.textContent ?? ''
      return state?.textContent.replace(time, '').trim() ?? null
    }
    const can = (name: string, selector: string) => {
      const control = document.querySelector(`.dock ${selector}`)
      return control !== null && !control.matches(':disabled') ? [name] : []
    }
    const button = (name: string, word: string) =>
      [...document.querySelectorAll<HTMLButtonElement>('.dock button')].some(
        (one) => !one.disabled && one.textContent.trim() === word,
      )
        ? [name]
        : []
    return {
      word: wordIn('.dock'),
      offers: [
        ...can('edit', '[data-field="answer"] input'),
        ...can('note', '.dock-answer textarea'),
        ...can('submit', '.btn-main'),
        ...button('dismiss', 'Dismiss'),
        ...button('remove', 'Remove from queue'),
      ],
      notice: document.querySelector('.dock .notice')?.textContent ?? '',
      row: wordIn('.ts-row'),
      isMissing: document.body.textContent.includes('It was removed, or its address is wrong.'),
    }
  })
}

/** In the words of the machine; a look that fits none of them is told as it is. */
function standingIn(look: Look): string {
  const { word, offers, row, notice, isMissing } = look
  const odd = JSON.stringify(look)
  if (isMissing) return word === null ? 'removed' : odd
  const offered = offers.join(' ')
  if (word === 'Open' && row === 'Open below' && offered === 'edit note submit dismiss') {
    const reason = Object.entries(discardByNotice).find(([sentence]) => notice.includes(sentence))?.[1]
    return reason === undefined ? (notice === '' ? 'open' : odd) : `open, ${reason}`
  }
  if (word === 'Queued' && offered === 'remove') return 'queued'
  if (word === 'Sending' && offered === '') return 'claiming'
  const closed = closedByWord[row ?? '']
  // Where answers were typed, a line stays in place of the dock that was bypassed.
  const isGone = word === null || (closed === 'bypassed' && word === row)
  return closed !== undefined && offered === '' && isGone ? closed : odd
}

const patienceMs = 8_000
const lookEveryMs = 25

export class SurfacePageDriver {
  readonly #page: Page
  readonly #driver: SurfaceDriver
  /** The row of an ordinary message that stands ahead of the submission. */
  #isAhead = false
  #claimed = ''

  private constructor(page: Page, driver: SurfaceDriver) {
    this.#page = page
    this.#driver = driver
  }

  /** Goes to the session by its link, as a person does. */
  static async open(page: Page, driver: SurfaceDriver): Promise<SurfacePageDriver> {
    await page.locator(`a[href="/s/${driver.sessionId}"]`).first().click()
    return new SurfacePageDriver(page, driver)
  }

  /** Where the page says it stands, once that is what is expected; else what it said last. */
  async standing(expected: string): Promise<string> {
    const until = performance.now() + patienceMs
    for (;;) {
      const standing = standingIn(await lookAt(this.#page))
      if (standing === expected || performance.now() > until) return standing
      await this.#page.waitForTimeout(lookEveryMs)
    }
  }

  /** A message written now stands ahead of a later submission. */
  async writeAhead(): Promise<void> {
    this.#isAhead = true
    await this.#write()
  }

  async perform(event: SurfaceEvent, before: SurfaceSnapshot): Promise<void> {
    const { dock } = this
    switch (event.type) {
      case 'SUBMIT':
        await dock.getByRole('textbox', { name: 'Answer' }).fill('x')
        return dock.locator('.btn-main').click()
      case 'CLAIM':
        this.#claimed = await this.#driver.claim()
        return
      case 'COMMIT':
        return this.#driver.commit(this.#claimed)
      case 'DISCARD':
        if (before.matches({ live: 'queued' })) return dock.getByRole('button', { name: 'Remove from queue' }).click()
        await this.#driver.interrupt()
        return
      case 'DISMISS':
        return dock.getByRole('button', { name: 'Dismiss' }).click()
      case 'BYPASS':
        if (!this.#isAhead) await this.#write()
        return this.#driver.commit(await this.#driver.claim())
      case 'REMOVE':
        await this.#driver.remove()
        return
      case 'SUPERSEDE':
        throw new Error('a live host supersedes nothing')
    }
  }

  /** What a person can try for an event that is refused: the key of a button that is not there, a message to what is closed. */
  async tryAnyway(event: SurfaceEvent): Promise<void> {
    switch (event.type) {
      case 'SUBMIT':
        if ((await this.dock.locator('.dock-body').count()) === 0) return
        await this.dock.locator('#surface-title').focus()
        return this.#page.keyboard.press('Control+Enter')
      case 'DISMISS':
      case 'DISCARD':
        // Their buttons have no key; that they are not offered is part of every look.
        return
      case 'BYPASS':
        await this.#write()
        return this.#driver.commit(await this.#driver.claim())
      case 'CLAIM':
      case 'COMMIT':
      case 'REMOVE':
      case 'SUPERSEDE':
        throw new Error(`nothing in a page stands for ${event.type}`)
    }
  }

  get dock() {
    return this.#page.locator('.dock')
  }

  async #write(): Promise<void> {
    const rows = this.#driver.view.queue.length
    await this.#page.locator('#composer').fill(`${this.#driver.sessionId} says something else`)
    await this.#page.locator('#composer').press('Enter')
    await this.#driver.changes.until(() => this.#driver.view.queue.length > rows, 'the message in the queue')
  }
}
