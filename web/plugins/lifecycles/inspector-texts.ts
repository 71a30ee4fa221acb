/* Texts around the inspector in both languages. */
import { defineTexts } from '../../i18n/i18n.ts'

export const inspectorTexts = defineTexts('inspector', {
  en: {
    open: 'Open the inspector',
    title: 'Open the inspector',
    lead: 'An inspector shows each actor of this session, its state and every event in a window of its own. It only looks.',
    hereTitle: 'On this machine',
    hereText: 'A page of this host. It works without a network, and nothing leaves the machine.',
    hereOpen: 'Open here',
    statelyTitle: 'At stately.ai',
    statelyText:
      'The official Stately inspector, https://stately.ai/inspect, is loaded from the network, and data of this session leaves the machine for as long as it is open:',
    statelySent:
      'ids of the session, its actors, messages and forms; machines and their states; events with their names, times, ids, numbers and sizes.',
    statelyNever: 'Never the text of a message, a value of a form, a command or the content of a file.',
    statelyOpen: 'Open stately.ai',
    cancel: 'Cancel',
    blocked: 'The browser opened no window. Allow pop-up windows for this page, then try again.',
    loading: 'Loading',
    waitingHere: 'The inspector is opening',
    waitingStately: 'stately.ai is opening',
    connectedHere: 'The inspector is watching',
    connectedStately: 'stately.ai is watching',
    stop: 'Stop the inspector',
  },
  zh: {
    open: '打开检查器',
    title: '打开检查器',
    lead: '检查器在单独的窗口中显示此会话的每个参与者、其状态以及每个事件。它只查看，不改变任何内容。',
    hereTitle: '在本机',
    hereText: '由此主机提供的页面。无需网络即可使用，数据不会离开本机。',
    hereOpen: '在此打开',
    statelyTitle: '在 stately.ai',
    statelyText: '官方 Stately 检查器 https://stately.ai/inspect 将从网络加载，打开期间此会话的以下数据会离开本机：',
    statelySent: '会话、参与者、消息和表单的标识；状态机及其状态；事件的名称、时间、标识、数字和大小。',
    statelyNever: '绝不包括消息文本、表单的值、命令或文件内容。',
    statelyOpen: '打开 stately.ai',
    cancel: '取消',
    blocked: '浏览器没有打开窗口。请允许此页面弹出窗口，然后重试。',
    loading: '正在加载',
    waitingHere: '检查器正在打开',
    waitingStately: 'stately.ai 正在打开',
    connectedHere: '检查器正在查看',
    connectedStately: 'stately.ai 正在查看',
    stop: '停止检查器',
  },
})
