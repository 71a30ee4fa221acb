/* Markdown tokens as a tree of the few things this product draws. What is not in `MarkdownNode` cannot be
   drawn: raw HTML, ids, classes and attributes of the source end here. Knows no React and no DOM.
   Rules: MD-HTML raw HTML is left out, MD-DEPTH nesting past a bound goes on without another level. */
import type { Token } from 'markdown-it'

export type ContainerTag = 'p' | 'ul' | 'blockquote' | 'em' | 'strong' | 's' | 'table' | 'thead' | 'tbody' | 'tr'

export type MarkdownNode =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'rule' }
  | { kind: 'inline-code'; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'image'; alt: string; address: string }
  | { kind: 'link'; address: string; children: MarkdownNode[] }
  | { kind: 'heading'; level: number; children: MarkdownNode[] }
  | { kind: 'ordered'; start: number; children: MarkdownNode[] }
  | { kind: 'item'; task: boolean | null; children: MarkdownNode[] }
  | { kind: 'cell'; head: boolean; align: 'left' | 'center' | 'right' | null; children: MarkdownNode[] }
  | { kind: 'container'; tag: ContainerTag; children: MarkdownNode[] }

/** Deeper than anyone reads. The parser bounds blocks itself, but emphasis nests without an end. */
export const maxDepth = 60

const containerByToken: Record<string, ContainerTag> = {
  paragraph_open: 'p',
  bullet_list_open: 'ul',
  blockquote_open: 'blockquote',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
  table_open: 'table',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
}

function alignOf(token: Token): 'left' | 'center' | 'right' | null {
  const style = String(token.attrGet('style') ?? '')
  if (style.endsWith(':right')) return 'right'
  if (style.endsWith(':center')) return 'center'
  return style.endsWith(':left') ? 'left' : null
}

function opened(token: Token): Exclude<MarkdownNode, { kind: 'text' }> | null {
  switch (token.type) {
    case 'heading_open':
      return { kind: 'heading', level: Number(token.tag.slice(1)), children: [] }
    case 'ordered_list_open':
      return { kind: 'ordered', start: Number(token.attrGet('start') ?? 1), children: [] }
    case 'list_item_open':
      return { kind: 'item', task: null, children: [] }
    case 'th_open':
    case 'td_open':
      return { kind: 'cell', head: token.type === 'th_open', align: alignOf(token), children: [] }
    case 'link_open':
      return { kind: 'link', address: String(token.attrGet('href') ?? ''), children: [] }
    default: {
      const tag = containerByToken[token.type]
      return tag === undefined ? null : { kind: 'container', tag, children: [] }
    }
  }
}

/** Null: not drawn (raw HTML, and whatever a future parser brings that nobody here has looked at). */
function leaf(token: Token): MarkdownNode | null {
  switch (token.type) {
    case 'text':
    case 'text_special':
      return { kind: 'text', text: token.content }
    case 'softbreak':
      return { kind: 'text', text: '\n' }
    case 'hardbreak':
      return { kind: 'break' }
    case 'hr':
      return { kind: 'rule' }
    case 'code_inline':
      return { kind: 'inline-code', text: token.content }
    case 'code_block':
      return { kind: 'code', language: '', text: token.content }
    case 'fence':
      return { kind: 'code', language: token.info.trim().split(/\s+/, 1)[0] ?? '', text: token.content }
    case 'image': {
      const alt = plainText(markdownTree(token.children ?? []))
      return { kind: 'image', alt, address: String(token.attrGet('src') ?? '') }
    }
    default:
      return null
  }
}

export function markdownTree(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = []
  const stack: MarkdownNode[][] = [root]
  const place = (token: Token): void => {
    const into = stack.at(-1) ?? root
    if (token.nesting === 1) {
      const node = token.hidden || stack.length > maxDepth ? null : opened(token)
      if (node !== null) into.push(node)
      // A level that is not drawn hands its content to the one around it.
      stack.push(node !== null && 'children' in node ? node.children : into)
    } else if (token.nesting === -1) stack.pop()
    else if (token.type === 'inline') for (const child of token.children ?? []) place(child)
    else {
      const node = leaf(token)
      if (node !== null) into.push(node)
    }
  }
  for (const token of tokens) place(token)
  return root
}

const taskMark = /^\[([ xX])\][ \t\n]/

/** `- [x] done`: the mark leaves the text and becomes a fact of the item. */
export function withTasks(nodes: MarkdownNode[]): MarkdownNode[] {
  for (const node of nodes) {
    if (!('children' in node)) continue
    if (node.kind === 'item') takeTaskMark(node)
    withTasks(node.children)
  }
  return nodes
}

function takeTaskMark(item: Extract<MarkdownNode, { kind: 'item' }>): void {
  const first = item.children[0]
  const text = first?.kind === 'container' && first.tag === 'p' ? first.children[0] : first
  if (text?.kind !== 'text') return
  const mark = taskMark.exec(text.text)
  if (mark === null) return
  item.task = mark[1] !== ' '
  text.text = text.text.slice(mark[0].length)
}

export function plainText(nodes: readonly MarkdownNode[]): string {
  let text = ''
  for (const node of nodes) {
    if ('children' in node) text += plainText(node.children)
    else if (node.kind === 'text' || node.kind === 'inline-code' || node.kind === 'code') text += node.text
    else if (node.kind === 'image') text += node.alt
    else if (node.kind === 'break') text += '\n'
  }
  return text
}
