/* The agents the host offers, asked for when a page needs them and again on every new connection. */
import { useEffect, useState } from 'react'
import type { AgentView } from '../../shared/protocol/methods.ts'
import { useClient } from '../client.tsx'
import { useStore } from '../store.ts'

export interface AgentList {
  agents: readonly AgentView[]
  phase: 'loading' | 'ready' | 'failed'
}

export function useAgents(): AgentList {
  const { connection } = useClient()
  const up = useStore(connection.state, (state) => state.phase === 'up')
  const [list, setList] = useState<AgentList>({ agents: [], phase: 'loading' })
  useEffect(() => {
    if (!up) return
    let wanted = true
    connection.requester.request('agents.list', {}, (outcome) => {
      if (!wanted) return
      if (outcome.ok) setList({ agents: outcome.value.agents, phase: 'ready' })
      // Known agents stay: the list was right a moment ago.
      else setList((known) => ({ ...known, phase: known.agents.length > 0 ? 'ready' : 'failed' }))
    })
    return () => {
      wanted = false
    }
  }, [connection, up])
  return list
}
