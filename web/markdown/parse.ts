/* Markdown text into top-level blocks. Linear in the length for every input we know; a text that only grew is
   parsed again from its last block on, and blocks whose source is the same keep their identity, so that drawing
   can skip them. Rules: MD-SPEC CommonMark with GFM tables, strikethrough, task lists and literal links;
   MD-GROW parsing a growing text gives what parsing it at once gives. */
import MarkdownIt from 'markdown-it'
import type { Env, Token } from 'markdown-it'
import { type MarkdownNode, markdownTree, withTasks } from './tree.ts'

export interface MarkdownBlock {
  readonly source: string
  readonly nodes: readonly MarkdownNode[]
}

export interface ParsedMarkdown {
  readonly text: string
  readonly blocks: readonly MarkdownBlock[]
  /** Where the last block begins; a text that grows is parsed again from here. */
  readonly tailStart: number
  /** A reference definition anywhere can change every block, so such a text is parsed whole. */
  readonly hasReferences: boolean
}

// Raw HTML is recognised and then left out by the tree, so that its content does not turn into text.
const parser = new MarkdownIt({ html: true, linkify: true, maxNesting: 50 })
// Every destination is a link to the parser; `link-target.ts` decides which of them may be opened.
parser.validateLink = () => true
// "readme.md" and "main.rs" are file names, not hosts.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

interface Piece {
  blocks: MarkdownBlock[]
  lastStart: number
  hasReferences: boolean
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function parsePiece(text: string): Piece {
  const env: Env = {}
  const tokens = parser.parse(text, env)
  const starts = lineStarts(text)
  const blocks: MarkdownBlock[] = []
  let lastStart = 0
  let group: Token[] = []
  for (const token of tokens) {
    group.push(token)
    if (token.level !== 0 || token.nesting === 1) continue
    const lines = group[0]?.map ?? [0, starts.length]
    lastStart = starts[lines[0]] ?? 0
    const source = text.slice(lastStart, starts[lines[1]] ?? text.length)
    blocks.push({ source, nodes: withTasks(markdownTree(group)) })
    group = []
  }
  return { blocks, lastStart, hasReferences: Object.keys(env.references ?? {}).length > 0 }
}

/** `previous` is what an earlier text of the same place gave; null at first. */
export function parseMarkdown(raw: string, previous: ParsedMarkdown | null): ParsedMarkdown {
  const text = raw.replace(/\r\n?/g, '\n')
  if (previous?.text === text) return previous
  const grows = previous !== null && !previous.hasReferences && text.startsWith(previous.text)
  if (grows && previous.blocks.length > 0) {
    const tail = parsePiece(text.slice(previous.tailStart))
    if (!tail.hasReferences) {
      const kept = previous.blocks.slice(0, -1)
      const blocks = [...kept, ...reused(tail.blocks, previous.blocks.slice(-1))]
      return { text, blocks, tailStart: previous.tailStart + tail.lastStart, hasReferences: false }
    }
  }
  const whole = parsePiece(text)
  const before = previous !== null && !previous.hasReferences && !whole.hasReferences ? previous.blocks : []
  const { lastStart, hasReferences } = whole
  return { text, blocks: reused(whole.blocks, before), tailStart: lastStart, hasReferences }
}

function reused(blocks: readonly MarkdownBlock[], before: readonly MarkdownBlock[]): MarkdownBlock[] {
  return blocks.map((block, index) => {
    const known = before[index]
    return known !== undefined && known.source === block.source ? known : block
  })
}
