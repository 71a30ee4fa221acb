// @vitest-environment happy-dom
/* The approval takeover (SPEC 5, 9): what it shows, where the focus goes, who decides first, what a loss does. */
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { registerApprovals } from '../../../../web/plugins/approvals/approvals.tsx'
import { registerQuestions } from '../../../../web/plugins/questions/questions.tsx'
import { Console } from '../../../../web/shell/console.tsx'
import { byName, click, playPage, press } from '../play-page.tsx'
import { otherSessionId, session as sample, sessionId } from '../samples.ts'
import { one } from '../surface/render.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const command = 'pg_dump orders \\\n  && cp orders.dump /backup'

function asked(id = 'ap', change: object = {}) {
  return {
    type: 'approval/requested',
    approvalId: id,
    callId: `c-${id}`,
    tool: 'bash',
    summary: command,
    input: { command },
    ...change,
  }
}
const resolved = (id = 'ap', outcome = 'allow') => ({ type: 'approval/resolved', approvalId: id, outcome })

function play(...baseline: object[]) {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerQuestions(page.client.slots.scope(), page.client)
  registerApprovals(scope, page.client)
  const session = page.open({}, baseline.length === 0 ? [asked()] : baseline)
  const { host: root } = page.draw(<Console session={session} />)
  const heading = () => one(root, '.take h2')
  const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
  const decisions = () => page.host.paramsOf('approval.decide')
  /** The message field is there, and out of reach. */
  const behind = () => one(root, '#composer').closest('[hidden]') !== null
  return { ...page, scope, session, root, heading, pass, decisions, behind }
}

/** Past the moment in which a press may have been meant for something else. */
function ready(...baseline: object[]) {
  const page = play(...baseline)
  page.pass(500)
  return page
}

describe('asking', () => {
  it('APPR-FOCUS: it takes the desk over, and the focus goes to the heading, never to a button', () => {
    const { root, heading, behind } = play()
    expect(heading().textContent).toBe('Run this command?')
    expect(document.activeElement).toBe(heading())
    expect(behind()).toBe(true)
    expect(root.querySelector('[autofocus]')).toBeNull()
  })

  it('APPR-FOCUS: Enter and Space where the focus is decide nothing', () => {
    const { heading, decisions } = ready()
    for (const key of ['Enter', ' ', 'y', '1']) press(heading(), key)
    expect(decisions()).toBeUndefined()
  })

  it('APPR-WHOLE: the command stands there whole, with its tool and its folder', () => {
    const long = 'echo a\n'.repeat(500)
    const { root } = play(asked('ap', { summary: long, input: { command: long, run_in_background: true } }))
    expect(one(root, '.take-body > .cmd').textContent).toBe(long)
    expect([...root.querySelectorAll('.facts dt, .facts dd')].map((part) => part.textContent)).toEqual([
      'Tool',
      'bash',
      'Folder',
      '/tmp',
      'Runs as',
      'you, with your files and network',
      'In the background',
      'Yes',
    ])
  })

  it('APPR-SEEN: what cannot be seen is written out, and a sentence says so', () => {
    const { root } = play(asked('ap', { summary: 'ls \u202E# tidy', input: { command: 'ls \u202E# tidy' } }))
    expect(one(root, '.approval-code').textContent).toBe('<U+202E>')
    expect(root.textContent).toContain('Characters that cannot be seen')
  })

  it('APPR-SIZE: of a very long text the rest is a press away', () => {
    const long = 'x'.repeat(60_000)
    const { root } = play(asked('ap', { tool: 'write_file', summary: 'Write it', input: { content: long } }))
    expect(one(root, '.facts .cmd').textContent).toHaveLength(50_000)
    click(byName(root, 'Show the other 10000 characters'))
    expect(one(root, '.facts .cmd').textContent).toBe(long)
  })

  it('APPR-FROM: a subagent’s request says whose it is and where it would run, and links to it', () => {
    const page = playPage()
    registerApprovals(page.client.slots.scope(), page.client)
    const session = page.open({}, [asked('ap', { fromSession: otherSessionId })])
    const { host: root } = page.draw(<Console session={session} />)
    expect(one(root, '.facts').textContent).toContain(otherSessionId)
    const parent = { sessionId, seq: 1, relation: 'subagent' } as const
    page.say({
      type: 'host/session-added',
      session: sample({ id: otherSessionId, title: 'Check the lag', cwd: '/lag', parent }),
    })
    expect([one(root, '.facts a').textContent, one(root, '.facts a').getAttribute('href')]).toEqual([
      'Check the lag',
      '/s/s-2',
    ])
    expect(one(root, '.facts').textContent).toContain('/lag')
    expect(byName(root, 'Always allow bash for this subagent')).toBeDefined()
  })

  it('APPR-SAID: it is announced with what it is about', () => {
    const { client } = play()
    expect(client.announcement.getState().text).toBe(
      'Approval needed. Run this command? pg_dump orders \\ && cp orders.dump /backup',
    )
  })

  it('APPR-ESC: Escape decides nothing and leaves it open, with the focus on its heading', () => {
    const { root, heading, decisions } = ready()
    const deny = byName(root, 'Deny')
    deny.focus()
    press(deny, 'Escape')
    expect([document.activeElement === heading(), decisions(), root.querySelector('.take') !== null]).toEqual([
      true,
      undefined,
      true,
    ])
  })

  it('APPR-BEHIND: an open surface behind it is named', () => {
    const { root } = play(
      { type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 'sf' } }, seq: 0 },
      asked(),
    )
    expect(one(root, '.behind').textContent).toBe('A surface waits behind this. Its draft is kept.')
  })
})

describe('deciding', () => {
  it.each([
    ['Allow once', { decision: 'allow' }],
    ['Always allow bash in this session', { decision: 'allow', remember: true }],
    ['Deny', { decision: 'deny' }],
  ])('APPR-DECIDE: %s', (name, decision) => {
    const { root, decisions } = ready()
    click(byName(root, name))
    expect(decisions()).toEqual({ sessionId: 's-1', approvalId: 'ap', ...decision })
  })

  it('APPR-ONCE: while a decision is on its way nothing can be pressed', () => {
    const { root, host } = ready()
    click(byName(root, 'Deny'))
    for (const button of root.querySelectorAll('.take button')) click(button)
    expect(host.waiting().filter((method) => method === 'approval.decide')).toHaveLength(1)
  })

  it.each([
    ['accepted', { accepted: true }],
    ['decided elsewhere', { accepted: false, reason: 'not-pending' }],
  ])('APPR-FIRST: %s closes it quietly, before and after the host’s frame', async (_, outcome) => {
    const { root, host, settle, live, behind } = ready()
    click(byName(root, 'Allow once'))
    host.answer('approval.decide', outcome)
    await settle()
    expect([root.querySelector('.take'), root.querySelector('[role=alert]')]).toEqual([null, null])
    live(resolved())
    expect([root.querySelector('.take'), behind()]).toEqual([null, false])
  })

  it('APPR-FIRST: decided on another page it goes here too, without a word', () => {
    const { root, live, client } = play()
    const { count } = client.announcement.getState()
    live(resolved('ap', 'cancelled'))
    expect([root.querySelector('.take'), client.announcement.getState().count]).toEqual([null, count])
  })

  it('APPR-ORDER: several wait in the order they came, and each says how many come after it', () => {
    const { root, heading, live } = play(asked('a'), asked('b', { tool: 'write_file', summary: 'b.txt', input: {} }))
    live(asked('c', { tool: 'deploy', summary: 'c', input: {} }))
    expect([heading().textContent, one(root, '.take-head .state').textContent]).toEqual([
      'Run this command?',
      'Approval needed · 2 more after this',
    ])
    live(resolved('b', 'cancelled'))
    expect(heading().textContent).toBe('Run this command?')
    live(resolved('a'))
    expect([heading().textContent, document.activeElement === heading()]).toEqual(['Allow this call of deploy?', true])
    expect(one(root, '.take-head .state').textContent).toBe('Approval needed')
  })

  it('APPR-HASTE: a press meant for the one before, or for what stood there, decides nothing', () => {
    const { root, live, pass, decisions } = play(asked('a'), asked('b'))
    click(byName(root, 'Allow once'))
    expect(decisions()).toBeUndefined()
    pass(500)
    live(resolved('a'))
    click(byName(root, 'Allow once'))
    pass(499)
    click(byName(root, 'Allow once'))
    expect(decisions()).toBeUndefined()
    pass(1)
    click(byName(root, 'Allow once'))
    expect(decisions()).toMatchObject({ approvalId: 'b' })
  })

  it('APPR-TURN: a question somebody answers is not taken away; the approval comes after it', () => {
    const question = {
      type: 'question/requested',
      questionId: 'q',
      callId: 'c',
      questions: [{ id: 'x', question: 'Who is told?' }],
    }
    const { heading, live } = play(question, asked())
    expect(heading().textContent).toBe('Who is told?')
    live({ type: 'question/resolved', questionId: 'q', outcome: 'answered' })
    expect(heading().textContent).toBe('Run this command?')
  })
})

describe('losing the host', () => {
  it('APPR-LOST: nothing can be decided meanwhile, and it can when the host is back', async () => {
    const { root, lose, open, pass, decisions } = ready()
    lose()
    expect([byName(root, 'Deny').hasAttribute('disabled'), root.textContent]).toEqual([
      true,
      expect.stringContaining('Deciding waits for the connection'),
    ])
    open({}, [asked()])
    pass(500)
    click(byName(root, 'Deny'))
    expect(decisions()).toMatchObject({ decision: 'deny' })
  })

  it('APPR-LOST: a decision whose answer is lost says that nobody knows, and may be made again', async () => {
    const { root, host, settle, decisions } = ready()
    click(byName(root, 'Allow once'))
    host.fail('approval.decide', { reason: 'connection-lost' })
    await settle()
    expect(one(root, '[role=alert]').textContent).toContain('Whether your decision arrived')
    click(byName(root, 'Allow once'))
    expect(decisions()).toMatchObject({ decision: 'allow' })
  })

  it('APPR-LOST: decided while the host was away, it is gone with the next baseline', () => {
    const { root, lose, open } = play()
    lose()
    open({}, [])
    expect(root.querySelector('.take')).toBeNull()
  })

  it('APPR-REFUSED: an error of the host is shown in its words', async () => {
    const { root, host, settle } = ready()
    click(byName(root, 'Deny'))
    host.fail('approval.decide', { reason: 'refused', code: -32010, conflict: null, message: 'The store is away.' })
    await settle()
    expect(one(root, '[role=alert]').textContent).toBe('Not sent: The store is away.')
  })
})

describe('on the page of the subagent', () => {
  it('APPR-ELSEWHERE: it says where its request waits, for as long as it waits', () => {
    const page = playPage('/s/s-1')
    registerApprovals(page.client.slots.scope(), page.client)
    page.open({}, [asked('ap', { fromSession: otherSessionId })])
    const parent = { sessionId, seq: 1, relation: 'subagent' } as const
    const child = page.client.sessions.follow(otherSessionId)
    page.client.deskOf(child)
    act(() => child.described(sample({ id: otherSessionId, title: 'Check the lag', parent })))
    const { host: root } = page.draw(<Console session={child} />)
    const link = one(root, '.approval-elsewhere a')
    expect([link.textContent, link.getAttribute('href')]).toEqual(['Decide in “Ship 2.4”', '/s/s-1'])
    page.live(resolved())
    expect(root.querySelector('.approval-elsewhere')).toBeNull()
  })
})
