/* A legal value for each thing that comes over a border: what the mutations begin with. Tables are typed by what they are
   of, so that a new method, frame or event without a sample does not compile. */
import type { EventType } from '../../shared/event.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import type { MethodName } from '../../shared/protocol/methods.ts'

export const model = {
  version: 1,
  title: 'Plan',
  description: 'What now?',
  sections: [
    {
      id: 'look',
      title: 'Look',
      layout: { kind: 'grid', columns: 2 },
      blocks: [
        { kind: 'markdown', text: '# *Look* [here](https://a.example)' },
        { kind: 'metrics', items: [{ label: 'Size', value: '3', detail: 'MiB' }] },
        { kind: 'table', columns: [{ id: 'c', label: 'C' }], rows: [{ c: 1 }, { c: null }, { c: 'x' }, { c: true }] },
        { kind: 'diff', path: 'a.ts', before: 'a\n', after: 'b\n', language: 'ts' },
        { kind: 'notice', tone: 'info', text: 'Mind.' },
      ],
    },
  ],
  fields: [
    { kind: 'text', id: 'name', label: 'Name', required: true, initial: 'Ada' },
    { kind: 'text', id: 'why', label: 'Why', multiline: true },
    {
      kind: 'choice',
      id: 'one',
      label: 'One',
      options: [
        { id: 'a', label: 'A' },
        { id: 'b', label: 'B', detail: 'b' },
      ],
    },
    { kind: 'multi-choice', id: 'some', label: 'Some', options: [{ id: 'a', label: 'A' }], initial: ['a'] },
    { kind: 'toggle', id: 'ship', label: 'Ship', initial: true },
    {
      kind: 'order',
      id: 'order',
      label: 'Order',
      options: [
        { id: 'a', label: 'A' },
        { id: 'b', label: 'B' },
      ],
    },
  ],
  submit: { label: 'Send' },
}
export const values = { name: 'Ada', why: 'a\nb', one: 'a', some: ['a'], ship: true, order: ['b', 'a'] }

/** `session` has an open surface, `other` can be thrown away. */
export interface Ids {
  session: string
  other: string
  surface: string
  file: string
}

export function paramsOf({ session: sessionId, other, surface: surfaceId, file }: Ids): Record<MethodName, object> {
  return {
    'host.describe': {},
    'agents.list': {},
    'session.create': {
      agent: 'openai-compatible/scripted',
      title: 'A title',
      cwd: '/tmp',
      toolMode: 'native',
      approval: 'ask',
    },
    'session.list': {},
    'session.open': { sessionId, limit: 5 },
    'session.close': { sessionId: other },
    'session.history': { sessionId, beforeSeq: 4, limit: 5 },
    'session.configure': { sessionId, approval: 'ask', toolMode: 'both' },
    'session.rename': { sessionId, title: 'Another' },
    'session.remove': { sessionId: other },
    'session.interrupt': { sessionId: other },
    'session.send': { sessionId: other, messageId: 'm-1', text: 'hello', placement: 'queued' },
    'session.updateQueue': { sessionId, itemId: 'i-1', action: { kind: 'edit', text: 'x' } },
    'session.fork': { sessionId, atSeq: 2 },
    'session.rewind': { sessionId: other, toSeq: 0 },
    'taskSurface.getActive': { sessionId, surfaceId },
    'taskSurface.submit': { sessionId, surfaceId: 'ts-other', submissionId: 's-1', values, note: 'a note' },
    'taskSurface.dismiss': { sessionId, surfaceId: 'ts-other', dismissalId: 'd-1' },
    'question.answer': { sessionId, questionId: 'q-1', answers: [{ id: 'q', selected: ['A'], custom: 'x' }] },
    'approval.decide': { sessionId, approvalId: 'a-1', decision: 'deny', remember: true },
    'data.export': { sessionId, fromSeq: 1 },
    'data.import': { file, sessionId: 'imported' },
    'data.verify': { sessionId },
    'inspect.machines': {},
    'inspect.subscribe': { sessionId },
    'inspect.unsubscribe': { sessionId },
    'inspect.journal': { sessionId, afterId: '3', limit: 5 },
  }
}

const message = {
  id: 'm',
  role: 'user',
  source: {
    kind: 'user',
    rpcId: 'r',
    taskSurface: { version: 1, submissionId: 's', callId: 'c', surfaceId: 'ts', values },
  },
  content: [{ type: 'text', text: 'hello' }],
}
const assistant = {
  id: 'a',
  role: 'assistant',
  content: [
    { type: 'text', text: 'hi' },
    { type: 'reasoning', text: 'hm' },
    { type: 'tool-call', callId: 'c', name: 'show_task_surface', arguments: '{}' },
  ],
}
const text = [{ type: 'text', text: 'done' }]

const dataByType: Record<EventType, object> = {
  'session/created': {
    title: 'T',
    agent: 'demo',
    cwd: '/w',
    toolMode: 'native',
    approval: 'ask',
    parent: { sessionId: 'p', seq: 3, relation: 'fork' },
  },
  'session/title': { title: 'T' },
  'session/end-seed': {},
  'session/rewound': { toSeq: 0 },
  'session/configured': { approval: 'auto', toolMode: 'both', agent: 'demo' },
  'turn/start': { turn: 1 },
  'turn/end': { turn: 1, reason: 'completed', error: 'none' },
  'user/message': { message },
  'steering/message': { message: { ...message, id: 'm2', source: { kind: 'notice', about: 'task', taskId: 't' } } },
  'assistant/message': {
    turn: 1,
    step: 0,
    message: assistant,
    usage: { inputTokens: 1, outputTokens: 2 },
    interrupted: true,
  },
  'tool/call': { turn: 1, step: 0, callId: 'c', name: 'show_task_surface', arguments: { model } },
  'tool/result': {
    turn: 1,
    step: 0,
    callId: 'c',
    name: 'show_task_surface',
    content: text,
    meta: { kind: 'dsh/task-surface', version: 1, surfaceId: 'ts', model },
  },
  'task-surface/dismissed': { version: 1, surfaceId: 'ts', callId: 'c', dismissalId: 'd' },
  'approval/decided': { callId: 'c', decision: 'allow', remember: true },
  'subagent/started': { sessionId: 'k', callId: 'c', label: 'L', mode: 'background' },
  'subagent/ended': { sessionId: 'k', status: 'completed' },
}

const order: readonly EventType[] = [
  'session/created',
  'session/title',
  'turn/start',
  'user/message',
  'assistant/message',
  'tool/call',
  'approval/decided',
  'subagent/started',
  'subagent/ended',
  'tool/result',
  'steering/message',
  'turn/end',
  'task-surface/dismissed',
  'session/configured',
  'session/end-seed',
  'session/rewound',
]

/** One legal log in which every type of event stands. */
export const log = order.map((type, seq) => ({ type, seq, time: 1_790_000_000_000 + seq, data: dataByType[type] }))

const live = { sessionId: 's', incarnation: 'i', n: 4 }
const question = {
  id: 'q',
  question: 'Which?',
  header: 'H',
  options: [{ label: 'A', description: 'a' }],
  multiSelect: true,
}

export const frames: Record<SessionFrame['type'], object> = {
  'session/subscribed': { sessionId: 's', incarnation: 'i', n: 4, lastSeq: 3 },
  'session/event': { ...live, event: log[0] },
  'session/stream': { ...live, turn: 1, step: 0, messageId: 'a', offset: 0, part: 'text', text: 'h' },
  'session/status': { ...live, status: 'running', turn: 1, retry: { attempt: 2, waitMs: 10, why: 'later' } },
  'session/queue': {
    ...live,
    items: [
      {
        id: 'i',
        messageId: 'm',
        placement: 'queued',
        source: { kind: 'user', rpcId: '1' },
        content: text,
        preview: 'p',
        text: 'p',
      },
    ],
  },
  'session/discarded': { ...live, itemId: 'i', messageId: 'm', reason: 'removed', why: 'so', text: null },
  'session/projection': { ...live, key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 'ts' } }, seq: 3 },
  'session/task-surface': { ...live, surfaceId: 'ts', pending: { submissionId: 's', messageId: 'm', phase: 'queued' } },
  'session/tasks': {
    ...live,
    tasks: [{ id: 't', kind: 'bash', label: 'l', status: 'running', detail: 'd', startedAt: 1, finishedAt: 2 }],
  },
  'question/requested': { ...live, questionId: 'q', callId: 'c', questions: [question] },
  'question/resolved': { ...live, questionId: 'q', outcome: 'answered' },
  'approval/requested': {
    ...live,
    approvalId: 'a',
    callId: 'c',
    tool: 'bash',
    summary: 'ls',
    input: { command: 'ls' },
    fromSession: 'k',
  },
  'approval/resolved': { ...live, approvalId: 'a', outcome: 'allow' },
}

/** By the names of the tools. */
export const toolInputs: Readonly<Record<string, object>> = {
  show_task_surface: { model },
  ask_user_question: { questions: [question] },
  bash: { command: 'true', description: 'd', timeoutMs: 1000, run_in_background: true },
  terminal_send: { input: 'true\n', terminalId: 't', waitMs: 10, run_in_background: false },
  subagent: { prompt: 'p', description: 'd', run_in_background: true },
  task_list: {},
  task_output: { taskId: 'bash-1', wait: false, timeoutMs: 1 },
  task_kill: { taskId: 'bash-1', reason: 'r' },
  read_file: { path: 'a.txt', offset: 1, limit: 2 },
  write_file: { path: 'b.txt', content: 'x' },
  edit_file: { path: 'a.txt', oldText: 'a', newText: 'b', replaceAll: true },
  run_code: { code: 'return 1' },
}

export const settings = {
  providers: {
    openai: { baseUrl: 'https://a.example/v1', apiKey: 'planted-secret-key', models: ['gpt-5'] },
    anthropic: { apiKey: 'planted-secret-key' },
  },
  acp: { one: { command: 'one', args: ['acp'], env: { KEY: 'planted-secret-key' } } },
  limits: { blocks: 10, stallSeconds: 60 },
}
