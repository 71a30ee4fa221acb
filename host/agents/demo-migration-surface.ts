/* The guide's first panel: how to migrate a large table. It has every kind of block and of field. */
import type { TaskSurfaceField, TaskSurfaceModelV1, TaskSurfaceSection } from '../../shared/surface/model.ts'
import { sayIn, type DemoLanguage, type Say } from './demo-language.ts'

export function migrationSurface(language: DemoLanguage): TaskSurfaceModelV1 {
  const say = sayIn(language)
  return {
    version: 1,
    title: say('Choose how to migrate the orders table', '选择订单表的迁移方式'),
    description: say(
      'Three ways were tried on a copy of production. Pick one, set the conditions, and put the steps in order.',
      '三种方式都已在生产副本上试跑。请选择一种，写明停止条件，并排好步骤顺序。',
    ),
    sections: [findings(say), paths(say), evidence(say)],
    fields: fields(say),
    submit: { label: say('Use this plan', '采用此方案') },
  }
}

function findings(say: Say): TaskSurfaceSection {
  const text = say(
    'The table grows by about **1.1 M rows a week**. Every path ends with the same schema; they differ in **how long writes wait** and in what it takes to go back.\n\n- Lag stayed under 2 s in all runs.\n- Only the shadow table can be undone after the switch.',
    '该表每周增长约 **110 万行**。三种方式得到的结构相同，区别在于**写入等待多久**，以及能否回退。\n\n- 所有试跑中复制延迟都低于 2 秒。\n- 只有影子表方式在切换后仍可撤销。',
  )
  return {
    id: 'findings',
    title: say('What was found', '试跑结果'),
    blocks: [
      { kind: 'markdown', text },
      {
        kind: 'metrics',
        items: [
          {
            label: say('Rows', '行数'),
            value: say('41.2 M', '4,120 万'),
            detail: say('+1.1 M a week', '每周 +110 万'),
          },
          {
            label: say('Peak writes', '写入峰值'),
            value: say('1,870 /s', '1,870 /秒'),
            detail: say('Friday 18:00', '周五 18:00'),
          },
          {
            label: say('Longest lock', '最长锁表'),
            value: say('0.4 s', '0.4 秒'),
            detail: say('shadow table', '影子表'),
          },
          { label: say('Disk free', '可用磁盘'), value: '212 GB', detail: say('needs 96 GB', '需要 96 GB') },
        ],
      },
    ],
  }
}

function paths(say: Say): TaskSurfaceSection {
  return {
    id: 'paths',
    title: say('The three paths', '三种方式'),
    layout: { kind: 'grid', columns: 3 },
    blocks: [
      {
        kind: 'markdown',
        text: say(
          '### Shadow table\n\nCopy in batches, keep in step with triggers, swap names.',
          '### 影子表\n\n分批复制，用触发器保持同步，最后交换表名。',
        ),
      },
      {
        kind: 'markdown',
        text: say(
          '### In place\n\nOne `alter table`. Simple, but writes wait.',
          '### 原地修改\n\n一条 `alter table`，简单，但写入要等待。',
        ),
      },
      {
        kind: 'markdown',
        text: say(
          '### Dual write\n\nThe service writes both. No lock, most code.',
          '### 双写\n\n服务同时写两张表，不锁表，改动最多。',
        ),
      },
      { kind: 'notice', tone: 'info', text: say('Takes 3 h 10 min, unattended.', '约需 3 小时 10 分，无需值守。') },
      { kind: 'notice', tone: 'warning', text: say('Writes wait up to 14 min.', '写入最长等待 14 分钟。') },
      { kind: 'notice', tone: 'neutral', text: say('Two releases are needed.', '需要发布两次。') },
    ],
  }
}

const runs = [
  { path: 'shadow', rowsPerSecond: 3610, lockSeconds: 0.4 },
  { path: 'in-place', rowsPerSecond: 5980, lockSeconds: 812 },
  { path: 'dual-write', rowsPerSecond: 2240, lockSeconds: null },
  { path: 'shadow', rowsPerSecond: 3655, lockSeconds: 0.4 },
  { path: 'in-place', rowsPerSecond: 6010, lockSeconds: 830 },
  { path: 'dual-write', rowsPerSecond: 2198, lockSeconds: null },
  { path: 'shadow', rowsPerSecond: 3598, lockSeconds: 0.3 },
  { path: 'in-place', rowsPerSecond: 5874, lockSeconds: 799 },
  { path: 'dual-write', rowsPerSecond: 2251, lockSeconds: null },
] as const

function pathName(say: Say, path: (typeof runs)[number]['path']): string {
  switch (path) {
    case 'shadow':
      return say('Shadow table', '影子表')
    case 'in-place':
      return say('In place', '原地修改')
    case 'dual-write':
      return say('Dual write', '双写')
  }
}

function evidence(say: Say): TaskSurfaceSection {
  return {
    id: 'evidence',
    title: say('Evidence', '依据'),
    blocks: [
      {
        kind: 'table',
        columns: [
          { id: 'run', label: say('Run', '批次') },
          { id: 'path', label: say('Path', '方式') },
          { id: 'rate', label: say('Rows/s', '行/秒') },
          { id: 'lock', label: say('Lock (s)', '锁（秒）') },
        ],
        rows: runs.map((run, index) => ({
          run: index + 1,
          path: pathName(say, run.path),
          rate: run.rowsPerSecond,
          lock: run.lockSeconds,
        })),
      },
      {
        kind: 'diff',
        path: 'db/0042_orders.sql',
        before: [...untouchedSql, 'alter table orders', '  add column state text;', ''].join('\n'),
        after: [
          ...untouchedSql,
          'create table orders_next',
          '  (like orders including all);',
          'alter table orders_next',
          '  add column state text',
          "  not null default 'open';",
          '',
        ].join('\n'),
        language: 'sql',
      },
    ],
  }
}

/** What the change leaves alone, long enough for a fold. */
const untouchedSql: readonly string[] = [
  '-- 0042: a state of its own for every order',
  '-- Needs 0041 and a replica that keeps up.',
  '',
  'set lock_timeout = 2000;',
  'set statement_timeout = 0;',
  '',
  ...['customer_id', 'placed_at', 'shipped_at', 'invoice_id', 'warehouse_id', 'carrier_id'].flatMap((column) => [
    `comment on column orders.${column} is null;`,
    `create index if not exists orders_${column}_idx`,
    `  on orders (${column})`,
    `  where ${column} is not null;`,
    '',
  ]),
  'analyze orders;',
  '',
]

function fields(say: Say): TaskSurfaceField[] {
  return [
    {
      kind: 'choice',
      id: 'path',
      label: say('Migration path', '迁移方式'),
      options: [
        {
          id: 'shadow',
          label: pathName(say, 'shadow'),
          detail: say('Longest, but can be undone', '耗时最长，但可撤销'),
        },
        {
          id: 'in-place',
          label: pathName(say, 'in-place'),
          detail: say('Shortest, writes wait', '耗时最短，写入要等待'),
        },
        {
          id: 'dual-write',
          label: pathName(say, 'dual-write'),
          detail: say('No lock, two releases', '不锁表，需发布两次'),
        },
      ],
      initial: 'shadow',
    },
    {
      kind: 'multi-choice',
      id: 'before',
      label: say('Before the switch', '切换之前'),
      options: [
        {
          id: 'snapshot',
          label: say('Take a snapshot', '做一次快照'),
          detail: say('96 GB, about 20 min', '96 GB，约 20 分钟'),
        },
        { id: 'pause-export', label: say('Pause the nightly export', '暂停夜间导出') },
        {
          id: 'warm-index',
          label: say('Warm the new index', '预热新索引'),
          detail: say('Reads it once, end to end', '完整读取一遍'),
        },
      ],
      initial: ['snapshot'],
    },
    { kind: 'text', id: 'ticket', label: say('Change ticket', '变更单号') },
    {
      kind: 'text',
      id: 'stop-if',
      label: say('Stop if', '停止条件'),
      multiline: true,
      required: true,
      initial: say(
        'Replica lag over 5 s for one minute.\nAny failed batch that a retry does not fix.',
        '复制延迟连续一分钟超过 5 秒。\n任何重试后仍失败的批次。',
      ),
    },
    { kind: 'toggle', id: 'freeze', label: say('Freeze deploys during the switch', '切换期间冻结部署'), initial: true },
    {
      kind: 'order',
      id: 'steps',
      label: say('Order of the steps', '步骤顺序'),
      options: [
        { id: 'snapshot', label: say('Snapshot', '快照') },
        { id: 'copy', label: say('Copy in batches', '分批复制') },
        { id: 'warm', label: say('Warm the index', '预热索引') },
        { id: 'swap', label: say('Swap names', '交换表名') },
      ],
    },
  ]
}
