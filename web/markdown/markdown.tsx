/* Markdown as React elements (SPEC 9). What an author controls is text, structure and link addresses that
   `link-target.ts` admits, opened by a click; never markup, an attribute or a request. Settled blocks are not
   drawn again while a text grows, long texts appear piece by piece, and past `formattedLimit` as plain text.
   Rules: MD-ALT, MD-LINK, MD-HTML, MD-GROW, MD-HUGE. Next: `parse.ts`, `tree.ts`. */
import { memo, type ReactNode, startTransition, useEffect, useRef, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { linkTarget } from './link-target.ts'
import { type MarkdownBlock, type ParsedMarkdown, parseMarkdown } from './parse.ts'
import { markdownTexts } from './strings.ts'
import type { MarkdownNode } from './tree.ts'

/** UTF-16 units. Parsing takes about a millisecond a kilobyte on a slow machine, and a page must stay usable meanwhile. */
export const formattedLimit = 120_000
/** Units parsed and drawn in the first go; the rest follows without blocking input. */
const firstPiece = 6_000
/** Rows of one table drawn before a button offers the others. */
const firstRows = 60

export type RemoteImages = 'render' | 'alt-only'

interface Look {
  images: RemoteImages
  /** Level of the highest heading of the text, so that the page keeps one outline. */
  shift: number
}

export interface MarkdownProps {
  text: string
  /** `render` is the ordinary default of the component. Everything in this product passes `alt-only`: no address of a model is requested before a click. */
  remoteImages?: RemoteImages
  className?: string
  /** The level that the text's highest heading gets. */
  topHeading?: 2 | 3 | 4 | 5
}

export const Markdown = memo(function Markdown(props: MarkdownProps) {
  const { text, remoteImages = 'render', className = 'md', topHeading = 3 } = props
  const t = markdownTexts.use()
  if (text.length <= formattedLimit) {
    return <Formatted text={text} images={remoteImages} className={className} topHeading={topHeading} />
  }
  return (
    <div className={className}>
      <p className="dim">{t('tooLong')}</p>
      <pre className="md-plain">{text}</pre>
    </div>
  )
})

function useParsed(text: string): ParsedMarkdown {
  const last = useRef<ParsedMarkdown | null>(null)
  // A cache of a pure function: what it returns does not depend on what it held.
  last.current = parseMarkdown(text, last.current)
  return last.current
}

function Formatted(props: { text: string; images: RemoteImages; className: string; topHeading: number }) {
  const { images, className, topHeading } = props
  const { blocks } = useParsed(useGrowing(props.text))
  const shift = topHeading - highestHeading(blocks)
  return (
    <div className={className}>
      {blocks.map((block, index) => (
        // Blocks have no identity but their place: text is only ever appended.
        <Block key={index} block={block} images={images} shift={shift} />
      ))}
    </div>
  )
}

function highestHeading(blocks: readonly MarkdownBlock[]): number {
  let highest = 7
  for (const { nodes } of blocks) {
    for (const node of nodes) if (node.kind === 'heading') highest = Math.min(highest, node.level)
  }
  return highest === 7 ? 1 : highest
}

/** As much of the text as is drawn now, cut between blocks. More comes in transitions, which give way to typing. */
function useGrowing(text: string): string {
  const [limit, setLimit] = useState(firstPiece)
  const hasMore = text.length > limit
  useEffect(() => {
    if (hasMore) startTransition(() => setLimit(limit + 2 * firstPiece))
  }, [hasMore, limit])
  if (!hasMore) return text
  const cut = text.lastIndexOf('\n\n', limit)
  return text.slice(0, cut > 0 ? cut : limit)
}

const Block = memo(function Block({ block, images, shift }: { block: MarkdownBlock } & Look) {
  return drawAll(block.nodes, { images, shift })
})

function drawAll(nodes: readonly MarkdownNode[], look: Look): ReactNode[] {
  return nodes.map((node, index) => draw(node, index, look))
}

function draw(node: MarkdownNode, key: number, look: Look): ReactNode {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'break':
      return <br key={key} />
    case 'rule':
      return <hr key={key} />
    case 'inline-code':
      return <code key={key}>{node.text}</code>
    case 'code':
      return <CodeBlock key={key} language={node.language} text={node.text} />
    case 'image':
      return <Image key={key} alt={node.alt} address={node.address} images={look.images} />
    case 'link':
      return (
        <Link key={key} address={node.address}>
          {drawAll(node.children, look)}
        </Link>
      )
    case 'heading': {
      const level = Math.min(6, Math.max(2, node.level + look.shift))
      const Heading = headings[level - 2] ?? 'h6'
      return <Heading key={key}>{drawAll(node.children, look)}</Heading>
    }
    case 'ordered':
      return (
        <ol key={key} start={node.start}>
          {drawAll(node.children, look)}
        </ol>
      )
    case 'item':
      return (
        <Item key={key} task={node.task}>
          {drawAll(node.children, look)}
        </Item>
      )
    case 'cell': {
      const Cell = node.head ? 'th' : 'td'
      const scope = node.head ? { scope: 'col' } : {}
      return (
        <Cell key={key} {...scope} className={cellClass[node.align ?? 'left']}>
          {drawAll(node.children, look)}
        </Cell>
      )
    }
    case 'container': {
      if (node.tag === 'table') return <Table key={key} node={node} look={look} />
      const Tag = node.tag
      return <Tag key={key}>{drawAll(node.children, look)}</Tag>
    }
    default: {
      const never: never = node
      return never
    }
  }
}

const headings = ['h2', 'h3', 'h4', 'h5', 'h6'] as const
const cellClass = { left: undefined, center: 'mid', right: 'n' }

function Link({ address, children }: { address: string; children: ReactNode }) {
  const target = linkTarget(address)
  if (target === null) return <span>{children}</span>
  return (
    <a href={target} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer">
      {children}
    </a>
  )
}

function Image({ alt, address, images }: { alt: string; address: string; images: RemoteImages }) {
  const source = images === 'render' ? linkTarget(address) : null
  if (source === null || source.startsWith('mailto:')) return alt
  return <img src={source} alt={alt} loading="lazy" referrerPolicy="no-referrer" />
}

function Item({ task, children }: { task: boolean | null; children: ReactNode }) {
  const t = markdownTexts.use()
  if (task === null) return <li>{children}</li>
  return (
    <li className="md-task">
      <input type="checkbox" disabled checked={task} aria-label={t(task ? 'done' : 'notDone')} />
      {children}
    </li>
  )
}

type ContainerNode = Extract<MarkdownNode, { kind: 'container' }>

function isContainer(node: MarkdownNode, tag: ContainerNode['tag']): node is ContainerNode {
  return node.kind === 'container' && node.tag === tag
}

function Table({ node, look }: { node: ContainerNode; look: Look }) {
  const t = markdownTexts.use()
  const [all, setAll] = useState(false)
  const head = node.children.find((child) => isContainer(child, 'thead'))
  const body = node.children.find((child) => isContainer(child, 'tbody'))
  const rows = body !== undefined && isContainer(body, 'tbody') ? body.children : []
  const shown = all ? rows : rows.slice(0, firstRows)
  return (
    <div className="tbl-wrap" tabIndex={0} role="group" aria-label={t('table')}>
      <table>
        {head === undefined ? null : draw(head, 0, look)}
        <tbody>{drawAll(shown, look)}</tbody>
      </table>
      {shown.length === rows.length ? null : (
        <button type="button" className="fold-btn" onClick={() => setAll(true)}>
          {t('moreRows', { rows: rows.length - shown.length })}
        </button>
      )}
    </div>
  )
}
