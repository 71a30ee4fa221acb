/* The words the guide understands at any time, in both languages, alone or inside a short sentence. */

const demoCommands = ['surface', 'table', 'confirm', 'question', 'long', 'error', 'task', 'help'] as const
export type DemoCommand = (typeof demoCommands)[number]

/** Longer texts are prose: a word in passing is no command. */
const sentenceMaxLength = 80

/** In this order: "Task Surface" is a surface and no task, "the orders table" is the first panel and no table. */
const patterns: readonly (readonly [DemoCommand, RegExp])[] = [
  ['surface', /surface|\bpanel|\bform\b|migrat|面板|表单|迁移/],
  ['question', /question|\bask me|提问|问我|问题/],
  ['long', /\blong\b|长文|长回答/],
  ['error', /\berror|mistake|错误|出错/],
  ['confirm', /confirm|确认/],
  ['table', /\btable|\brows\b|review|表格|复核/],
  ['task', /\btasks?\b|background|任务|后台/],
  ['help', /\bhelp\b|\bmenu\b|^\?$|帮助|菜单|^？$/],
]

export function commandIn(text: string): DemoCommand | undefined {
  const sentence = text.trim().toLowerCase()
  const alone = demoCommands.find((command) => command === sentence)
  if (alone !== undefined) return alone
  if (Array.from(sentence).length > sentenceMaxLength) return undefined
  return patterns.find(([, pattern]) => pattern.test(sentence))?.[0]
}
