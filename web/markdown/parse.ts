/* Markdown text into top-level blocks. Linear in the length for every input we know; a text that only grew is
   parsed again from where it may still change, and blocks whose source is the same keep their identity, so that drawing
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
  /** What may still become something else: a text that grows is parsed again from here. */
  readonly tail: Tail
  /** A reference definition anywhere can change every block, so such a text is parsed whole. */
  readonly hasReferences: boolean
}

// Raw HTML is recognised and then left out by the tree, so that its content does not turn into text.
const parser = new MarkdownIt({ html: true, linkify: true, maxNesting: 50 })
// Every destination is a link to the parser; `link-target.ts` decides which of them may be opened.
parser.validateLink = () => true
// "readme.md" and "main.rs" are file names, not hosts.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

interface Tail {
  readonly start: number
  /** Of the last blocks. */
  readonly blocks: number
}

interface Piece {
  blocks: MarkdownBlock[]
  tail: Tail
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
  const begun: Begun[] = []
  let group: Token[] = []
  for (const token of tokens) {
    group.push(token)
    if (token.level !== 0 || token.nesting === 1) continue
    const [first, end] = group[0]?.map ?? [0, starts.length]
    const start = starts[first] ?? 0
    begun.push({
      start,
      type: group[0]?.type ?? '',
      isBehindSpace: first === 0 || text.slice(starts[first - 1], start).trim() === '',
    })
    blocks.push({ source: text.slice(start, starts[end] ?? text.length), nodes: withTasks(markdownTree(group)) })
    group = []
  }
  return { blocks, tail: tailOf(begun), hasReferences: Object.keys(env.references ?? {}).length > 0 }
}

interface Begun {
  start: number
  /** Of its first token. */
  type: string
  /** Behind an empty line, or at the beginning. */
  isBehindSpace: boolean
}

/** Nothing goes on with these but what they enclose. */
const closed = new Set(['heading_open', 'hr', 'fence', 'code_block'])
/** An empty line does not end these. */
const lists = new Set(['bullet_list_open', 'ordered_list_open'])

/**
 * The last block; and those before it, where its first line may still turn out to belong there: "#" is a heading and "#x"
 * goes on with the paragraph above, "2" is a paragraph and "2. b" goes on with the list above.
 */
function tailOf(begun: readonly Begun[]): Tail {
  const mayBelong = (at: number) => {
    const above = begun[at - 1]?.type ?? ''
    return lists.has(above) || (!closed.has(above) && begun[at]?.isBehindSpace === false)
  }
  let at = Math.max(0, begun.length - 1)
  while (at > 0 && mayBelong(at)) at -= 1
  return { start: begun[at]?.start ?? 0, blocks: begun.length - at }
}

/** `previous` is what an earlier text of the same place gave; null at first. */
export function parseMarkdown(raw: string, previous: ParsedMarkdown | null): ParsedMarkdown {
  const text = raw.replace(/\r\n?/g, '\n')
  if (previous?.text === text) return previous
  const grows = previous !== null && !previous.hasReferences && text.startsWith(previous.text)
  if (grows && previous.blocks.length > 0) {
    const { start, blocks: count } = previous.tail
    const piece = parsePiece(text.slice(start))
    if (!piece.hasReferences) {
      const blocks = [...previous.blocks.slice(0, -count), ...reused(piece.blocks, previous.blocks.slice(-count))]
      return { text, blocks, tail: { ...piece.tail, start: start + piece.tail.start }, hasReferences: false }
    }
  }
  const whole = parsePiece(text)
  const before = previous !== null && !previous.hasReferences && !whole.hasReferences ? previous.blocks : []
  const { tail, hasReferences } = whole
  return { text, blocks: reused(whole.blocks, before), tail, hasReferences }
}

function reused(blocks: readonly MarkdownBlock[], before: readonly MarkdownBlock[]): MarkdownBlock[] {
  return blocks.map((block, index) => {
    const known = before[index]
    return known !== undefined && known.source === block.source ? known : block
  })
}
