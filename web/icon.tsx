/* Marks and icons: one shape per name, drawn from the sprite in `index.html`. Never alone in saying
   something: a word stands beside it, or an accessible name on the control. */
import type { ReactNode } from 'react'

export type Mark =
  | 'open'
  | 'queued'
  | 'claiming'
  | 'submitted'
  | 'dismissed'
  | 'bypassed'
  | 'superseded'
  | 'removed'
  | 'running'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'killed'
  | 'warn'
  | 'info'
  | 'neutral'
  | 'known'
  | 'idle'

export type Glyph =
  | 'plus'
  | 'search'
  | 'tasks'
  | 'sub'
  | 'life'
  | 'down'
  | 'up'
  | 'right'
  | 'left'
  | 'close'
  | 'send'
  | 'stop'
  | 'lock'
  | 'edit'
  | 'steer'
  | 'copy'
  | 'term'
  | 'file'
  | 'ask'
  | 'grip'
  | 'menu'
  | 'more'
  | 'fork'
  | 'rewind'
  | 'gear'
  | 'theme'
  | 'cut'
  | 'shield'
  | 'agent'
  | 'plate'
  | 'go'
  | 'out'
  | 'bell'

export type IconName = 'brand' | `m-${Mark}` | `i-${Glyph}`

export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg aria-hidden="true" className={className}>
      <use href={`#${name}`} />
    </svg>
  )
}

export type Tone = 'now' | 'warn' | 'bad' | 'old' | 'plain'

/** A mark with its word: `<State mark="running" tone="now" live>Running</State>`. */
export function State(props: { mark: IconName; tone?: Tone; live?: boolean; children: ReactNode }) {
  const tone = props.tone === undefined || props.tone === 'plain' ? '' : ` is-${props.tone}`
  return (
    <span className={`state${tone}`}>
      <Icon name={props.mark} className={props.live === true ? 'live' : undefined} />
      {props.children}
    </span>
  )
}
