import { defineTexts } from '../../i18n/i18n.ts'

export const subagentTexts = defineTexts('subagents', {
  en: {
    title: 'Subagents',
    list: 'Subagent list',
    running: 'Running',
    completed: 'Completed',
    failed: 'Failed',
    killed: 'Killed',
    idle: 'Idle',
    runningSeen: 'Running when last seen',
    foreground: 'In the foreground',
    background: 'In the background',
    ended: 'ended {{time}}',
    gone: 'Its session was removed.',
  },
  zh: {
    title: '子智能体',
    list: '子智能体列表',
    running: '运行中',
    completed: '已完成',
    failed: '失败',
    killed: '已终止',
    idle: '空闲',
    runningSeen: '最后所见：运行中',
    foreground: '前台',
    background: '后台',
    ended: '{{time}} 结束',
    gone: '其会话已被移除。',
  },
})
