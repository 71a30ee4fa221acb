/* What must hold in every configuration a machine can come to, and that there is a way on from each of them. */
import { describe, expect, it } from 'vitest'
import { transition, type AnyStateMachine, type SnapshotFrom } from 'xstate'
import { dockMachine } from '../../machines/dock.ts'
import {
  composerPaths,
  connectionPaths,
  dockPathsOfAll,
  sessionPaths,
  surfacePaths,
  taskPaths,
  turnPaths,
} from '../../machines/path-models.ts'
import { lifecyclePaths, type PathModel } from '../../machines/paths.ts'
import { pathOf } from './transition-table.ts'

function configurations<Machine extends AnyStateMachine>(model: PathModel<Machine>): SnapshotFrom<Machine>[] {
  return lifecyclePaths(model, 'shortest').map(({ start, steps }) => steps.at(-1)?.snapshot ?? start)
}

describe('session', () => {
  const all = configurations(sessionPaths).filter((snapshot) => !snapshot.matches('ended'))

  it('one-claim: a row is claimed exactly while claiming or committing', () => {
    // A notice is claimed without a row.
    const withoutNotices: typeof sessionPaths = {
      ...sessionPaths,
      events: (snapshot) => sessionPaths.events(snapshot).filter(({ type }) => type !== 'WAKE'),
    }
    for (const snapshot of configurations(withoutNotices)) {
      // `ended` keeps what it found: the host gives it back.
      if (snapshot.matches('ended')) continue
      const claims = snapshot.matches({ live: 'claiming' }) || snapshot.matches({ live: 'committing' })
      expect(snapshot.context.claimed !== null).toBe(claims)
    }
  })

  it('locked-rows: a row that answers a surface is never a steering row', () => {
    for (const { context } of all) {
      for (const row of context.rows) if (row.answers !== null) expect(row.placement).toBe('queued')
    }
  })

  it('steer-running: steering rows wait only while a turn runs, and nothing waits in an idle session', () => {
    for (const snapshot of all) {
      const { rows } = snapshot.context
      if (!snapshot.matches({ live: 'running' }))
        expect(rows.every(({ placement }) => placement === 'queued')).toBe(true)
      if (snapshot.matches({ live: 'idle' })) expect(rows).toEqual([])
    }
  })

  it('interrupt-claim: an interrupt is remembered only for a turn that runs or is being written', () => {
    for (const snapshot of all) {
      if (!snapshot.context.interruptTurn) continue
      const cut = (['committing', 'calling', 'running'] as const).some((state) => snapshot.matches({ live: state }))
      expect(cut).toBe(true)
    }
  })
})

describe('surface', () => {
  it('one-submission: a submission is known exactly while queued or claiming, a reason exactly when closed', () => {
    for (const snapshot of configurations(surfacePaths)) {
      const pending = snapshot.matches({ live: 'queued' }) || snapshot.matches({ live: 'claiming' })
      expect(snapshot.context.submission !== null).toBe(pending)
      expect(snapshot.context.closed !== null).toBe(snapshot.matches('closed'))
    }
  })
})

describe('turn', () => {
  it('interrupt: a turn has a reason exactly from its ending on', () => {
    for (const snapshot of configurations(turnPaths)) {
      expect(snapshot.context.reason !== null).toBe(snapshot.matches('ending') || snapshot.matches('ended'))
    }
  })
})

describe('dock', () => {
  const all = configurations(dockPathsOfAll)
  /** Every event in every configuration. */
  const everyStep = all.flatMap((before) =>
    dockPathsOfAll.events(before).map((event) => {
      const [after, effects] = transition(dockMachine, before, event)
      return { before, event, after, does: effects.map(({ type }) => type) }
    }),
  )
  const shown = (steps: typeof everyStep) =>
    steps.map(
      ({ before, event, after }) => `${pathOf(before.value)} × ${JSON.stringify(event)} → ${pathOf(after.value)}`,
    )

  it('own-answers: what is said of another surface, submission or message changes nothing', () => {
    const foreign = everyStep.filter(({ before: { context }, event }) => {
      const ofSurface = event.type !== 'IDENTITY' && 'surfaceId' in event && event.surfaceId !== context.surfaceId
      const ofAttempt = event.type !== 'SUBMIT' && 'submissionId' in event && event.submissionId !== context.attempt
      return ofSurface || ofAttempt
    })
    expect(foreign.length).toBeGreaterThan(10_000)
    const stateOf = ({ value, context }: SnapshotFrom<typeof dockMachine>) => JSON.stringify([value, context])
    expect(shown(foreign.filter(({ before, after }) => stateOf(before) !== stateOf(after)))).toEqual([])
  })

  it('lock-until-read: a locked form is given back only by an answer of the host, or after asking in vain', () => {
    const answers = new Set<string>(['READ', 'READ_FAILED', 'REFUSED', 'DISMISS_REFUSED', 'DISMISS_FAILED'])
    const unlocking = everyStep.filter(
      ({ before, after }) =>
        before.matches('live') && !before.matches({ live: 'open' }) && after.matches({ live: 'open' }),
    )
    expect(unlocking.length).toBeGreaterThan(100)
    expect(shown(unlocking.filter(({ event }) => !answers.has(event.type)))).toEqual([])
  })

  it('lock-until-read: while a submission is pending nothing can be edited, sent or dismissed', () => {
    const editing = new Set<string>(['EDITED', 'SUBMIT', 'DISMISS', 'INVALID'])
    const locked = everyStep.filter(
      ({ before, event }) =>
        (before.matches({ live: 'pending' }) || before.matches({ live: 'submitting' })) && editing.has(event.type),
    )
    expect(locked.length).toBeGreaterThan(100)
    expect(shown(locked.filter(({ before, event }) => before.can(event)))).toEqual([])
  })

  it('no-link-no-send: without a connection nothing is sent', () => {
    const offline = everyStep.filter(({ before }) => !before.context.connected)
    const sends = (does: readonly string[]) => does.includes('sendSubmission') || does.includes('sendDismissal')
    expect(shown(offline.filter(({ does }) => sends(does)))).toEqual([])
    expect(everyStep.some(({ does }) => sends(does))).toBe(true)
  })

  it('attempt-keeps-id: what is sent has an id, and it is known until its outcome is', () => {
    for (const snapshot of all) {
      if (snapshot.matches({ live: 'submitting' }) || snapshot.matches({ live: 'checking' })) {
        // A refusal ends the attempt; what is checked then is the surface.
        const isRefused = snapshot.matches({ live: 'checking' }) && snapshot.context.attempt === null
        if (!isRefused) expect(snapshot.context.attempt).not.toBeNull()
      }
      if (snapshot.matches({ live: 'dismissing' })) expect(snapshot.context.dismissalId).not.toBeNull()
    }
  })
})

describe('no configuration is a dead end', () => {
  it('one-claim: a session that has not ended can come to rest', () => {
    expect(deadEnds(sessionPaths, (state) => state === 'live.idle' || state === 'ended')).toEqual([])
  })

  it('conclude: a turn can end', () => {
    expect(deadEnds(turnPaths, (state) => state === 'ended')).toEqual([])
  })

  it('discard-reopens: a surface can be open again, or closed', () => {
    expect(deadEnds(surfacePaths, (state) => state === 'live.open' || state === 'closed')).toEqual([])
  })

  it('killed-when-done: a task can settle', () => {
    expect(deadEnds(taskPaths, (state) => state.startsWith('settled.'))).toEqual([])
  })

  it('backoff: a page can be connected again', () => {
    expect(deadEnds(connectionPaths, (state) => state === 'up.steady')).toEqual([])
  })

  it('held-waits: a composer can have nothing on the way', () => {
    expect(deadEnds(composerPaths, (state) => state === 'idle')).toEqual([])
  })

  it('never-stuck: a form can be editable again, or gone', () => {
    expect(deadEnds(dockPathsOfAll, (state) => state.startsWith('live.open.') || state === 'absent')).toEqual([])
  })
})

/** Configurations from which no sequence of the model's events leads to a good state. */
function deadEnds(model: PathModel<AnyStateMachine>, isGood: (state: string) => boolean): string[] {
  const keyOf = ({ value, context }: SnapshotFrom<AnyStateMachine>) => JSON.stringify([value, context])
  const before = new Map<string, Set<string>>()
  const good: string[] = []
  const keys = new Set<string>()
  for (const { start, steps } of lifecyclePaths(model, 'edges')) {
    const last = steps.at(-1)
    if (last === undefined) continue
    const from = keyOf(steps.at(-2)?.snapshot ?? start)
    const to = keyOf(last.snapshot)
    before.set(to, (before.get(to) ?? new Set()).add(from))
    for (const [key, snapshot] of [
      [from, steps.at(-2)?.snapshot ?? start],
      [to, last.snapshot],
    ] as const) {
      if (keys.has(key)) continue
      keys.add(key)
      // Beyond the bound nothing was looked at.
      if (isGood(pathOf(snapshot.value)) || model.stopsAt?.(snapshot) === true) good.push(key)
    }
  }
  const reaching = new Set(good)
  for (let next = good.pop(); next !== undefined; next = good.pop()) {
    for (const key of before.get(next) ?? []) {
      if (reaching.has(key)) continue
      reaching.add(key)
      good.push(key)
    }
  }
  return [...keys].filter((key) => !reaching.has(key))
}
