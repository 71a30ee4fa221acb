/* What can be chosen for this browser, and the agents the host offers. Nothing here is sent to the host. */
import { type ReactNode, useId, useMemo } from 'react'
import { useClient } from '../client.tsx'
import { Icon, State } from '../icon.tsx'
import { useStore } from '../store.ts'
import { useAgents } from './agents.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { DrawerButton } from './drawer.tsx'
import { AgentState, AgentText } from './new-session.tsx'
import { shellTexts } from './shell-texts.ts'

export function Settings() {
  const t = shellTexts.use()
  const { connection } = useClient()
  const version = useStore(connection.state, (state) => state.version)
  return (
    <>
      <header className="head">
        <DrawerButton />
        <div className="head-title">
          <h1>{t('settings')}</h1>
        </div>
      </header>
      <ConnectionBar />
      <div className="page" tabIndex={0} role="group" aria-label={t('settings')}>
        <div className="page-in">
          <Agents />
          <NewSessions />
          <Appearance />
          {version !== null && <p className="dim">{t('version', { version })}</p>}
        </div>
      </div>
    </>
  )
}

function Agents() {
  const t = shellTexts.use()
  const { agents, phase } = useAgents()
  const guests = useGuests()
  return (
    <section className="stack">
      <h2>{t('agents')}</h2>
      <p className="dim">{t('agentsText')}</p>
      {phase === 'failed' && <p className="issue">{t('agentsFailed')}</p>}
      {agents.length + guests.length > 0 && (
        <ul className="agents">
          {agents.map((agent) => (
            <li key={agent.name} className="agent">
              <Icon name="i-agent" />
              <b className="mono">{agent.name}</b>
              <AgentState agent={agent} />
              <p>
                <AgentText agent={agent} />
              </p>
            </li>
          ))}
          {guests.map(({ name, count, running }) => (
            <li key={name} className="agent">
              <Icon name="i-agent" />
              <b className="mono">{name}</b>
              <State mark={running ? 'm-running' : 'm-idle'} tone={running ? 'now' : 'plain'} live={running}>
                {t('sessionCount', { count })}
              </State>
              <p>{t('outside')}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Agents that came in from outside: they are no choice of the host's, their sessions tell of them. */
function useGuests() {
  const { sessions } = useClient()
  const list = useStore(sessions.list, (state) => state.sessions)
  return useMemo(() => {
    const names = [...new Set(list.map(({ agent }) => agent).filter((agent) => agent.startsWith('mcp/')))]
    return names.map((name) => {
      const own = list.filter(({ agent }) => agent === name)
      return { name, count: own.length, running: own.some(({ status }) => status === 'running') }
    })
  }, [list])
}

function NewSessions() {
  const t = shellTexts.use()
  const { preferences } = useClient()
  const { agent, approval } = useStore(preferences, (state) => state)
  const { agents } = useAgents()
  const fieldId = useId()
  return (
    <section className="stack">
      <h2>{t('newSessions')}</h2>
      <div className="rowset">
        <div>
          <label htmlFor={fieldId}>{t('defaultAgent')}</label>
          <select
            id={fieldId}
            className="input"
            value={agent ?? ''}
            onChange={(event) => preferences.set({ agent: event.target.value === '' ? null : event.target.value })}
          >
            <option value="">{t('firstReady')}</option>
            {agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <Choice label={t('policy')}>
          <Segment
            name="approval"
            label={t('ask')}
            chosen={approval === 'ask'}
            onChoose={() => preferences.set({ approval: 'ask' })}
          />
          <Segment
            name="approval"
            label={t('allow')}
            chosen={approval === 'auto'}
            onChoose={() => preferences.set({ approval: 'auto' })}
          />
        </Choice>
      </div>
    </section>
  )
}

function Appearance() {
  const t = shellTexts.use()
  const { preferences } = useClient()
  const { theme, language } = useStore(preferences, (state) => state)
  return (
    <section className="stack">
      <h2>{t('appearance')}</h2>
      <div className="rowset">
        <Choice label={t('theme')}>
          {(['system', 'light', 'dark'] as const).map((one) => (
            <Segment
              key={one}
              name="theme"
              label={t(one)}
              chosen={theme === one}
              onChoose={() => preferences.set({ theme: one })}
            />
          ))}
        </Choice>
        <Choice label={t('language')}>
          <Segment
            name="language"
            label="English"
            lang="en"
            chosen={language === 'en'}
            onChoose={() => preferences.set({ language: 'en' })}
          />
          <Segment
            name="language"
            label="中文"
            lang="zh-CN"
            chosen={language === 'zh'}
            onChoose={() => preferences.set({ language: 'zh' })}
          />
        </Choice>
      </div>
    </section>
  )
}

function Choice({ label, children }: { label: string; children: ReactNode }) {
  const id = useId()
  return (
    <div>
      <span id={id}>{label}</span>
      <span className="seg" role="radiogroup" aria-labelledby={id}>
        {children}
      </span>
    </div>
  )
}

function Segment(props: { name: string; label: string; chosen: boolean; lang?: string; onChoose: () => void }) {
  return (
    <label lang={props.lang}>
      <input type="radio" name={props.name} checked={props.chosen} onChange={props.onChoose} />
      {props.label}
    </label>
  )
}
