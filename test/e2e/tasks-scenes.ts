/* A session with tasks, subagents and approvals on the scripted host: the data of the design pages. */
import type { Page } from 'playwright-core'
import type { Stage } from './web-browser.ts'
import type { ScriptedHost } from './web-scripted-host.ts'

export const minute = 60_000

export interface SampleTask {
  id: string
  kind: string
  label: string
  status: 'running' | 'stopping' | 'completed' | 'killed' | 'failed'
  detail?: string
  startedAt: number
  finishedAt?: number
}

/** The tasks of design page 04: three live, seventeen settled. */
export function sampleTasks(now: number): SampleTask[] {
  const ended = (ago: number, lasted: number) => ({ startedAt: now - ago - lasted, finishedAt: now - ago })
  const older = Array.from({ length: 14 }, (_, index): SampleTask => {
    const id = `bash-old${index}`
    return {
      id,
      kind: 'bash',
      label: `make step-${index}`,
      status: 'completed',
      ...ended((60 + index) * minute, 9_000),
    }
  })
  return [
    ...older.toReversed(),
    {
      id: 'pty-send-2',
      kind: 'pty-send',
      label: 'tail -f log/replica-lag.log',
      status: 'stopping',
      startedAt: now - 2_472_000,
    },
    {
      id: 'etl-sync-1',
      kind: 'etl-sync',
      label: 'Nightly export',
      status: 'killed',
      detail: 'by the model',
      ...ended(31 * minute, 1_338_000),
    },
    {
      id: 'bash-12',
      kind: 'bash',
      label: 'psql replica -f bench/open_orders.sql',
      status: 'completed',
      ...ended(20 * minute, 4_100),
    },
    {
      id: 'bash-14',
      kind: 'bash',
      label: 'npm run build -- --watch packages/orders',
      status: 'running',
      startedAt: now - 760_000,
    },
    {
      id: 'bash-13',
      kind: 'bash',
      label: 'node bench/orders.mjs --rows 41000000 --path shadow --batch 5000 --report out/shadow.json',
      status: 'failed',
      detail: 'Exit code 1. ENOSPC: no space left on device, write',
      ...ended(8 * minute, 112_000),
    },
    {
      id: 'subagent-3',
      kind: 'subagent',
      label: 'Review the rollback script',
      status: 'running',
      startedAt: now - 185_000,
    },
  ]
}

export const tasksFrame = (tasks: readonly SampleTask[]) => ({ type: 'session/tasks', tasks })

/** The session of design page 04, followed by nobody yet. */
export function addShip(host: ScriptedHost, baseline: object[] = []): void {
  const one = host.add('ship', { title: 'Ship 2.4: orders migration', baseline })
  host.append('ship', 'turn/start', { turn: 1 })
  const content = [{ type: 'text', text: 'Start with the snapshot.' }]
  const source = { kind: 'user', rpcId: '1' }
  host.append('ship', 'user/message', { message: { id: 'm1', role: 'user', source, content } })
  const said = [{ type: 'text', text: 'I will take the snapshot to the object store first.' }]
  host.append('ship', 'assistant/message', {
    turn: 1,
    step: 0,
    message: { id: 'a1', role: 'assistant', content: said },
  })
  one.session = { ...one.session, cwd: '~/work/orders' }
}

/** A child session and what the parent's log says of it. */
export function addChild(host: ScriptedHost, id: string, title: string, working = false): void {
  const one = host.add(id, { title, baseline: working ? [{ type: 'session/status', status: 'running', turn: 1 }] : [] })
  one.session = {
    ...one.session,
    createdAt: Date.now() - 125_000,
    status: working ? 'running' : 'idle',
    parent: JSON.parse('{"sessionId":"ship","seq":1,"relation":"subagent"}'),
  }
  host.sendAll({ type: 'host/session-updated', session: one.session })
}

export interface SampleChild {
  sessionId: string
  label: string
  mode: 'foreground' | 'background'
  status: 'running' | 'completed' | 'failed' | 'killed'
  startedSeq: number
  endedSeq?: number
}

export const subagentsFrame = (children: readonly SampleChild[], seq = 3) => ({
  type: 'session/projection',
  key: 'subagents',
  value: { children },
  seq,
})

export const command = `pg_dump --jobs 4 --format directory --file backup/orders.dump orders \\
  && store cp --recursive backup/orders.dump store://backups/2.4/`

export function approvalFrame(change: object = {}): object {
  const input = { command }
  return {
    type: 'approval/requested',
    approvalId: 'ap-1',
    callId: 'c1',
    tool: 'bash',
    summary: command,
    input,
    ...change,
  }
}

export async function openShip(stage: Stage, options: Parameters<Stage['open']>[1] = {}): Promise<Page> {
  const page = await stage.open('/s/ship', options)
  await page.getByRole('heading', { level: 1, name: 'Ship 2.4: orders migration' }).waitFor()
  return page
}
