/* Reading and following the journal of a session, against a host that answers when the test says so; and the page's own
   actors while somebody looks. */
import { describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import { composerMachine } from '../../../../machines/composer.ts'
import { machineDefinitions } from '../../../../machines/definitions.ts'
import { messageIdSchema, sessionIdSchema } from '../../../../shared/ids.ts'
import type { JournalEntry } from '../../../../shared/journal.ts'
import type { ConnectionState } from '../../../../web/connection/connection.ts'
import type { AnyFrame } from '../../../../web/connection/incoming.ts'
import { createPageActors } from '../../../../web/page-actors.ts'
import { createJournalFeed, keptEntries } from '../../../../web/plugins/lifecycles/journal-feed.ts'
import { lastUpTo, typeOf } from '../../../../web/plugins/lifecycles/journal-index.ts'
import { createPageRecorder, watchedFromHere } from '../../../../web/plugins/lifecycles/page-recorder.ts'
import { windowOf } from '../../../../web/plugins/lifecycles/row-window.ts'
import { tickStep } from '../../../../web/plugins/lifecycles/scrubber.tsx'
import { createStore } from '../../../../web/store.ts'
import { createFakeRequester } from '../fake-requester.ts'
import { begin, entriesOf } from './journals.ts'

const sessionId = sessionIdSchema.parse('s')
const soon = (work: () => void) => {
  let isWanted = true
  queueMicrotask(() => isWanted && work())
  return () => {
    isWanted = false
  }
}
/** Long enough for every promise that can settle. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

function openFeed() {
  const requester = createFakeRequester()
  const up: ConnectionState = {
    phase: 'up',
    everUp: true,
    retryAt: null,
    downSince: null,
    version: '1',
    hostAheadMs: 0,
    outdated: false,
  }
  const state = createStore(up)
  let listener = (_frame: AnyFrame): void => {}
  const connection = {
    state,
    requester,
    onFrame: (own: typeof listener) => {
      listener = own
      return () => {
        listener = () => {}
      }
    },
  }
  const feed = createJournalFeed({ sessionId, connection, soon })
  const ids = () => {
    const { index, length } = feed.getState()
    return Array.from({ length }, (_, at) => Number(index.entry(at)?.id))
  }
  return {
    feed,
    requester,
    ids,
    frame: (entry: JournalEntry) => listener({ type: 'actor/inspect', entry }),
    setUp: (isUp: boolean) => state.setState({ ...up, phase: isUp ? 'up' : 'waiting' }),
    async begin(bootId = 'boot-1', actors: string[] = []) {
      await settled()
      if (requester.waiting().includes('inspect.machines'))
        requester.answer('inspect.machines', { machines: machineDefinitions() })
      await settled()
      requester.answer('host.describe', { bootId, version: '1', protocol: 1, serverTime: 0 })
      await settled()
      const views = actors.map((actorId) => ({ actorId, machine: actorId.split(':')[0], snapshot: null }))
      requester.answer('inspect.subscribe', { actors: views })
      await settled()
    },
    async page(entries: JournalEntry[], hasMore = false) {
      requester.answer('inspect.journal', { entries, hasMore })
      await settled()
    },
  }
}

const steps = (count: number, firstId = 1) =>
  entriesOf(
    Array.from({ length: count }, () => ({ actorId: 'turn:1', to: { live: 'calling' } })),
    firstId,
  )

describe('journal feed', () => {
  it('LIFE-GAP: frames are asked for before the journal is read, and wait for its end', async () => {
    const scene = openFeed()
    await scene.begin()
    expect(scene.requester.paramsOf('inspect.journal')).toEqual({ sessionId, limit: 500 })
    for (const entry of steps(3, 3)) scene.frame(entry)
    expect(scene.ids()).toEqual([])
    await scene.page(steps(2), true)
    expect(scene.requester.paramsOf('inspect.journal')).toEqual({ sessionId, limit: 500, afterId: '2' })
    await scene.page(steps(2, 3))
    expect([scene.ids(), scene.feed.getState().phase]).toEqual([[1, 2, 3, 4, 5], 'live'])
    scene.frame(steps(1, 5)[0] ?? fail())
    scene.frame(steps(1, 6)[0] ?? fail())
    await settled()
    expect(scene.ids()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('LIFE-ON: a new connection to the same host reads on from the last entry', async () => {
    const scene = openFeed()
    await scene.begin()
    await scene.page(steps(4))
    scene.setUp(false)
    expect([scene.feed.getState().phase, scene.ids()]).toEqual(['lost', [1, 2, 3, 4]])
    scene.setUp(true)
    await scene.begin()
    expect(scene.requester.paramsOf('inspect.journal')).toMatchObject({ afterId: '4' })
    await scene.page(steps(2, 5))
    expect([scene.feed.getState().phase, scene.ids()]).toEqual(['live', [1, 2, 3, 4, 5, 6]])
  })

  it('LIFE-BOOT: another life of the host may have given the newest ids to other entries: all is read again', async () => {
    const scene = openFeed()
    await scene.begin()
    await scene.page(steps(4))
    scene.setUp(false)
    scene.setUp(true)
    await scene.begin('boot-2')
    expect(scene.requester.paramsOf('inspect.journal')).toEqual({ sessionId, limit: 500 })
    // What was known stays until the whole is there.
    expect(scene.ids()).toEqual([1, 2, 3, 4])
    const [anew] = entriesOf([begin('session:s', { live: 'idle' })], 4)
    await scene.page([...steps(3), anew ?? fail()])
    expect([scene.ids(), scene.feed.getState().index.entry(3)?.machine]).toEqual([[1, 2, 3, 4], 'session'])
  })

  it('LIFE-LOST: an answer that belongs to a lost connection changes nothing', async () => {
    const scene = openFeed()
    await scene.begin()
    scene.setUp(false)
    scene.setUp(true)
    await scene.page(steps(3))
    expect([scene.ids(), scene.feed.getState().phase]).toEqual([[], 'loading'])
  })

  it('LIFE-ALIVE: who lives is what the host said, and what it told since', async () => {
    const scene = openFeed()
    await scene.begin('boot-1', ['session:s', 'task:1'])
    await scene.page([])
    const alive = () => [...(scene.feed.getState().alive ?? [])]
    const [began, ended] = entriesOf([begin('turn:1'), { actorId: 'session:s', type: 'END', to: 'ended' }])
    scene.frame(began ?? fail())
    await settled()
    expect(alive()).toEqual(['session:s', 'task:1', 'turn:1'])
    scene.frame(ended ?? fail())
    await settled()
    expect(alive()).toEqual(['task:1'])
  })

  it('LIFE-FAIL: a host that does not answer can be asked again', async () => {
    const scene = openFeed()
    await settled()
    scene.requester.fail('inspect.machines', { reason: 'timeout' })
    await settled()
    expect(scene.feed.getState().phase).toBe('failed')
    scene.feed.tryAgain()
    await scene.begin()
    await scene.page(steps(1))
    expect([scene.feed.getState().phase, scene.ids()]).toEqual(['live', [1]])
  })

  it('LIFE-BOUND: of a journal that grows on the older half is let go, and the newest stays', async () => {
    const scene = openFeed()
    await scene.begin()
    await scene.page(steps(2 * keptEntries))
    scene.frame(steps(1, 2 * keptEntries + 1)[0] ?? fail())
    await settled()
    const ids = scene.ids()
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([keptEntries, keptEntries + 2, 2 * keptEntries + 1])
  })

  it('LIFE-LEAVE: nothing is watched any more once the view is closed', async () => {
    const scene = openFeed()
    await scene.begin()
    await scene.page([])
    scene.feed.dispose()
    expect(scene.requester.waiting()).toEqual(['inspect.unsubscribe'])
    scene.frame(steps(1)[0] ?? fail())
    expect(scene.ids()).toEqual([])
  })
})

describe('page recorder', () => {
  function recorded() {
    const pageActors = createPageActors()
    const actor = createActor(composerMachine).start()
    const forget = pageActors.note({ machine: 'composer', sessionId, actor })
    return { pageActors, actor, forget }
  }
  const record = (pageActors: ReturnType<typeof createPageActors>) =>
    createPageRecorder({ sessionId, pageActors, now: () => 1, soon })
  const messageId = messageIdSchema.parse('m-1')

  it('LIFE-PAGE: shows where an actor stands, then each event, refused ones marked, and texts by their size', async () => {
    const { pageActors, actor } = recorded()
    const recorder = record(pageActors)
    actor.send({ type: 'SEND', messageId })
    actor.send({ type: 'LOST', messageId: messageIdSchema.parse('m-foreign') })
    await settled()
    const { index, length } = recorder.getState()
    const entries = Array.from({ length }, (_, at) => index.entry(at))
    expect(entries.map((entry) => entry && [typeOf(entry), entry.from, entry.to, entry.accepted])).toEqual([
      [watchedFromHere, null, 'idle', true],
      ['SEND', 'idle', 'delivering', true],
      ['LOST', 'delivering', 'delivering', false],
    ])
    recorder.dispose()
  })

  it('LIFE-PAGE: costs nothing while nobody looks: the actor is not inspected before and after', async () => {
    const { pageActors, actor } = recorded()
    const inspect = actor.system.inspect.bind(actor.system)
    let watchers = 0
    actor.system.inspect = (observer) => {
      watchers += 1
      const subscription = inspect(observer)
      return {
        unsubscribe() {
          watchers -= 1
          subscription.unsubscribe()
        },
      }
    }
    actor.send({ type: 'SEND', messageId })
    expect(watchers).toBe(0)
    const recorder = record(pageActors)
    await settled()
    expect(watchers).toBe(1)
    recorder.dispose()
    expect(watchers).toBe(0)
    actor.send({ type: 'ACCEPTED', messageId })
    await settled()
    expect(recorder.getState().length).toBe(1)
  })

  it('LIFE-PAGE: actors that come are watched, those of other sessions are not, and those that went are let go', async () => {
    const { pageActors, forget } = recorded()
    const recorder = record(pageActors)
    const later = createActor(composerMachine).start()
    const other = createActor(composerMachine).start()
    pageActors.note({ machine: 'dock', sessionId, actor: later })
    pageActors.note({ machine: 'composer', sessionId: sessionIdSchema.parse('t'), actor: other })
    forget()
    later.send({ type: 'SEND', messageId })
    other.send({ type: 'SEND', messageId })
    await settled()
    const { index } = recorder.getState()
    expect(index.tracks.map(({ actorId }) => actorId)).toEqual(['composer:s', 'dock:s'])
    const dock = index.trackOf('dock:s')
    expect(index.entry(lastUpTo(dock?.positions ?? [], index.length))?.to).toBe('delivering')
    recorder.dispose()
  })

  it('LIFE-PAGE: what is kept is bounded, and an actor that does nothing is still there', async () => {
    const { pageActors, actor } = recorded()
    pageActors.note({ machine: 'connection', sessionId: null, actor: createActor(composerMachine).start() })
    const recorder = record(pageActors)
    for (let times = 0; times < 3_000; times += 1) actor.send({ type: 'RESEND' })
    await settled()
    const { index } = recorder.getState()
    expect(index.length).toBeLessThanOrEqual(1_001)
    expect(index.tracks.map(({ actorId }) => actorId).toSorted()).toEqual(['composer:s', 'connection'])
    recorder.dispose()
  })
})

describe('what is drawn', () => {
  it.each([
    [1_000, 0, 280, { start: 0, end: 18 }],
    [1_000, 2_800, 280, { start: 92, end: 118 }],
    [1_000, 28_000, 280, { start: 992, end: 1_000 }],
    [3, 0, 280, { start: 0, end: 3 }],
    [0, 0, 280, { start: 0, end: 0 }],
  ])('LIFE-WINDOW: of %i rows, scrolled by %i in %i px', (count, scrolled, height, expected) => {
    expect(windowOf(count, 28, scrolled, height)).toEqual({ rowPx: 28, ...expected })
  })

  it.each([
    [52, 640, 1],
    [2, 640, 1],
    [1, 640, 1],
    [200, 640, 5],
    [10_000, 640, 200],
    [10_000, 280, 500],
  ])('LIFE-SCALE: %i entries on %i px have a tick every %i', (count, width, step) => {
    expect(tickStep(count, width)).toBe(step)
    expect(((width / Math.max(1, count - 1)) * step) | 0).toBeGreaterThanOrEqual(7)
  })
})

function fail(): never {
  throw new Error('no entry')
}
