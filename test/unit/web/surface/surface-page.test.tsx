// @vitest-environment happy-dom
/* The surface in a page whose host the test plays: dock, row, keys, and what comes back when the plugin is enabled again. */
import { act } from 'react'
import { expect, test } from 'vitest'
import { registerTaskSurface } from '../../../../web/plugins/task-surface/plugin.tsx'
import { Console } from '../../../../web/shell/console.tsx'
import { Transcript } from '../../../../web/transcript/transcript.tsx'
import { everyField } from '../../../e2e/surface-models.ts'
import { byName, click, playPage, press, write } from '../play-page.tsx'
import * as a from '../samples.ts'
import { one, oneOf } from './render.tsx'

const meta = {
  kind: 'dsh/task-surface',
  version: 1,
  surfaceId: a.surfaceId,
  model: JSON.parse(JSON.stringify(everyField)),
}
const active = { callId: 'call-1', surfaceId: a.surfaceId }
const shown = () => [
  a.created(),
  a.turnStart(1),
  a.said(2, 'show'),
  a.event(3, 'assistant/message', {
    turn: 1,
    step: 0,
    message: {
      id: 'm-3',
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'call-1', name: 'show_task_surface', arguments: '{}' }],
    },
  }),
  a.toolCall(4, 'call-1', 'show_task_surface', { model: {} }),
  a.toolResult(5, 'call-1', { meta }, 'show_task_surface'),
  a.turnEnd(6),
]
const projection = (key: string, value: object, seq = 6) => ({ type: 'session/projection', key, value, seq })

function play(events = shown(), baseline: object[] = [projection('taskSurface', { active })]) {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerTaskSurface(scope, page.client)
  const session = page.open({ events, lastSeq: events.length - 1 }, baseline)
  const { host: root } = page.draw(
    <>
      <Transcript session={session} />
      <Console session={session} />
    </>,
  )
  const answer = async () => {
    act(() => page.host.answer('taskSurface.getActive', { active: true, ...active, model: everyField, pending: null }))
    // The form is a chunk of its own.
    await act(() => import('../../../../web/plugins/task-surface/surface-form.tsx'))
    await page.settle()
  }
  const close = (reason: string, seq: number) => {
    page.live(projection('taskSurface', { active: null }, seq))
    page.live(projection('taskSurfaceOutcomes', { outcomes: [{ surfaceId: a.surfaceId, reason, seq }] }, seq))
  }
  return { ...page, scope, root, answer, close, row: () => one(root, '.ts-row') }
}

const ticketOf = (root: ParentNode) => oneOf(root, '[data-field="ticket"] input', HTMLInputElement)

test('PAGE-OPEN the dock opens on what the host answers, the row says where', async () => {
  const { root, answer, row } = play()
  expect(root.querySelector('.dock')).toBeNull()
  await answer()
  expect(one(root, '.dock-title').textContent).toBe(everyField.title)
  expect(row().textContent).toContain('Open below')
  expect(row().querySelector('input, textarea, dl')).toBeNull()
})

test('PAGE-NAMES every control has a name, and what is wrong describes it', async () => {
  const { root, answer } = play()
  await answer()
  const textOf = (id: string) => document.getElementById(id)?.textContent ?? ''
  const nameOf = (control: Element) =>
    control.getAttribute('aria-label') ??
    (control.getAttribute('aria-labelledby') ?? '').split(' ').map(textOf).join(' ')
  const controls = [...root.querySelectorAll('.dock-answer :is(input, textarea, fieldset, [role="group"])')]
  expect(controls.length).toBeGreaterThan(8)
  expect(controls.map(nameOf).filter((name) => name.trim() === '')).toEqual([])
  click(byName(one(root, '.dock'), /^Measure/))
  expect(ticketOf(root).getAttribute('aria-invalid')).toBe('true')
  expect(textOf(ticketOf(root).getAttribute('aria-describedby') ?? '')).toBe('Enter “Change ticket”.')
  expect(document.activeElement).toBe(one(root, '.notice-danger'))
})

test.each([
  ['submitted', 'Submitted'],
  ['dismissed', 'Dismissed'],
  ['bypassed', 'Bypassed by a message'],
  ['superseded', 'Replaced by a newer surface'],
])('PAGE-ROW %s: the row says how it ended, from the projection alone', (reason, word) => {
  const outcomes = { outcomes: [{ surfaceId: a.surfaceId, reason, seq: 99 }] }
  const { row, root } = play(shown(), [
    projection('taskSurface', { active: null }),
    projection('taskSurfaceOutcomes', outcomes),
  ])
  expect(one(row(), '.state').textContent).toBe(word)
  expect(row().querySelector('dl')).toBeNull()
  expect(root.querySelector('.dock')).toBeNull()
})

test('PAGE-ROW past the last outcomes the events say how it ended, and what was answered', () => {
  const values = { ticket: 'OPS-1', pre: [], freeze: true, steps: ['b', 'a', 'c', 'd'] }
  const taskSurface = { version: 1, submissionId: 'try-1', callId: 'call-1', surfaceId: a.surfaceId, values }
  const events = [...shown(), a.turnStart(7, 2), a.said(8, 'answers', 'x', { kind: 'user', rpcId: '1', taskSurface })]
  const { row } = play(events, [projection('taskSurface', { active: null })])
  expect(row().textContent).toContain('Submitted')
  expect([...row().querySelectorAll('dd')].map((cell) => cell.textContent)).toEqual([
    '(no answer)',
    'OPS-1',
    '(no answer)',
    '(none)',
    'Yes',
    '1) Copy in batches; 2) Snapshot; 3) Warm the index; 4) Swap names',
  ])
})

test('PAGE-AGAIN enabling the plugin again brings the open surface and its draft back', async () => {
  const { root, answer, scope, client, browser, host } = play()
  await answer()
  write(ticketOf(root), 'OPS-1')
  act(() => scope.dispose())
  expect(root.querySelector('.dock, .ts-row')).toBeNull()
  expect(one(root, '.tool').textContent).toContain('show_task_surface')
  expect([...browser.raw.values()].join()).toContain('OPS-1')
  act(() => registerTaskSurface(client.slots.scope(), client))
  expect(host.waiting()).toContain('taskSurface.getActive')
  await answer()
  expect(ticketOf(root).value).toBe('OPS-1')
  expect(one(root, '.ts-row').textContent).toContain('Open below')
})

test('PAGE-KEYS Escape collapses and Ctrl or Cmd with Enter submits, unless an input method has the key', async () => {
  const { root, answer, host } = play()
  await answer()
  const ticket = ticketOf(root)
  write(ticket, 'OPS-1')
  press(ticket, 'Enter', { ctrlKey: true, isComposing: true })
  press(ticket, 'Escape', { keyCode: 229 })
  expect(host.waiting()).not.toContain('taskSurface.submit')
  expect(root.querySelector('.dock-body')).not.toBeNull()
  expect(press(ticket, 'Enter')).toBe(true)
  expect(host.waiting()).not.toContain('taskSurface.submit')
  press(ticket, 'Enter', { metaKey: true })
  expect(host.waiting()).toContain('taskSurface.submit')
  press(one(root, '.dock-title'), 'Escape')
  expect(root.querySelector('.dock-body')).toBeNull()
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Expand')
})

test('PAGE-KEPT text that was bypassed stays readable on the row until it is thrown away', async () => {
  const { root, answer, close, row } = play()
  await answer()
  write(ticketOf(root), 'half done')
  act(() => void window.dispatchEvent(new Event('pagehide')))
  close('bypassed', 8)
  expect(one(row(), '.ts-kept pre').textContent).toContain('- Change ticket: half done')
  expect(one(root, '.dock-ended').textContent).toContain('This surface is no longer open.')
  click(byName(row(), 'Throw away'))
  expect(row().querySelector('.ts-kept')).toBeNull()
  click(byName(one(root, '.dock-ended'), 'Close'))
  expect(root.querySelector('.dock')).toBeNull()
})
