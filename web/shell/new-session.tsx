/* Where a session begins: choose an agent, write the first message or take one of the guide's. Until the
   first session exists it also says what this is. Rule N-ONE: one press makes one session. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { composerIntent } from '../../machines/composer.ts'
import type { AgentView } from '../../shared/protocol/methods.ts'
import { useClient } from '../client.tsx'
import { composerFieldId } from '../composer/composer.tsx'
import { CallError } from '../connection/rpc.ts'
import { Icon, State } from '../icon.tsx'
import { useStore } from '../store.ts'
import { type AgentList, useAgents } from './agents.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { DrawerButton } from './drawer.tsx'
import { shellTexts } from './shell-texts.ts'

export function NewSession() {
  const t = shellTexts.use()
  const { sessions } = useClient()
  const isFirst = useStore(sessions.list, (list) => list.ready && list.sessions.length === 0)
  return (
    <>
      <header className="head">
        <DrawerButton />
        {isFirst ? (
          <p className="head-title dim">{t('newSession')}</p>
        ) : (
          <div className="head-title">
            <h1>{t('newSession')}</h1>
          </div>
        )}
      </header>
      <ConnectionBar />
      <div className="page" tabIndex={0} role="group" aria-label={t('newSession')}>
        <div className="page-in">
          {isFirst && <Welcome />}
          <StartForm />
        </div>
      </div>
    </>
  )
}

function Welcome() {
  const t = shellTexts.use()
  return (
    <>
      <div className="hero">
        <h1>{t('hero')}</h1>
        <p>{t('heroText')}</p>
      </div>
      <ol className="loop">
        <li>
          <Icon name="i-plate" />
          <div>
            <b>{t('loop1')}</b>
            <span>{t('loop1Text')}</span>
          </div>
        </li>
        <li>
          <Icon name="m-submitted" />
          <div>
            <b>{t('loop2')}</b>
            <span>{t('loop2Text')}</span>
          </div>
        </li>
        <li>
          <Icon name="i-go" />
          <div>
            <b>{t('loop3')}</b>
            <span>{t('loop3Text')}</span>
          </div>
        </li>
      </ol>
    </>
  )
}

/** The chosen one if it can be used, else the preferred, else the first that is ready. */
function usable(agents: readonly AgentView[], ...wanted: readonly (string | null)[]): string | null {
  const ready = agents.filter((agent) => agent.available)
  const found = wanted.map((name) => ready.find((agent) => agent.name === name)).find((agent) => agent !== undefined)
  return (found ?? ready[0])?.name ?? null
}

function useStart(agent: string | null) {
  const t = shellTexts.use()
  const { connection, sessions, router, deskOf, preferences } = useClient()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const starting = useRef(false)

  const start = async (text: string): Promise<void> => {
    if (agent === null || text.trim() === '' || starting.current) return
    starting.current = true
    setBusy(true)
    setProblem(null)
    try {
      const { approval } = preferences.getState()
      const { session } = await connection.requester.call('session.create', { agent, approval })
      sessions.add(session)
      const desk = deskOf(sessions.follow(session.id))
      desk.draft.replace(text)
      desk.outbox.send('queued')
      router.go({ view: 'session', sessionId: session.id, pane: null })
    } catch (error) {
      setProblem(t('failed', { why: error instanceof CallError ? error.message : '' }))
      setBusy(false)
    } finally {
      starting.current = false
    }
  }
  return { start, busy, problem }
}

function StartForm() {
  const t = shellTexts.use()
  const { preferences, connection } = useClient()
  const preferred = useStore(preferences, (state) => state.agent)
  const up = useStore(connection.state, (state) => state.phase === 'up')
  const list = useAgents()
  const [chosen, setChosen] = useState<string | null>(null)
  const agent = usable(list.agents, chosen, preferred)
  const [text, setText] = useState('')
  const { start, busy, problem } = useStart(agent)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey: shift, altKey: alt, ctrlKey, metaKey, nativeEvent } = event
    const { isComposing, keyCode } = nativeEvent
    if (composerIntent({ key, shift, alt, control: ctrlKey || metaKey, isComposing, keyCode }, false) === null) return
    event.preventDefault()
    if (up) void start(text)
  }
  const blocked = !up || busy || agent === null
  return (
    <form
      className="first"
      onSubmit={(event) => {
        event.preventDefault()
        if (!blocked) void start(text)
      }}
    >
      <AgentChoice list={list} chosen={agent} onChoose={setChosen} />
      {agent === 'demo' && <Starters disabled={blocked} onStart={(prompt) => void start(prompt)} />}
      <div>
        <div className="composer">
          <label className="vh" htmlFor={composerFieldId}>
            {t('message')}
          </label>
          <textarea
            ref={field}
            id={composerFieldId}
            rows={1}
            placeholder={agent === 'demo' ? t('first') : t('firstPlain')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <div className="composer-bar">
            <span className="grow" />
            <span className="hint">{t('hint')}</span>
            <button type="submit" className="btn btn-main" disabled={blocked || text.trim() === ''}>
              <Icon name="i-send" />
              {busy ? t('starting') : t('start')}
            </button>
          </div>
        </div>
        {problem !== null && (
          <p className="issue" role="alert">
            <Icon name="m-failed" />
            {problem}
          </p>
        )}
      </div>
    </form>
  )
}

/** As many are shown with those that cannot be used; of more, only the ready ones, so that the message field stays in view. */
const fewAgents = 3

function AgentChoice(props: { list: AgentList; chosen: string | null; onChoose: (name: string) => void }) {
  const t = shellTexts.use()
  const { list, chosen, onChoose } = props
  const [unfolded, setUnfolded] = useState(false)
  if (list.phase === 'failed') {
    return (
      <p className="issue" role="alert">
        <Icon name="m-failed" />
        {t('agentsFailed')}
      </p>
    )
  }
  if (list.agents.length === 0) return null
  const ready = list.agents.filter((agent) => agent.available)
  const folded = list.agents.length > fewAgents && ready.length > 0 && !unfolded
  const shown = folded ? ready : list.agents
  return (
    <fieldset className="field">
      <legend className="label">
        <span>{t('agent')}</span>
      </legend>
      <div className="opts">
        {shown.map((agent) => (
          <label key={agent.name} className="opt agent">
            <input
              type="radio"
              name="agent"
              value={agent.name}
              checked={agent.name === chosen}
              disabled={!agent.available}
              onChange={() => onChoose(agent.name)}
            />
            <b className="mono">{agent.name}</b>
            <AgentState agent={agent} />
            <small>
              <AgentText agent={agent} />
            </small>
          </label>
        ))}
        {shown.length < list.agents.length && (
          <button type="button" className="fold-btn" onClick={() => setUnfolded(true)}>
            <Icon name="i-down" />
            {t('notReady', { count: list.agents.length - shown.length })}
          </button>
        )}
      </div>
    </fieldset>
  )
}

export function AgentState({ agent }: { agent: AgentView }) {
  const t = shellTexts.use()
  if (agent.available) return <State mark="m-completed">{t('ready')}</State>
  return (
    <State mark="m-warn" tone="warn">
      {t('unavailable')}
    </State>
  )
}

/** What it is, or why it cannot be used. Of the host's own kinds in the language of the page. */
export function AgentText({ agent }: { agent: AgentView }) {
  const t = shellTexts.use()
  if (!agent.available) return agent.why ?? agent.label
  if (agent.name === 'demo') return t('guide')
  return agent.name.startsWith('acp/') ? t('program') : agent.label
}

function Starters({ disabled, onStart }: { disabled: boolean; onStart: (prompt: string) => void }) {
  const t = shellTexts.use()
  return (
    <div>
      <p className="label">{t('try')}</p>
      <div className="starts">
        <button type="button" className="btn" disabled={disabled} onClick={() => onStart(t('start1'))}>
          <Icon name="i-plate" />
          {t('start1')}
        </button>
        <button type="button" className="btn" disabled={disabled} onClick={() => onStart(t('start2'))}>
          <Icon name="i-ask" />
          {t('start2')}
        </button>
        <button type="button" className="btn" disabled={disabled} onClick={() => onStart(t('start3'))}>
          <Icon name="i-tasks" />
          {t('start3')}
        </button>
      </div>
    </div>
  )
}
