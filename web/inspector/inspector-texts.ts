/* Texts of the inspector's own page in both languages. */
import { defineTexts } from '../i18n/i18n.ts'

export const pageTexts = defineTexts('inspectorPage', {
  en: {
    title: 'Inspector',
    lead: 'Every actor that the other window tells of, and every event as it comes. Looking changes nothing.',
    watching: 'Watching',
    waiting: 'Waiting for the first actor',
    ended: 'The other window has stopped: this is the last known.',
    alone: 'This page shows what another window tells it.',
    how: 'Open a session, choose Lifecycles, then “Open the inspector”.',
    home: 'To the sessions',
  },
  zh: {
    title: '检查器',
    lead: '显示另一个窗口报告的每个参与者和每个事件。查看不会改变任何内容。',
    watching: '正在查看',
    waiting: '正在等待第一个参与者',
    ended: '另一个窗口已停止：这是最后所见。',
    alone: '此页面显示另一个窗口向它报告的内容。',
    how: '打开一个会话，选择“生命周期”，然后选择“打开检查器”。',
    home: '前往会话',
  },
})
