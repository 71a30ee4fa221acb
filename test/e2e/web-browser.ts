/* Chromium for the tests of the web client. A page fails its test when the browser reports an error: an
   exception, a broken content policy, a failed request to anything but the host that the test took away. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type ScriptedHost, startScriptedHost } from './web-scripted-host.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--force-color-profile=srgb']

export interface Stage {
  host: ScriptedHost
  /** A page of its own profile. */
  open(path?: string, options?: BrowserContextOptions & { prepare?: (page: Page) => Promise<void> }): Promise<Page>
  /** Another tab of the same profile. */
  tabOf(page: Page, path: string): Promise<Page>
}

/** For `expect.poll`: long enough for a machine that does other things as well. */
export const patiently = { timeout: 20_000 }

/** What the browser says when a host is away, which several tests want. */
const expectedNoise = /WebSocket connection|ERR_CONNECTION|Failed to load resource/

export function useStage(): Stage {
  let browser: Browser
  let host: ScriptedHost
  const problems: string[] = []

  function watch(page: Page): Page {
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !expectedNoise.test(message.text())) problems.push(message.text())
    })
    return page
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args })
  })
  beforeEach(async () => {
    host = await startScriptedHost()
  })
  afterAll(async () => {
    await browser.close()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    await host.close()
    expect(problems.splice(0)).toEqual([])
  })
  return {
    get host() {
      return host
    },
    async open(path = '/', { prepare, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
      const page = watch(await context.newPage())
      await prepare?.(page)
      await page.goto(host.url + path)
      return page
    },
    async tabOf(page, path) {
      const tab = watch(await page.context().newPage())
      await tab.goto(host.url + path)
      return tab
    },
  }
}
