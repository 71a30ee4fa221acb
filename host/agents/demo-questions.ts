/* The guide's short questions: one of several, several of several, and free text. */
import type { Question } from '../../shared/question.ts'
import type { Say } from './demo-language.ts'

export function demoQuestions(say: Say): Question[] {
  return [
    {
      id: 'snapshot',
      header: say('Snapshot', '快照'),
      question: say('Where should the snapshot go?', '快照放在哪里？'),
      options: [
        { label: say('Local disk', '本地磁盘'), description: say('212 GB free, no transfer', '剩余 212 GB，无需传输') },
        {
          label: say('Object store', '对象存储'),
          description: say('Survives the machine, about 20 min longer', '机器损坏也不丢，约多 20 分钟'),
        },
        { label: say('Both', '两处都放') },
      ],
    },
    {
      id: 'tell',
      header: say('People', '人员'),
      question: say('Who is told when it starts?', '开始时通知谁？'),
      options: [
        { label: say('On-call engineer', '值班工程师') },
        { label: say('Support', '客服') },
        {
          label: say('Data team', '数据团队'),
          description: say('Their nightly export may be late', '他们的夜间导出可能会推迟'),
        },
      ],
      multiSelect: true,
    },
    {
      id: 'never',
      header: say('Limits', '底线'),
      question: say('What must not happen during the run?', '执行期间绝不能发生什么？'),
    },
  ]
}

/** The tool's result with the questions set off; null where none of them was answered. */
export function answersAsMarkdown(say: Say, result: string): string | null {
  const questions = new Set(demoQuestions(say).map(({ question }) => question))
  const lines = result.split('\n')
  if (!lines.some((line) => questions.has(line))) return null
  return lines.map((line) => (questions.has(line) ? `**${line}**\n` : line)).join('\n')
}
