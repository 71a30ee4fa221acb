// @vitest-environment happy-dom
/* Around a conversation: header, session list, connection bar, dialogs (SPEC 9). */
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { sessionIdSchema } from '../../../shared/ids.ts'
import { App } from '../../../web/shell/app.tsx'
import { Settings } from '../../../web/shell/settings.tsx'
import { byName, click, playPage, write } from './play-page.tsx'
import * as a from './samples.ts'
import { one, oneOf } from './surface/render.tsx'

function playApp(answer: object = {}, baseline: object[] = []) {
  const page = playPage()
  const session = page.open(answer, baseline)
  act(() =>
    page.host.answer('session.list', {
      sessions: [a.session(), a.session({ id: a.otherSessionId, title: 'Other', agent: 'acp/codex' })],
    }),
  )
  const { host: root } = page.draw(<App />)
  const titles = () => [...root.querySelectorAll('.sess-title')].map((title) => title.textContent)
  return { ...page, session, root, titles }
}

describe('how a session stands', () => {
  const standing = (root: ParentNode) => [
    one(root, '.head-meta .state').textContent,
    one(root, '.sess[aria-current] .sess-meta').textContent,
  ]

  it('H-STATE: idle, running, waiting, ended badly: the head and the list say the same', () => {
    const { root, live, event } = playApp()
    expect(standing(root)).toEqual(['Idle', 'Idle · demo'])
    live({ type: 'session/status', status: 'running', turn: 1 })
    expect(standing(root)).toEqual(['Running', 'Running · demo'])
    live({ type: 'question/requested', questionId: 'q', callId: 'c', questions: [{ id: 'x', question: 'Why?' }] })
    expect(standing(root)).toEqual(['Waiting for you', 'Waiting for you · demo'])
    live({ type: 'question/resolved', questionId: 'q', outcome: 'declined' })
    event(a.turnStart(1))
    event(a.turnEnd(2, 1, 'error'))
    live({ type: 'session/status', status: 'idle' })
    expect(standing(root)).toEqual(['Ended with an error', 'Ended with an error · demo'])
    live({ type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 's' } }, seq: 2 })
    expect(standing(root)).toEqual(['Waiting for you', 'Waiting for you · demo'])
  })

  it('H-STATE: without a connection what ran is last known', () => {
    const { root, lose } = playApp({}, [{ type: 'session/status', status: 'running', turn: 1 }])
    lose()
    expect(standing(root)).toEqual(['Running when last seen', 'Running when last seen · demo'])
  })

  it('H-TITLE: a rename elsewhere shows in the head, the list and the window', () => {
    const { root, say, titles } = playApp()
    say({ type: 'host/session-updated', session: a.session({ title: 'Renamed', updatedAt: 99 }) })
    expect([one(root, '.head h1').textContent, titles()[0], document.title]).toEqual([
      'Renamed',
      'Renamed',
      'Renamed · Task Surface',
    ])
  })
})

describe('the head', () => {
  it('H-TOKENS: what the session has cost is shown short, and whole on demand; nothing where nobody says', () => {
    const { root, live } = playApp()
    const cost = () => [...root.querySelectorAll('.head-meta > span')].find((one) => one.textContent.includes('tokens'))
    expect(cost()).toBeUndefined()
    live({ type: 'session/projection', key: 'usage', value: { inputTokens: 12_345, outputTokens: 678 }, seq: 1 })
    expect(cost()?.textContent).toBe('12.3k tokens in, 678 out')
    expect(cost()?.getAttribute('title')).toBe('Tokens so far: 12345 read, 678 written')
    live({ type: 'session/projection', key: 'usage', value: 'a newer host', seq: 2 })
    expect(cost()).toBeUndefined()
  })

  it('H-TITLE: a session without a title has a name all the same', () => {
    const { root, titles, say } = playApp()
    say({ type: 'host/session-updated', session: a.session({ title: '', updatedAt: 99 }) })
    expect([one(root, '.head h1').textContent, titles()[0]]).toEqual(['Untitled session', 'Untitled session'])
  })
})

describe('settings', () => {
  it('SET-AGENTS: tell of each agent what it is or why it is not ready, and of those that came from outside', () => {
    const { host, say, draw, up } = playPage()
    up()
    act(() => host.answer('session.list', { sessions: [] }))
    const { host: root } = draw(<Settings />)
    const guest = { title: 'From an editor', agent: 'mcp/editor', status: 'running' as const }
    say({ type: 'host/session-added', session: a.session({ id: sessionIdSchema.parse('s-3'), ...guest }) })
    const agents = [
      { name: 'demo', label: 'words of the host', available: true },
      { name: 'openai/gpt-5', label: 'OpenAI', available: true },
      { name: 'deepseek/deepseek-chat', label: 'DeepSeek', available: false, why: 'Set DEEPSEEK_API_KEY.' },
      { name: 'acp/codex', label: 'words of the host', available: true },
    ]
    // The list and the choice below it ask for themselves.
    act(() => host.answer('agents.list', { agents }))
    act(() => host.answer('agents.list', { agents }))
    expect([...root.querySelectorAll('.agent')].map(({ textContent }) => textContent)).toEqual([
      'demoReadyScripted guide, no key, no network.',
      'openai/gpt-5ReadyOpenAI',
      'deepseek/deepseek-chatNot readySet DEEPSEEK_API_KEY.',
      'acp/codexReadyProgram on this machine. It can show surfaces.',
      'mcp/editor1 sessionFrom outside, in a session of its own.',
    ])
  })
})

describe('the list', () => {
  it('SIDE-CHILD: sessions that an agent started are not listed', () => {
    const { titles, say } = playApp()
    const parent = { sessionId: a.sessionId, seq: 1, relation: 'subagent' as const }
    say({
      type: 'host/session-added',
      session: a.session({ id: sessionIdSchema.parse('s-3'), title: 'Child', parent }),
    })
    expect(titles()).toEqual(['Ship 2.4', 'Other'])
  })

  it('SIDE-GO: a plain click goes there without loading the page; with a modifier it is the browser’s', () => {
    const { root, client } = playApp()
    const link = byName(root, /Other/)
    const modified = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true })
    act(() => {
      link.dispatchEvent(modified)
    })
    expect([modified.defaultPrevented, client.router.getState()]).toMatchObject([false, { sessionId: 's-1' }])
    click(link)
    expect([window.location.pathname, client.router.getState()]).toMatchObject(['/s/s-2', { sessionId: 's-2' }])
  })
})

describe('the connection bar', () => {
  it('BAR: says at once what happened, when it is tried again, and how old the view is', () => {
    const { root, lose, tries, up } = playApp()
    lose()
    expect(one(root, '.bar').textContent).toMatch(
      /^Connection lostTrying again in 4 s\. What you see is from \d\d:\d\d:\d\d\.Try now$/,
    )
    click(byName(root, 'Try now'))
    expect(tries).toEqual(['now'])
    up()
    expect(root.querySelector('.bar')).toBeNull()
  })

  it('BAR: a page that is older than its host says so', () => {
    const { root, lose } = playApp()
    lose({ phase: 'up', outdated: true })
    expect(one(root, '.bar').textContent).toContain('Reload to see everything')
  })
})

describe('dialogs', () => {
  const open = (root: HTMLElement, item: string) => {
    click(byName(root, 'Session menu'))
    click(byName(root, item))
  }

  it('DLG-RENAME: renames, trimmed; a refusal is said and keeps the text', async () => {
    const { root, host, settle } = playApp()
    open(root, 'Rename')
    write(oneOf(root, 'dialog input', HTMLInputElement), '  Better name ')
    act(() => {
      one(root, 'dialog form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    })
    expect(host.paramsOf('session.rename')).toEqual({ sessionId: 's-1', title: 'Better name' })
    host.fail('session.rename', { reason: 'refused', code: -32010, conflict: null, message: 'No disk.' })
    await settle()
    expect(one(root, 'dialog [role=alert]').textContent).toContain('No disk.')
    expect(oneOf(root, 'dialog input', HTMLInputElement).value).toBe('  Better name ')
  })

  it('DLG-REMOVE: asks, removes, leaves the page, and forgets what the browser kept of it', async () => {
    const { root, host, settle, client, session, say } = playApp()
    act(() => client.deskOf(session).draft.replace('secret words'))
    open(root, 'Remove')
    expect(one(root, 'dialog').textContent).toContain('This cannot be undone')
    expect(host.waiting()).not.toContain('session.remove')
    const [, confirm] = [...root.querySelectorAll('dialog button')]
    if (confirm === undefined) throw new Error('no button')
    click(confirm)
    host.answer('session.remove', {})
    await settle()
    say({ type: 'host/session-removed', sessionId: a.sessionId })
    expect([window.location.pathname, client.storage.keys()]).toEqual(['/', []])
    expect(root.textContent).not.toContain('Ship 2.4')
  })
})

describe('a session that cannot be shown', () => {
  it('H-MISSING: says so and offers the way on', () => {
    const { root, say } = playApp()
    say({ type: 'host/session-removed', sessionId: a.sessionId })
    expect(one(root, 'main h1').textContent).toBe('There is no such session')
  })

  it('H-REFUSED: shows the host’s words and tries again', () => {
    const page = playPage()
    const session = page.client.sessions.follow(a.sessionId)
    page.up()
    const { host: root } = page.draw(<App />)
    act(() =>
      page.host.fail('session.open', {
        reason: 'refused',
        code: -32010,
        conflict: null,
        message: 'Record 7 cannot be read.',
      }),
    )
    expect(root.textContent).toContain('Record 7 cannot be read.')
    click(byName(root, 'Try again'))
    expect(page.host.waiting()).toContain('session.open')
    expect(session.getState().phase).toBe('refused')
  })
})
