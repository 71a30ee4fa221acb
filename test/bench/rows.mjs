/* The rows of the bench in the order in which they run, by the file that measures them. Goals: SPEC 15, and what is said
   where a row is not there. Those of growth bound what a hundred or a thousand times more may cost. */
export const rowsByFile = {
  'row-durable-appends.mjs': ['durable appends, 64 sessions at once'],
  'row-submit.mjs': ['submit to durable user/message frame, p50'],
  'row-fanout.mjs': ['task frames to 1,000 sockets'],
  'row-start.mjs': ['start with 1,000,000 events in 1,000 sessions, against none'],
  'row-open.mjs': [
    'opening a session of 100,000 events, against one of 100, both of 1,000,000 events in 1,000 sessions',
  ],
  'row-resident.mjs': ['resident memory with 1,000,000 events in 1,000 sessions'],
  'row-memory.mjs': ['memory of a live idle session'],
  'row-first-load.mjs': ['first page load, compressed'],
  'row-keystroke.mjs': ['keystroke in the largest legal form, p95', 'opening the largest legal form'],
  'row-journal.mjs': ['turns with the journal against without'],
  'row-tasks.mjs': [
    'task start to row visible, p50',
    'task start to row visible, p95',
    'task settled to row updated, p50',
    'task settled to row updated, p95',
  ],
  'row-growth-events.mjs': ['a change in a session of 100,000 events, against one of 100'],
  'row-growth-sessions.mjs': [
    'a change with 1,000 live sessions, against 1',
    'listing 1,000 sessions, for each of them, against 100',
  ],
  'row-growth-sockets.mjs': [
    'a frame to 1,000 sockets, for each of them, against 100: growth, against that of the raw server',
  ],
  'row-growth-tasks.mjs': ['task start to row visible among 200 tasks, against none'],
  'row-growth-rows.mjs': [
    'checking a table of 200 rows, for each of them, against 20',
    'checking a form of 32 fields, for each of them, against 4',
    'reading answers to 32 fields, for each of them, against 4',
  ],
}
