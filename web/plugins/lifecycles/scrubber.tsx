/* The scrubber: one step for each entry of the journal, under it the scale, whose ticks stand at entries. At its end it
   follows what happens. */
import { useRef } from 'react'
import { Icon } from '../../icon.tsx'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { useSize } from './use-size.ts'

export interface ScrubberProps {
  count: number
  /** Counted from 0; -1 where there is no entry. */
  at: number
  isLive: boolean
  /** In words: actor, event and time of the entry. */
  actor: string
  event: string
  time: string
  /** `null`: the end, which goes on. */
  onGo: (position: number | null) => void
}

const narrowestTickPx = 7

/** How many entries lie between two ticks, so that they stay apart: 1, 2, 5, 10, 20, … Every fifth of them is a long one. */
export function tickStep(count: number, widthPx: number): number {
  const least = (narrowestTickPx * Math.max(1, count - 1)) / Math.max(1, widthPx)
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power
}

function ticks(everyPercent: number, heightPx: number): string {
  const line = `var(--tick) 0 1px, transparent 1px ${everyPercent}%`
  return `repeating-linear-gradient(90deg, ${line}) 0 0 / 100% ${heightPx}px no-repeat`
}

export function Scrubber({ count, at, isLive, actor, event, time, onGo }: ScrubberProps) {
  const t = lifecycleTexts.use()
  const scale = useRef<HTMLDivElement>(null)
  const width = useSize(scale)?.width ?? 600
  const go = (position: number) => onGo(position >= count - 1 ? null : Math.max(0, position))
  const isEmpty = count === 0
  const valueText = isEmpty ? t('valueNone') : t('valueText', { at: at + 1, count, actor, event, time })
  /** Percents of the track between two ticks. */
  const step = (tickStep(count, width) / Math.max(1, count - 1)) * 100
  return (
    <div className="scrub" role="group" aria-label={t('journal')}>
      <div className="scrub-btns">
        <button
          type="button"
          className="icon-btn"
          aria-label={t('previous')}
          title={t('previous')}
          aria-disabled={at <= 0 ? true : undefined}
          onClick={() => at > 0 && go(at - 1)}
        >
          <Icon name="i-left" />
        </button>
        <button
          type="button"
          className="icon-btn"
          aria-label={t('next')}
          title={t('next')}
          aria-disabled={at >= count - 1 ? true : undefined}
          onClick={() => at < count - 1 && go(at + 1)}
        >
          <Icon name="i-right" />
        </button>
      </div>
      <div className="scrub-track">
        <input
          id="scrub"
          type="range"
          min={1}
          max={Math.max(1, count)}
          value={at + 1}
          disabled={isEmpty}
          aria-label={t('entry')}
          aria-valuetext={isLive && !isEmpty ? `${t('live')}: ${valueText}` : valueText}
          onChange={(change) => go(Number(change.target.value) - 1)}
        />
        <div
          ref={scale}
          className="scale"
          aria-hidden="true"
          style={{ background: `${ticks(step * 5, 7)}, ${ticks(step, 4)}` }}
        />
      </div>
      <span className="scrub-read">
        <span>{isEmpty ? '–' : t('of', { at: at + 1, count })}</span>
        <span>{time}</span>
      </span>
      <button
        type="button"
        className={isLive ? 'btn btn-sm is-live' : 'btn btn-sm'}
        aria-disabled={isLive ? true : undefined}
        onClick={() => onGo(null)}
      >
        {isLive ? (
          <>
            <Icon name="m-running" className="live" />
            {t('live')}
          </>
        ) : (
          t('goLive')
        )}
      </button>
    </div>
  )
}
