/* The guide's second panel: the batches of a dry run, more rows than fit a screen, and a script as a long diff. */
import type { TaskSurfaceField, TaskSurfaceModelV1, TaskSurfaceSection } from '../../shared/surface/model.ts'
import { sayIn, type DemoLanguage, type Say } from './demo-language.ts'

/** Above the count from which a client may show only a window of the rows. */
export const reviewRowCount = 72

export function reviewSurface(language: DemoLanguage): TaskSurfaceModelV1 {
  const say = sayIn(language)
  return {
    version: 1,
    title: say('Review the dry run', '复核试跑'),
    description: say(
      'The copy ran once without the switch. Look through the batches and the script before it runs for real.',
      '复制已试跑一遍，没有切换。正式执行之前，请看一遍各批次和脚本。',
    ),
    sections: [overview(say), batches(say), scripts(say)],
    fields: fields(say),
    submit: { label: say('Send the review', '提交复核') },
  }
}

/** Two batches had to be repeated; every ninth was slow. Plain arithmetic, so that every run shows the same. */
function batchAt(index: number) {
  const retried = index === 17 || index === 53
  const slow = index % 9 === 8
  return {
    from: index * 572_000,
    rows: index === reviewRowCount - 1 ? 588_000 : 572_000,
    seconds: 151 + ((index * 37) % 23) + (slow ? 44 : 0) + (retried ? 160 : 0),
    retried,
    slow,
  }
}

function overview(say: Say): TaskSurfaceSection {
  return {
    id: 'overview',
    title: say('In short', '概要'),
    layout: { kind: 'grid', columns: 2 },
    blocks: [
      {
        kind: 'metrics',
        items: [
          { label: say('Batches', '批次'), value: String(reviewRowCount) },
          { label: say('Repeated', '重试'), value: '2', detail: say('18 and 54', '第 18 和 54 批') },
        ],
      },
      {
        kind: 'notice',
        tone: 'warning',
        text: say(
          'Every ninth batch met the vacuum of the old table and took about 40 s longer.',
          '每第九批都碰上旧表的清理，约多用 40 秒。',
        ),
      },
    ],
  }
}

function batches(say: Say): TaskSurfaceSection {
  return {
    id: 'batches',
    title: say('Batches', '批次'),
    blocks: [
      {
        kind: 'table',
        columns: [
          { id: 'batch', label: say('Batch', '批次') },
          { id: 'from', label: say('From id', '起始编号') },
          { id: 'rows', label: say('Rows', '行数') },
          { id: 'seconds', label: say('Seconds', '秒') },
          { id: 'retried', label: say('Repeated', '重试') },
          { id: 'remark', label: say('Remark', '备注') },
        ],
        rows: Array.from({ length: reviewRowCount }, (_, index) => {
          const { from, rows, seconds, retried, slow } = batchAt(index)
          return { batch: index + 1, from, rows, seconds, retried, remark: remarkOf(say, retried, slow) }
        }),
      },
    ],
  }
}

function remarkOf(say: Say, retried: boolean, slow: boolean): string | null {
  if (retried) return say('Lock timeout, went through the second time', '锁超时，第二次成功')
  return slow ? say('Vacuum of the old table', '旧表清理') : null
}

function scripts(say: Say): TaskSurfaceSection {
  return {
    id: 'scripts',
    title: say('What would run', '将执行的内容'),
    blocks: [
      {
        kind: 'diff',
        path: 'scripts/migrate-orders.sh',
        before: script('before'),
        after: script('after'),
        language: 'bash',
      },
      {
        kind: 'diff',
        path: 'db/0042_orders_undo.sql',
        before: null,
        after: 'begin;\nalter table orders rename to orders_next;\nalter table orders_old rename to orders;\ncommit;\n',
        language: 'sql',
      },
    ],
  }
}

const phases = ['snapshot', 'schema', 'triggers', 'copy', 'index', 'verify', 'swap', 'cleanup']

/** The two versions differ in every phase that talks to the database, and agree in long stretches between. */
function script(version: 'before' | 'after'): string {
  const after = version === 'after'
  return [
    '#!/usr/bin/env bash',
    after ? 'set -euo pipefail' : 'set -e',
    '',
    ': "${DATABASE_URL:?}"',
    after ? 'max_lag_seconds=5' : 'max_lag_seconds=30',
    '',
    'log() {',
    '  printf "%s %s\\n" "$(date -u +%H:%M:%S)" "$*"',
    '}',
    '',
    ...(after
      ? ['wait_for_replicas() {', '  until lag_below "$max_lag_seconds"; do', '    sleep 1', '  done', '}', '']
      : []),
    ...phases.flatMap((phase) => [
      `phase_${phase}() {`,
      `  log "${phase}: start"`,
      ...(after && phase !== 'snapshot' ? ['  wait_for_replicas'] : []),
      `  psql "$DATABASE_URL" --file "db/${phase}.sql"`,
      `  log "${phase}: done"`,
      '}',
      '',
    ]),
    ...phases.map((phase) => (after ? `phase_${phase} || exit 1` : `phase_${phase}`)),
    '',
  ].join('\n')
}

function fields(say: Say): TaskSurfaceField[] {
  return [
    {
      kind: 'choice',
      id: 'verdict',
      label: say('Verdict', '结论'),
      options: [
        { id: 'go', label: say('Run it', '可以执行') },
        {
          id: 'repeat',
          label: say('Try again first', '先再试跑一次'),
          detail: say('After tonight’s vacuum', '等今晚清理之后'),
        },
        { id: 'stop', label: say('Do not run it', '不要执行') },
      ],
    },
    {
      kind: 'multi-choice',
      id: 'look-at',
      label: say('Look at again', '需要再看的'),
      options: [
        { id: 'batch-18', label: say('Batch 18', '第 18 批'), detail: say('Lock timeout', '锁超时') },
        { id: 'batch-54', label: say('Batch 54', '第 54 批'), detail: say('Lock timeout', '锁超时') },
        { id: 'slow', label: say('The slow batches', '较慢的批次') },
        { id: 'script', label: say('The script', '脚本') },
      ],
    },
    { kind: 'text', id: 'reviewer', label: say('Reviewed by', '复核人'), required: true },
    { kind: 'text', id: 'remarks', label: say('Remarks', '意见'), multiline: true },
    { kind: 'toggle', id: 'tell-team', label: say('Tell the team', '告知团队') },
  ]
}
