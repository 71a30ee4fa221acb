/* What the agent shows in a surface: sections of read-only blocks. Pure drawing of a normalised model; every
   Markdown text is alt-only. Large models appear section by section without blocking input. */
import { memo, startTransition, useEffect, useState } from 'react'
import type { TaskSurfaceBlock, TaskSurfaceModelV1, TaskSurfaceSection } from '../../../shared/surface/model.ts'
import { Icon, type IconName } from '../../icon.tsx'
import { Markdown } from '../../markdown/markdown.tsx'
import { DiffBlock } from './diff-block.tsx'
import { TableBlock } from './table-block.tsx'

/** Blocks drawn in the first go: as many as a dock shows before anyone scrolls. */
const firstBlocks = 6
/** And in each step after it. */
const moreBlocks = 12

/** Counts up to `total` in steps that give way to typing. */
function useGradually(total: number): number {
  const [limit, setLimit] = useState(firstBlocks)
  useEffect(() => {
    if (limit < total) startTransition(() => setLimit(limit + moreBlocks))
  }, [limit, total])
  return Math.min(limit, total)
}

export const SurfaceContent = memo(function SurfaceContent(props: {
  model: TaskSurfaceModelV1
  /** Level of a section's heading; headings in texts stand below it. */
  heading: 3 | 4
}) {
  const { sections, description } = props.model
  const total = sections.reduce((sum, { blocks }) => sum + blocks.length, 0)
  let left = useGradually(total)
  return (
    <>
      {description === undefined ? null : <p className="dock-desc">{description}</p>}
      {sections.map((section) => {
        const shown = Math.max(0, Math.min(left, section.blocks.length))
        left -= section.blocks.length
        return shown === 0 ? null : <Section key={section.id} section={section} shown={shown} heading={props.heading} />
      })}
    </>
  )
})

const Section = memo(function Section(props: { section: TaskSurfaceSection; shown: number; heading: 3 | 4 }) {
  const { section, shown, heading } = props
  const Heading = heading === 3 ? 'h3' : 'h4'
  const grid = section.layout === undefined ? '' : ` grid-${section.layout.columns}`
  return (
    <section className="sec">
      {section.title === undefined ? null : <Heading>{section.title}</Heading>}
      <div className={`blocks${grid}`}>
        {section.blocks.slice(0, shown).map((block, index) => (
          // Blocks of a logged model never move.
          <Block key={index} block={block} label={section.title} heading={heading} />
        ))}
      </div>
    </section>
  )
})

const Block = memo(function Block(props: { block: TaskSurfaceBlock; label: string | undefined; heading: 3 | 4 }) {
  const { block, label, heading } = props
  switch (block.kind) {
    case 'markdown':
      return (
        <Markdown
          text={block.text}
          remoteImages="alt-only"
          className="md md-block"
          topHeading={heading === 3 ? 4 : 5}
        />
      )
    case 'metrics':
      return <Metrics block={block} />
    case 'table':
      return <TableBlock block={block} label={label} />
    case 'diff':
      return <DiffBlock block={block} />
    case 'notice':
      return (
        <div className={`notice notice-${block.tone}`}>
          <Icon name={markOfTone[block.tone]} />
          <div className="notice-text">{block.text}</div>
        </div>
      )
    default: {
      const never: never = block
      return never
    }
  }
})

const markOfTone: Record<'neutral' | 'info' | 'warning', IconName> = {
  neutral: 'm-neutral',
  info: 'm-info',
  warning: 'm-warn',
}

function Metrics({ block }: { block: Extract<TaskSurfaceBlock, { kind: 'metrics' }> }) {
  return (
    <dl className="metrics">
      {block.items.map(({ label, value, detail }, index) => (
        <div key={index}>
          <dt>{label}</dt>
          <dd>{value}</dd>
          {detail === undefined ? null : <dd>{detail}</dd>}
        </div>
      ))}
    </dl>
  )
}
