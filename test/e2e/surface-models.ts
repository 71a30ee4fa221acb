/* Models that the browser tests show. */
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'

/** One field of every kind, one of them required. */
export const everyField: TaskSurfaceModelV1 = {
  version: 1,
  title: 'Choose what to measure first',
  sections: [],
  fields: [
    {
      kind: 'choice',
      id: 'on',
      label: 'Measure on',
      options: [
        { id: 'replica', label: 'Replica', detail: 'No effect on customers' },
        { id: 'primary', label: 'Primary', detail: 'Real load, at night' },
      ],
    },
    { kind: 'text', id: 'ticket', label: 'Change ticket', required: true },
    { kind: 'text', id: 'stop', label: 'Stop if', multiline: true },
    {
      kind: 'multi-choice',
      id: 'pre',
      label: 'Before the switch',
      options: [
        { id: 'snapshot', label: 'Take a snapshot' },
        { id: 'pause', label: 'Pause the nightly export' },
      ],
    },
    { kind: 'toggle', id: 'freeze', label: 'Freeze deploys' },
    {
      kind: 'order',
      id: 'steps',
      label: 'Order of the steps',
      options: [
        { id: 'a', label: 'Snapshot' },
        { id: 'b', label: 'Copy in batches' },
        { id: 'c', label: 'Warm the index' },
        { id: 'd', label: 'Swap names' },
      ],
    },
  ],
  submit: { label: 'Measure' },
}

/** Nothing to fill in. */
export const notice: TaskSurfaceModelV1 = {
  version: 1,
  title: 'Read this',
  sections: [{ id: 's', blocks: [{ kind: 'notice', tone: 'info', text: 'Please confirm.' }] }],
  submit: { label: 'OK' },
}

/** Every kind of block, the grid, a table and a diff long enough to be windowed and folded. */
export const everyBlock: TaskSurfaceModelV1 = {
  version: 1,
  title: 'Choose how to migrate the orders table',
  description: 'Three ways were tried on a copy of production.',
  sections: [
    {
      id: 'found',
      title: 'What was found',
      blocks: [
        {
          kind: 'markdown',
          text: '## Growth\n\nThe table grows by **1.1 M rows a week**, see [the run](https://runs.example/1).\n\n- Lag stayed under 2 s.\n- Only `shadow` can be *undone*.\n\n```sql\nselect count(*) from orders;\n```\n\n|Query|Before|\n|-|-:|\n|Open|1840|',
        },
        {
          kind: 'metrics',
          items: [
            { label: 'Rows', value: '41.2 M', detail: '+1.1 M a week' },
            { label: 'Longest lock', value: '0.4 s' },
          ],
        },
      ],
    },
    {
      id: 'paths',
      title: 'The three paths',
      layout: { kind: 'grid', columns: 3 },
      blocks: [
        { kind: 'notice', tone: 'neutral', text: 'Takes 3 h 10 min, unattended.' },
        { kind: 'notice', tone: 'warning', text: 'Writes wait up to 14 min.' },
        { kind: 'notice', tone: 'info', text: 'Two releases are needed.' },
      ],
    },
    {
      id: 'evidence',
      title: 'Evidence',
      layout: { kind: 'grid', columns: 2 },
      blocks: [
        {
          kind: 'table',
          columns: [
            { id: 'run', label: 'Run' },
            { id: 'path', label: 'Path' },
            { id: 'lock', label: 'Lock' },
            { id: 'note', label: 'Note' },
          ],
          rows: Array.from({ length: 184 }, (_, index) => ({
            run: index + 1,
            path: 'Shadow table',
            lock: index % 7 === 0 ? null : 0.4,
            note: index === 3 ? 'A note that is far longer than the room that one line of a cell can give it' : '',
          })),
        },
        {
          kind: 'diff',
          path: 'db/0042_orders.sql',
          before: `${'-- unchanged\n'.repeat(40)}alter table orders\n  add column state text;\n`,
          after: `${'-- unchanged\n'.repeat(40)}create table orders_next\n  (like orders including all);\n`,
        },
      ],
    },
  ],
  fields: [{ kind: 'text', id: 'ticket', label: 'Change ticket' }],
  submit: { label: 'Use this plan' },
}
