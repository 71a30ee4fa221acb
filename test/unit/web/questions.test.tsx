// @vitest-environment happy-dom
/* The question takeover (SPEC 5, 9): keys, several questions, who answers first, what a loss keeps. */
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { registerQuestions } from '../../../web/plugins/questions/questions.tsx'
import { Console } from '../../../web/shell/console.tsx'
import { byName, click, playPage, press, write } from './play-page.tsx'
import { one, oneOf } from './surface/render.tsx'

const place = {
  id: 'place',
  question: 'Where should the snapshot go?',
  options: [{ label: 'Local disk', description: '212 GB free' }, { label: 'Object store' }, { label: 'Both' }],
}
const told = {
  id: 'told',
  question: 'Who is told?',
  options: [{ label: 'On call' }, { label: 'Support' }],
  multiSelect: true,
}
const free = { id: 'free', question: 'What must not happen?' }

function asked(questions: object[], questionId = 'q') {
  return { type: 'question/requested', questionId, callId: 'c', questions }
}

function play(questions: object[] = [place]) {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerQuestions(scope, page.client)
  const session = page.open({}, [asked(questions)])
  const { host: root } = page.draw(<Console session={session} />)
  // Keys count once the question has stood for a moment.
  page.clock.advance(1_000)
  const heading = () => one(root, '.take h2')
  const chosen = () => [...root.querySelectorAll<HTMLInputElement>('.opt input')].map((input) => input.checked)
  const answers = () => page.host.paramsOf('question.answer')
  return { ...page, session, scope, root, heading, chosen, answers }
}

describe('asking', () => {
  it('ASK-TAKE: a question takes the desk over, and the focus goes to its heading, not to an answer', () => {
    const { root, heading } = play()
    expect(heading().textContent).toBe('Where should the snapshot go?')
    expect(document.activeElement).toBe(heading())
    expect(oneOf(root, '.desk', HTMLElement).hidden).toBe(true)
  })

  it.each([
    ['options', [place]],
    ['several', [told]],
    ['words alone', [free]],
  ])(
    'ASK-ORDER: the first stop behind the heading is an answer, and declining comes after all of them: %s',
    (_, asks) => {
      const { root } = play(asks)
      const stops = [...root.querySelectorAll<HTMLElement>('.take :is(button, input)')].filter(
        ({ tabIndex }) => tabIndex >= 0,
      )
      const firstButton = stops.findIndex((stop) => stop instanceof HTMLButtonElement)
      expect(firstButton).toBeGreaterThan(0)
      expect(stops.slice(firstButton).every((stop) => stop instanceof HTMLButtonElement)).toBe(true)
      expect(stops.map((stop) => stop.textContent)).toContain('Decline')
    },
  )

  it('ASK-KEYS: digits choose, also in another order; a digit without an option does nothing', () => {
    const { heading, chosen } = play()
    press(heading(), '2')
    expect(chosen()).toEqual([false, true, false])
    press(heading(), '1')
    expect(chosen()).toEqual([true, false, false])
    expect(press(heading(), '9')).toBe(false)
    expect(chosen()).toEqual([true, false, false])
  })

  it('ASK-TYPING: what a person was typing when the question came does not answer it', () => {
    const page = playPage()
    registerQuestions(page.client.slots.scope(), page.client)
    const session = page.open()
    const { host: root } = page.draw(<Console session={session} />)
    oneOf(root, '#composer', HTMLTextAreaElement).focus()
    page.live(asked([place]))
    const heading = one(root, '.take h2')
    press(heading, '2')
    press(heading, 'Enter')
    expect([...root.querySelectorAll<HTMLInputElement>('.opt input')].some((input) => input.checked)).toBe(false)
    expect(page.host.waiting()).not.toContain('question.answer')
    page.clock.advance(1_000)
    press(heading, '2')
    expect(oneOf(root, '.opt:nth-child(2) input', HTMLInputElement).checked).toBe(true)
  })

  it('ASK-KEYS: a digit moves to its option, and Enter goes on from the heading once there is an answer', () => {
    const { root, heading, answers } = play()
    press(heading(), 'Enter')
    expect([answers(), root.querySelector('[role=alert]')]).toEqual([undefined, null])
    press(heading(), '2')
    expect(document.activeElement).toBe(oneOf(root, '.opt:nth-child(2) input', HTMLInputElement))
    press(heading(), 'Enter')
    expect(answers()).toMatchObject({ answers: [{ selected: ['Object store'] }] })
  })

  it('ASK-KEYS: in a multi-select a digit adds and takes out; the declared order stays', async () => {
    const { heading, root, answers } = play([told])
    press(heading(), '2')
    press(heading(), '1')
    click(byName(root, 'Answer'))
    expect(answers()).toMatchObject({ answers: [{ id: 'told', selected: ['On call', 'Support'] }] })
  })

  it('ASK-KEYS: a digit typed into one’s own words is a digit', () => {
    const { root, chosen } = play()
    const field = oneOf(root, '.take input[type=text]', HTMLInputElement)
    expect([press(field, '2'), chosen()]).toEqual([false, [false, false, false]])
  })

  it('ASK-IME: the Enter that confirms an input method’s text does not move on', () => {
    const { root } = play([place, told])
    const field = oneOf(root, '.take input[type=text]', HTMLInputElement)
    expect(press(field, 'Enter', { isComposing: true })).toBe(true)
    expect(press(field, 'Enter', { keyCode: 229 })).toBe(true)
    expect(press(field, 'Enter')).toBe(false)
  })

  it('ASK-ESC: Escape answers nothing and leaves the question open, with the focus on its heading', () => {
    const { root, heading, answers } = play()
    const field = oneOf(root, '.take input[type=text]', HTMLInputElement)
    field.focus()
    press(field, 'Escape')
    expect([document.activeElement === heading(), answers()]).toEqual([true, undefined])
  })

  it('ASK-EMPTY: silence is no answer', () => {
    const { root, answers } = play()
    click(byName(root, 'Answer'))
    expect(answers()).toBeUndefined()
    expect(one(root, '[role=alert]').textContent).toContain('Choose an option or write an answer')
  })

  it('ASK-SEVERAL: Next and Back keep every answer; all go out together', () => {
    const { root, heading, answers } = play([place, told, free])
    press(heading(), '2')
    click(byName(root, 'Next'))
    expect([heading().textContent, document.activeElement === heading()]).toEqual(['Who is told?', true])
    press(heading(), '1')
    click(byName(root, 'Next'))
    write(oneOf(root, '.take input[type=text]', HTMLInputElement), '0')
    click(byName(root, 'Back'))
    click(byName(root, 'Back'))
    expect(oneOf(root, '.opt:nth-child(2) input', HTMLInputElement).checked).toBe(true)
    click(byName(root, 'Next'))
    click(byName(root, 'Next'))
    click(byName(root, 'Answer'))
    expect(answers()).toEqual({
      sessionId: 's-1',
      questionId: 'q',
      answers: [
        { id: 'place', selected: ['Object store'] },
        { id: 'told', selected: ['On call'] },
        { id: 'free', selected: [], custom: '0' },
      ],
    })
  })
})

describe('answering', () => {
  it('ASK-ONCE: while an answer is on its way nothing can be pressed', () => {
    const { root, heading, host } = play()
    press(heading(), '1')
    click(byName(root, 'Answer'))
    for (const button of root.querySelectorAll('.take button')) click(button)
    press(heading(), '2')
    expect(host.waiting().filter((method) => method === 'question.answer')).toHaveLength(1)
  })

  it.each([
    ['accepted', { accepted: true }],
    ['answered elsewhere', { accepted: false, reason: 'not-pending' }],
  ])('ASK-FIRST: %s closes it quietly, before and after the host’s frame', async (_, outcome) => {
    const { root, heading, host, settle, live } = play()
    press(heading(), '1')
    click(byName(root, 'Answer'))
    host.answer('question.answer', outcome)
    await settle()
    expect([root.querySelector('.take'), root.querySelector('[role=alert]')]).toEqual([null, null])
    live({ type: 'question/resolved', questionId: 'q', outcome: 'answered' })
    expect(root.querySelector('.take')).toBeNull()
  })

  it('ASK-FIRST: answered on another page, it goes here too, and the same id may be asked again', () => {
    const { root, live } = play()
    live({ type: 'question/resolved', questionId: 'q', outcome: 'answered' })
    expect(root.querySelector('.take')).toBeNull()
    live(asked([free]))
    expect(root.querySelector('.take')).not.toBeNull()
  })

  it('ASK-DECLINE: declining answers with nothing', () => {
    const { root, answers } = play()
    click(byName(root, 'Decline'))
    expect(answers()).toEqual({ sessionId: 's-1', questionId: 'q', answers: null })
  })

  it('ASK-INVALID: a refused answer keeps everything and says so', async () => {
    const { root, heading, host, settle, chosen } = play()
    press(heading(), '1')
    click(byName(root, 'Answer'))
    host.answer('question.answer', { accepted: false, reason: 'invalid-answer' })
    await settle()
    expect(one(root, '[role=alert]').textContent).toContain('did not take these answers')
    expect(chosen()).toEqual([true, false, false])
  })

  it('ASK-LOST: a lost connection keeps the answers, says so, and they can be sent after it is back', async () => {
    const { root, heading, host, settle, lose, open, chosen, answers } = play()
    press(heading(), '3')
    click(byName(root, 'Answer'))
    host.fail('question.answer', { reason: 'connection-lost' })
    await settle()
    lose()
    expect(one(root, '[role=alert]').textContent).toContain('Your answers are kept here')
    expect([chosen(), byName(root, 'Answer').hasAttribute('disabled')]).toEqual([[false, false, true], true])
    open({}, [asked([place])])
    expect(chosen()).toEqual([false, false, true])
    click(byName(root, 'Answer'))
    expect(answers()).toMatchObject({ answers: [{ selected: ['Both'] }] })
  })

  it('ASK-NEXT: a second question waits its turn', () => {
    const { root, live, heading } = play()
    live(asked([free], 'q2'))
    expect(heading().textContent).toBe('Where should the snapshot go?')
    live({ type: 'question/resolved', questionId: 'q', outcome: 'cancelled' })
    expect(heading().textContent).toBe('What must not happen?')
    expect(root.querySelectorAll('.opt')).toHaveLength(0)
  })

  it('SLOT-END: without the plugin the desk is there again, the question still open on the host', () => {
    const { root, scope, session } = play()
    act(() => scope.dispose())
    expect([root.querySelector('.take'), oneOf(root, '.desk', HTMLElement).hidden]).toEqual([null, false])
    expect(session.getState().questions).toHaveLength(1)
  })
})
