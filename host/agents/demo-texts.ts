/* What the guide says, apart from answers to a submission (`demo-summary.ts`). Markdown, both languages side by side. */
import type { Say } from './demo-language.ts'

export function greeting(say: Say): string {
  return say(
    `Hello, I am the guide: a script that needs no key and no network, and answers over the same path as a real model.

When a decision is easier to make than to describe, an agent hands you a **panel** instead of more prose: what it found on one side, your answers on the other. What you submit comes back as one ordinary message, and the work goes on from there.

Here is such a case: an \`orders\` table with 41 million rows has to change, and there are three ways to do it. Choose in the panel below. You may also dismiss it, or write a message instead, which bypasses it.`,
    `你好，我是向导：一段不需要密钥、也不需要网络的脚本，回答走的是与真实模型相同的路径。

当一个决定做起来比说起来容易时，智能体会给你一个**面板**，而不是更多文字：一边是它发现的情况，另一边是你的回答。提交的内容会变成一条普通消息，工作从那里继续。

下面就是一例：\`orders\` 表有 4,120 万行，需要修改结构，有三种做法。请在下面的面板里选择。你也可以忽略面板，或者直接发消息绕过它。`,
  )
}

export function shortGreeting(say: Say): string {
  return say(
    'Hello, I am the guide: a script that needs no key and no network. Type `help` at any time to see what else I can show.',
    '你好，我是向导：一段不需要密钥、也不需要网络的脚本。随时输入 `帮助` 可以看到我还能演示什么。',
  )
}

export function menu(say: Say, canRunTasks: boolean): string {
  const rows: readonly (readonly [string, string])[] = [
    [
      say('`surface`', '`面板`'),
      say('The panel about the orders table: every kind of block and field', '订单表的面板：包含每一种内容块和字段'),
    ],
    [say('`table`', '`表格`'), say('A review with a long table and a long diff', '一份复核：长表格和长差异')],
    [say('`confirm`', '`确认`'), say('A panel with nothing to fill in', '没有要填写内容的面板')],
    [say('`question`', '`提问`'), say('Short questions, asked while I wait', '几个简短的问题，我会等你回答')],
    [say('`long`', '`长文`'), say('A long answer with all kinds of markdown', '一篇长回答，含各种 Markdown')],
    [
      say('`error`', '`错误`'),
      say('A panel that is wrong on purpose, and how it is refused', '一个故意写错的面板，看它如何被拒绝'),
    ],
    ...(canRunTasks ? ([[say('`task`', '`任务`'), say('Two background tasks', '两个后台任务')]] as const) : []),
    [say('`help`', '`帮助`'), say('This list', '这份列表')],
  ]
  const head = say(
    'Type one of these words at any time:\n\n| Word | What you get |',
    '随时可以输入以下词语：\n\n| 词语 | 演示内容 |',
  )
  return [head, '| --- | --- |', ...rows.map(([word, what]) => `| ${word} | ${what} |`)].join('\n')
}

export function notUnderstood(say: Say): string {
  return say('I am only a script, so I cannot answer that freely.', '我只是一段脚本，无法自由回答。')
}

export function bypassed(say: Say): string {
  return say(
    'The panel is closed now, because an ordinary message bypasses it. Nothing was submitted. `surface` opens the first one again.',
    '面板现在已关闭，因为普通消息会绕过它。没有提交任何内容。输入 `面板` 可以再次打开第一个面板。',
  )
}

export function surfaceAgain(say: Say): string {
  return say(
    'Here is the panel about the orders table. It holds every kind of block and every kind of field.',
    '这是订单表的面板，包含每一种内容块和每一种字段。',
  )
}

export function reviewIntro(say: Say): string {
  return say(
    'The dry run has ended. Below are its 72 batches, and the script that would run; read what you like and say what should happen.',
    '试跑已结束。下面是它的 72 个批次，以及将要执行的脚本；请随意查看，然后告诉我该怎么做。',
  )
}

export function confirmIntro(say: Say): string {
  return say('This panel only wants a yes.', '这个面板只需要你表示同意。')
}

export function questionIntro(say: Say): string {
  return say(
    'For something short I ask and wait, instead of ending the turn. Closing the questions tells me that you would rather not answer.',
    '简短的事情我会直接提问并等待，而不结束这一轮。关闭问题表示你不想回答。',
  )
}

export function tourQuestionIntro(say: Say): string {
  return say('Three small things are not settled in the plan.', '方案里还有三件小事没有定下来。')
}

export function errorIntro(say: Say): string {
  return say(
    'I now send a panel with four mistakes: an empty title, the same id twice, an unknown kind of block, and a key that would be code.',
    '现在我发送一个有四处错误的面板：标题为空、标识重复、内容块种类未知，以及一个相当于代码的键。',
  )
}

export function refusedOnPurpose(say: Say, text: string): string {
  return `${say(
    'Refused, as it should be: nothing was opened, and every problem is named with its place. A model reads the same text and corrects its call:',
    '如预期被拒绝：没有打开任何面板，并且逐条指出了问题及其位置。模型读到的也是这段文字，可据此更正：',
  )}\n\n${fenced(text)}`
}

export function surfaceStillOpen(say: Say): string {
  return say(
    'A panel is open already, and a session shows one at a time. Submit it or dismiss it; an ordinary message closes it too.',
    '已经有一个面板打开着，一个会话同时只显示一个。请提交或忽略它；发送普通消息也会关闭它。',
  )
}

export function surfaceRefused(say: Say, text: string): string {
  return `${say('The host did not open the panel:', '主机没有打开面板：')}\n\n${fenced(text)}`
}

export function noSurfaceTool(say: Say): string {
  return say(
    'This session does not offer me panels: in tool mode `code` nothing can be shown that ends a turn. Set the tool mode to `native` or `both` and write again.',
    '这个会话没有向我提供面板：在 `code` 工具模式下，无法显示会结束一轮的内容。请把工具模式改为 `native` 或 `both`，再发一条消息。',
  )
}

export function noTaskTool(say: Say): string {
  return say(
    'This session offers me no tool to start a background task with.',
    '这个会话没有向我提供启动后台任务的工具。',
  )
}

export function taskIntro(say: Say): string {
  return say(
    'I start two commands in the background: one that counts for half a minute, and one that fails at once. You may be asked to allow them. The list in the header shows both, live.',
    '我在后台启动两个命令：一个计数半分钟，另一个会立即失败。可能会先请你批准。标题栏的列表会实时显示它们。',
  )
}

export function declined(say: Say): string {
  return say('You would rather not answer; that is an answer too.', '你不想回答；这也是一种回答。')
}

export function noted(say: Say): string {
  return say('Noted, I take that along.', '记下了，我会一并考虑。')
}

export function helpHint(say: Say): string {
  return say('Type `help` to see what else there is.', '输入 `帮助` 可以看到还有什么。')
}

export function tourEnd(say: Say): string {
  return say('That is the tour.', '导览到此结束。')
}

/** A fence longer than any run of backticks inside, so that a text cannot end it. */
export function fenced(text: string, language = 'text'): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
