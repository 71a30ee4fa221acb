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
