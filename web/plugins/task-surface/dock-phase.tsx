/* Where the dock stands: the machine's states as the phases a person is shown, and the mark with its word. */
import type { DockSnapshot } from '../../../machines/dock.ts'
import { type IconName, State, type Tone } from '../../icon.tsx'
import type { DockView } from './dock-controller.ts'
import { surfaceTexts, type SurfaceText } from './strings.ts'

/** Where a dock stands, as a person sees it. */
export type Phase =
  | 'loading'
  | 'unreadable'
  | 'open'
  | 'submitting'
  | 'checking'
  | 'dismissing'
  | 'queued'
  | 'claiming'
  | 'ended'

/** Null: no dock. */
export function phaseOf(machine: DockSnapshot): Phase | null {
  if (machine.matches('absent')) return null
  if (machine.matches('ended')) return 'ended'
  if (machine.matches({ live: { pending: 'queued' } })) return 'queued'
  if (machine.matches({ live: { pending: 'claiming' } })) return 'claiming'
  if (machine.matches({ live: 'open' })) return 'open'
  if (machine.matches({ live: 'unreadable' })) return 'unreadable'
  if (machine.matches({ live: 'submitting' })) return 'submitting'
  if (machine.matches({ live: 'checking' })) return 'checking'
  return machine.matches({ live: 'dismissing' }) ? 'dismissing' : 'loading'
}

export type OpenPhase = Exclude<Phase, 'loading' | 'ended'>

export function titleOf(view: DockView, t: SurfaceText): string {
  return view.form?.model.title ?? t('unreadableTitle')
}

function markOf(
  { machine }: DockView,
  phase: OpenPhase,
  t: SurfaceText,
): { mark: IconName; tone: Tone; live: boolean; word: string } {
  const { connected, trouble, issues } = machine.context
  const isWaiting = phase === 'queued'
  const isGoing = phase === 'claiming' || phase === 'submitting' || phase === 'checking'
  if (!connected) {
    const word = isWaiting ? 'queuedLastSeen' : isGoing ? 'sendingLastSeen' : 'openLastSeen'
    return { mark: 'm-known', tone: 'warn', live: false, word: t(word) }
  }
  if (isWaiting) return { mark: 'm-queued', tone: 'now', live: false, word: t('queued') }
  if (isGoing)
    return { mark: 'm-claiming', tone: 'now', live: true, word: t(phase === 'checking' ? 'checking' : 'sending') }
  const hasFailed =
    trouble !== null && trouble.kind !== 'not-dismissed' && (trouble.kind !== 'invalid' || issues.length > 0)
  return hasFailed && phase === 'open'
    ? { mark: 'm-failed', tone: 'bad', live: false, word: t('notSent') }
    : { mark: 'm-open', tone: 'now', live: false, word: t('open') }
}

/** Open, the list of problems says what went wrong; collapsed, only the mark can. */
export function DockMark({ view, phase }: { view: DockView; phase: OpenPhase }) {
  const t = surfaceTexts.use()
  const { mark, tone, live, word } = markOf(view, phase, t)
  const isPlain = !view.collapsed && mark === 'm-failed'
  return (
    <State mark={isPlain ? 'm-open' : mark} tone={isPlain ? 'now' : tone} live={live}>
      {isPlain ? t('open') : word}
    </State>
  )
}
