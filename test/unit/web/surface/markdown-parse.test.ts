// @vitest-environment happy-dom
/* MD-SPEC, MD-GROW: what the parser makes of the 652 examples of CommonMark 0.31.2, at once and while growing. */
import { tests as examples } from 'commonmark-spec'
import { fc } from '../../../harness/property.ts'
import { expect, test } from 'vitest'
import { parseMarkdown, type ParsedMarkdown } from '../../../../web/markdown/parse.ts'
import { type MarkdownNode, plainText } from '../../../../web/markdown/tree.ts'

const nodesOf = (text: string): MarkdownNode[] => parseMarkdown(text, null).blocks.flatMap(({ nodes }) => nodes)

/** Words and tags in the order of the document; white space between them carries nothing. */
function outline(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node): string => {
      switch (node.kind) {
        case 'text':
          return node.text
        case 'break':
          return '<br>'
        case 'rule':
          return '<hr>'
        case 'inline-code':
          return `<code>${node.text}</code>`
        case 'code':
          return `<pre><code>${node.text}</code></pre>`
        case 'image':
          return `<img>${node.alt}`
        case 'link':
          return `<a>${outline(node.children)}</a>`
        case 'heading':
          return `<h${node.level}>${outline(node.children)}</h${node.level}>`
        case 'ordered':
          return `<ol>${outline(node.children)}</ol>`
        case 'item':
          return `<li>${outline(node.children)}</li>`
        case 'cell':
          return `<td>${outline(node.children)}</td>`
        default:
          return `<${node.tag}>${outline(node.children)}</${node.tag}>`
      }
    })
    .join('')
}

function expected(html: string): string {
  const holder = document.createElement('div')
  holder.innerHTML = html
  const walk = (parent: Node): string =>
    [...parent.childNodes]
      .map((child) => {
        if (!(child instanceof Element)) return child.textContent ?? ''
        const tag = child.tagName.toLowerCase()
        if (tag === 'img') return `<img>${child.getAttribute('alt') ?? ''}`
        return tag === 'br' || tag === 'hr' ? `<${tag}>` : `<${tag}>${walk(child)}</${tag}>`
      })
      .join('')
  return walk(holder)
}

const spaceless = (text: string) => text.replace(/\s+/g, '')
const tabs = (text: string) => text.replaceAll('→', '\t')
// Examples about raw HTML outside the two sections of that name: what they show is left out here.
const rawHtml = new Set([21, 31, 344, 475, 476, 477, 642, 643])
// A bare address is a link in GFM and text in CommonMark; these examples show one.
const literalLinks = new Set([602, 608, 611])
const isAboutHtml = (section: string) => section === 'HTML blocks' || section === 'Raw HTML'
const otherTag = /<(?!\/?(?:p|a|ul|ol|li|h\d|em|strong|code|pre|hr|br|img|blockquote)\b)/

test('MD-SPEC every CommonMark example without raw HTML has the structure of the specification', () => {
  const different: number[] = []
  for (const { markdown, html, section, number } of examples) {
    const tree = nodesOf(tabs(markdown))
    if (isAboutHtml(section) || rawHtml.has(number) || literalLinks.has(number) || otherTag.test(html)) continue
    if (spaceless(outline(tree)) !== spaceless(expected(tabs(html)))) different.push(number)
  }
  expect(examples).toHaveLength(652)
  expect(different).toEqual([])
})

test('MD-HTML raw HTML leaves no text behind and no node', () => {
  expect(nodesOf('<div onclick="x()">\nhidden\n</div>\n\nshown')).toEqual([
    { kind: 'container', tag: 'p', children: [{ kind: 'text', text: 'shown' }] },
  ])
  expect(plainText(nodesOf('a <b>bold</b> c'))).toBe('a bold c')
})

test('MD-SPEC tables, strikethrough, task lists and literal links are read', () => {
  const nodes = nodesOf('- [x] ~~done~~ https://a.example/b\n- [ ] open\n\n|n|m|\n|-|-:|\n|1|2|')
  expect(spaceless(outline(nodes))).toBe(
    spaceless(
      '<ul><li><p><s>done</s> <a>https://a.example/b</a></p></li><li><p>open</p></li></ul><table><thead><tr><td>n</td><td>m</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    ).replaceAll(/<\/?p>/g, ''),
  )
  expect(nodes[0]).toMatchObject({ children: [{ task: true }, { task: false }] })
})

test('MD-SPEC file names are no links', () => {
  expect(outline(nodesOf('see readme.md, main.rs and a@b.example'))).toBe(
    '<p>see readme.md, main.rs and a@b.example</p>',
  )
})

function grown(text: string, cuts: readonly number[]): ParsedMarkdown {
  let parsed: ParsedMarkdown | null = null
  for (const cut of [...cuts.map((part) => Math.floor(part * text.length)).toSorted((a, b) => a - b), text.length]) {
    parsed = parseMarkdown(text.slice(0, cut), parsed)
  }
  return parsed ?? parseMarkdown(text, null)
}

test('MD-GROW a text that grows ends as the text that came at once', () => {
  const piece = fc.oneof(
    fc.constantFrom(...examples.map(({ markdown }) => tabs(markdown))),
    fc.string({ maxLength: 12 }),
  )
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('\n'))
  const cut = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(text, fc.array(cut, { maxLength: 8 }), (whole, cuts) => {
      expect(grown(whole, cuts).blocks).toEqual(parseMarkdown(whole, null).blocks)
    }),
    { numRuns: 600, seed: 20261130 },
  )
})

test.each([
  '> a\n```- b` c',
  'a\n#b',
  'a\n-b',
  '- a\n#b',
  '1. a\n\n2. b',
  '- a\n\n+ b\n\n- c',
  '> a\n>\n1b',
  '|a|\n|-|\n|b|\n#c',
  '<div>\n#a\n\n#b',
  '# a\n1. b\n    c',
])('MD-GROW a line that turns out to go on with the block above it does: %j', (text) => {
  const cuts = Array.from(text, (_, index) => index / text.length)
  expect(grown(text, cuts).blocks).toEqual(parseMarkdown(text, null).blocks)
})

test('MD-GROW blocks before the last keep their identity while the text grows', () => {
  const first = parseMarkdown('one\n\ntwo\n\nthr', null)
  const second = parseMarkdown('one\n\ntwo\n\nthree\n\nfour', first)
  expect(second.blocks.slice(0, 2)).toEqual(first.blocks.slice(0, 2))
  expect(second.blocks[0]).toBe(first.blocks[0])
  expect(second.blocks[1]).toBe(first.blocks[1])
})

test('MD-GROW a definition that comes later turns earlier text into a link', () => {
  const first = parseMarkdown('[a]\n\ntext', null)
  const second = parseMarkdown('[a]\n\ntext\n\n[a]: https://a.example', first)
  expect(outline(second.blocks.flatMap(({ nodes }) => nodes))).toContain('<a>a</a>')
})

const nastyByName: Record<string, string> = {
  'closed images': `${'!['.repeat(5_000)}a${'](b)'.repeat(5_000)}`,
  stars: `${'*'.repeat(60_000)}a${'*'.repeat(60_000)}`,
  'mixed emphasis': '*_'.repeat(60_000),
  quotes: '>'.repeat(120_000),
  lists: '- '.repeat(60_000),
  'ordered lists': '1. '.repeat(40_000),
  'steps of lists': Array.from({ length: 480 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
  'literal links': 'www.a_'.repeat(20_000),
  'cells without rows': `${'|a'.repeat(1_000)}\n${'|-'.repeat(1_000)}\n${'|\n'.repeat(30_000)}`,
  'one-line blocks': 'a\n\n'.repeat(40_000),
}

function depthOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((deepest, node) => Math.max(deepest, 'children' in node ? 1 + depthOf(node.children) : 1), 0)
}

test.each(Object.entries(nastyByName))('MD-DEPTH %s neither overflow nor nest without end', (_, text) => {
  expect(depthOf(nodesOf(text))).toBeLessThan(70)
})
