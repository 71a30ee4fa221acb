/* Texts of the Markdown component and of its code blocks. */
import { defineTexts } from '../i18n/i18n.ts'

export const markdownTexts = defineTexts('markdown', {
  en: {
    code: 'Code',
    codeIn: 'Code, {{language}}',
    copy: 'Copy the code',
    copied: 'Copied',
    notCopied: 'Not copied: the browser refused',
    table: 'Table',
    done: 'Done',
    notDone: 'Not done',
    tooLong: 'Shown as plain text: it is too long to format.',
    moreRows: 'Show {{rows}} more rows',
  },
  zh: {
    code: '代码',
    codeIn: '代码，{{language}}',
    copy: '复制代码',
    copied: '已复制',
    notCopied: '未复制：浏览器拒绝了操作',
    table: '表格',
    done: '已完成',
    notDone: '未完成',
    tooLong: '内容过长，以纯文本显示。',
    moreRows: '显示其余 {{rows}} 行',
  },
})
