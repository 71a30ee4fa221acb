// @vitest-environment happy-dom
/* What the Markdown component puts into the page: links, images, code, and how little it draws again. */
import { expect, test } from 'vitest'
import { linkTarget } from '../../../../web/markdown/link-target.ts'
import { formattedLimit, Markdown } from '../../../../web/markdown/markdown.tsx'
import { draw, one } from './render.tsx'

const text = (value: string) => draw(<Markdown text={value} remoteImages="alt-only" />).host

test.each([
  ['https://a.example/b?c=d#e', 'https://a.example/b?c=d#e'],
  ['HTTP://A.example', 'http://a.example/'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
])('MD-LINK %s may be opened', (address, target) => {
  expect(linkTarget(address)).toBe(target)
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'vbscript:x',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'blob:https://a.example/x',
  'ftp://a.example',
  '//a.example/x',
  '/rpc',
  './x',
  '../x',
  '#composer',
  'x',
  '',
  'https:a.example',
  'https:/a.example',
  'https:\\\\a.example',
  'https://a.example\\@b.example',
  'https://user@a.example',
  'https://user:pass@a.example',
  'https://a.exa\u200bmple',
  'https://a%0a.example',
  'http://',
  'view-source:https://a.example',
])('MD-LINK %j is no link', (address) => {
  expect(linkTarget(address)).toBeNull()
})

test('MD-LINK an admitted link opens elsewhere and tells nobody where it was clicked', () => {
  const link = one(text('[x](https://a.example)'), 'a')
  expect(link.getAttribute('href')).toBe('https://a.example/')
  expect(link.getAttribute('target')).toBe('_blank')
  expect(link.getAttribute('rel')).toBe('noopener noreferrer')
})

test('MD-LINK what may not be opened is shown as its text', () => {
  const host = text('[x](javascript:alert%281%29) [y](/rpc) <data:text/html,z>')
  expect(host.querySelector('a')).toBeNull()
  expect(host.textContent).toBe('x y data:text/html,z')
})

test.each([
  ['inline', '![a *b*](https://a.example/x.png "t")', 'a b'],
  ['reference', '![a][r]\n\n[r]: //a.example/x.png', 'a'],
  ['collapsed reference', '![r][]\n\n[r]: ./x.png', 'r'],
  ['shortcut reference', '![r]\n\n[r]: data:image/png;base64,AA', 'r'],
  ['in a link', '[![a](x.png)](https://a.example)', 'a'],
  ['in a heading', '# ![a](x.png)', 'a'],
  ['in a cell', '|![a](x.png)|\n|-|\n', 'a'],
])('MD-ALT an image %s is its alternative text', (_, source, alt) => {
  const host = text(source)
  expect(host.querySelector('img, picture, video, audio, object, embed, iframe, svg image')).toBeNull()
  expect(one(host, '.md').textContent).toBe(alt)
})

test('MD-ALT only `render` draws an image, and only from an absolute http address', () => {
  const render = (source: string) => draw(<Markdown text={source} />).host
  expect(one(render('![a](https://a.example/x.png)'), 'img').getAttribute('alt')).toBe('a')
  expect(render('![a](//a.example/x.png)').querySelector('img')).toBeNull()
  expect(render('![a](data:image/png;base64,AA)').querySelector('img')).toBeNull()
})

test('MD-HTML no element of the source reaches the page', () => {
  const host = text(
    '<img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<iframe src="//a.example"></iframe>\n\n<p id=composer>x</p>\n\n`<b>`',
  )
  expect(host.querySelector('img, script, iframe, [id], [onerror]')).toBeNull()
  expect(host.textContent).toContain('<b>')
})

test('MD-HTML neither ids nor classes come from the text', () => {
  const host = text('# Composer {#composer}\n\n```app"><x\ncode\n```\n\n[^1]\n\n[^1]: note')
  expect(host.querySelector('[id]')).toBeNull()
  expect([...host.querySelectorAll('[class]')].map((found) => found.className).join(' ')).not.toMatch(/app/)
})

test('MD-HTML headings start at the level of the place and stay within it', () => {
  const host = draw(<Markdown text={'## a\n\n### b\n\n###### c'} topHeading={4} />).host
  expect([...host.querySelectorAll('h4, h5, h6')].map(({ tagName }) => tagName)).toEqual(['H4', 'H5', 'H6'])
})

test('MD-HTML task marks are named and cannot be changed', () => {
  const host = text('- [x] a\n- [ ] b')
  const boxes = [...host.querySelectorAll('input')]
  expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [true, true],
    [false, true],
  ])
  expect(boxes.map((box) => box.getAttribute('aria-label'))).toEqual(['Done', 'Not done'])
})

test('MD-GROW a settled block is not drawn again while the text grows', () => {
  const drawn = draw(<Markdown text={'one\n\n```sql\nselect\n```\n\ntw'} />)
  const before = one(drawn.host, 'pre')
  drawn.update(<Markdown text={'one\n\n```sql\nselect\n```\n\ntwo\n\nthree'} />)
  expect(one(drawn.host, 'pre')).toBe(before)
  expect(drawn.host.querySelectorAll('p')).toHaveLength(3)
})

test('MD-GROW half-written Markdown draws what is there', () => {
  expect(text('a **b').textContent).toBe('a **b')
  expect(one(text('```js\nlet a'), 'code').textContent).toBe('let a')
  expect(text('[a](https://a.exa').textContent).toContain('[a](')
  expect(text('|a|b|\n|-').textContent).toContain('|a|b|')
})

test('MD-HUGE a text past the bound is whole, plain and says so', () => {
  const huge = '**a**\n'.repeat(formattedLimit / 6 + 1)
  const host = text(huge)
  expect(one(host, 'pre').textContent).toBe(huge)
  expect(host.textContent).toContain('too long to format')
  expect(host.querySelector('strong')).toBeNull()
})

test('MD-HUGE a long text is drawn to its end', () => {
  const host = text(Array.from({ length: 2_000 }, (_, index) => `paragraph ${index}`).join('\n\n'))
  expect(host.querySelectorAll('p')).toHaveLength(2_000)
})

test('MD-HUGE a long table shows its first rows and offers the others', () => {
  const host = text(`|n|\n|-|\n${'|a|\n'.repeat(100)}`)
  expect(host.querySelectorAll('tbody tr')).toHaveLength(60)
  expect(one(host, '.fold-btn').textContent).toBe('Show 40 more rows')
})
