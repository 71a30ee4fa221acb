import { describe, expect, it } from 'vitest'
import { createDemoModel } from '../../../host/agents/demo.ts'
import { reviewRowCount } from '../../../host/agents/demo-review-surface.ts'
import { ModelError } from '../../../host/agents/port.ts'
import { DemoWalk } from './demo-walk.ts'

const start = { en: 'Show me the three paths side by side.', zh: '把三种方式放在一起给我看。' }

/** Greeting and panel → submission, questions, second panel → submission, menu. */
async function wholeTour(language: 'en' | 'zh'): Promise<DemoWalk> {
  const walk = new DemoWalk()
  await walk.say(start[language])
  await walk.submit({ ticket: 'OPS-7' })
  await walk.submit({ reviewer: 'Ada' })
  return walk
}

describe.each(['en', 'zh'] as const)('11: the tour in %s', (language) => {
  it('11: shows every kind of block, layout, tone and field', async () => {
    const { shown } = await wholeTour(language)
    const blocks = shown.flatMap(({ sections }) => sections.flatMap((section) => section.blocks))
    expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(['markdown', 'metrics', 'table', 'diff', 'notice']))
    const tones = blocks.flatMap((block) => (block.kind === 'notice' ? [block.tone] : []))
    expect(new Set(tones)).toEqual(new Set(['neutral', 'info', 'warning']))
    const layouts = shown.flatMap(({ sections }) => sections.map(({ layout }) => layout?.columns))
    expect(new Set(layouts)).toEqual(new Set([undefined, 2, 3]))
    const fields = shown.flatMap((model) => model.fields ?? [])
    expect(new Set(fields.map(({ kind }) => kind))).toEqual(
      new Set(['choice', 'multi-choice', 'text', 'toggle', 'order']),
    )
    const texts = fields.flatMap((field) => (field.kind === 'text' ? [field] : []))
    const forms = new Set(texts.map((text) => `${text.multiline === true} ${text.required === true}`))
    expect(forms).toEqual(new Set(['true true', 'true false', 'false true', 'false false']))
  })

  it('11: shows a table long enough to be virtualised, and a new file', async () => {
    const { shown } = await wholeTour(language)
    const blocks = shown[1]?.sections.flatMap((section) => section.blocks) ?? []
    expect(blocks.flatMap((block) => (block.kind === 'table' ? [block.rows.length] : []))).toEqual([reviewRowCount])
    expect(reviewRowCount).toBeGreaterThan(50)
    expect(blocks.some((block) => block.kind === 'diff' && block.before === null)).toBe(true)
  })

  it('11: asks with options, with several choices and with free text', async () => {
    const walk = new DemoWalk()
    const forms = new Set<string>()
    walk.answering((questions) => {
      for (const { options, multiSelect } of questions) {
        forms.add(options === undefined ? 'free' : multiSelect === true ? 'several' : 'one')
      }
      return { kind: 'declined' }
    })
    await walk.say(start[language])
    await walk.submit({})
    expect(forms).toEqual(new Set(['one', 'several', 'free']))
  })

  it('11: speaks the language of the person throughout', async () => {
    const walk = await wholeTour(language)
    const texts = walk.messages.flatMap((message) =>
      message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
    )
    expect(texts.length).toBeGreaterThan(3)
    for (const text of texts) expect(/[\u4e00-\u9fff]/.test(text)).toBe(language === 'zh')
  })
})

it('11: the first answer greets and hands over a panel in one step', async () => {
  const steps = await new DemoWalk().say('hello')
  expect(steps).toHaveLength(1)
  expect(steps[0]?.text).toMatch(/^Hello/)
  expect(steps[0]?.calls.map(({ name }) => name)).toEqual(['show_task_surface'])
})

it('11: a submission is repeated as table, list and command, the note as a quotation', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  const [summary] = await walk.submit(
    {
      path: 'dual-write',
      ticket: 'OPS|7',
      before: ['snapshot', 'warm-index'],
      freeze: true,
      steps: ['swap', 'copy', 'warm', 'snapshot'],
    },
    'Call me\nfirst.',
  )
  expect(summary?.text).toContain('| Migration path | Dual write |')
  expect(summary?.text).toContain('| Change ticket | OPS\\|7 |')
  expect(summary?.text).toContain('1. Swap names\n2. Copy in batches\n3. Warm the index\n4. Snapshot')
  expect(summary?.text).toContain(
    'migrate-orders --path dual-write --dry-run \\\n  --before snapshot,warm-index \\\n  --freeze-deploys\n',
  )
  expect(summary?.text).toContain('> Call me\n> first.')
})

it('11: what a person typed cannot become markup or a command in the summary', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  const hostile = '`x` | <img src=x> **b** [l](http://e)'
  const [summary] = await walk.submit({ ticket: hostile, 'stop-if': '```\n- Migration path: In place' })
  expect(summary?.text).toContain('| Change ticket | \\`x\\` \\| \\<img src=x\\> \\*\\*b\\*\\* \\[l\\](http://e) |')
  expect(summary?.text).toContain('--path shadow ')
})

it('11: what the message text says in English for every locale is repeated in the words of the person', async () => {
  const walk = new DemoWalk()
  await walk.say('你好')
  const [summary] = await walk.submit({ before: [], freeze: true })
  for (const row of ['| 变更单号 | 未回答 |', '| 切换之前 | 无 |', '| 切换期间冻结部署 | 是 |'])
    expect(summary?.text).toContain(row)
})

it('11: the answers to the questions are repeated and lead to the second panel', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  const steps = await walk.submit({})
  expect(steps.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
    ['ask_user_question'],
    ['show_task_surface'],
  ])
  expect(steps[1]?.text).toContain('**Where should the snapshot go?**\n\n- Local disk')
  expect(walk.shown[1]?.title).toBe('Review the dry run')
})

it('11: declined questions do not end the tour', async () => {
  const walk = new DemoWalk().answering(() => ({ kind: 'declined' }))
  await walk.say('hello')
  const steps = await walk.submit({})
  expect(steps[1]?.text).toContain('rather not answer')
  expect(walk.shown).toHaveLength(2)
})

it.each([
  ['surface', 'Choose how to migrate the orders table'],
  ['面板', '选择订单表的迁移方式'],
  ['Show a surface of every kind', 'Choose how to migrate the orders table'],
  ['table', 'Review the dry run'],
  ['表格', '复核试跑'],
  ['confirm', 'Confirm the hand-over'],
  ['确认', '确认交接'],
])('11: "%s" opens the panel "%s" at any time', async (word, title) => {
  const walk = await wholeTour('en')
  await walk.say(word)
  expect(walk.shown.at(-1)?.title).toBe(title)
})

it('11: a panel without fields is answered by submitting it', async () => {
  const walk = await wholeTour('en')
  await walk.say('confirm')
  const [step] = await walk.submit({})
  expect(step?.text).toContain('**Confirm the hand-over**: yes.')
  expect(step?.calls).toEqual([])
})

it.each([
  ['question', 'Type `help`'],
  ['提问', '输入 `帮助`'],
  ['Ask me a question', 'Type `help`'],
])('11: "%s" asks outside the tour and stops behind the answers', async (word, hint) => {
  const walk = await wholeTour('en')
  const before = walk.shown.length
  const steps = await walk.say(word)
  expect(steps[0]?.calls.map(({ name }) => name)).toEqual(['ask_user_question'])
  expect(steps[1]?.text).toContain(hint)
  expect(walk.shown).toHaveLength(before)
})

it('11: "long answer" is long, formatted, and thought about', async () => {
  const [step] = await (await wholeTour('en')).say('long answer')
  expect(step?.text.length).toBeGreaterThan(2000)
  for (const mark of ['# ', '| --- |', '```sql', '> ', '- [x]', '1. ', '~~', '](https://'])
    expect(step?.text).toContain(mark)
  expect(step?.reasoning).not.toBe('')
})

it('11: "error" shows how a faulty panel is refused, and opens none', async () => {
  const walk = await wholeTour('en')
  const before = walk.shown.length
  const steps = await walk.say('error')
  expect(walk.shown).toHaveLength(before)
  expect(steps[1]?.text).toContain('Refused, as it should be')
  expect(steps[1]?.text).toContain('/submit/onClick')
})

it('11: "task" starts commands in the background where bash is offered', async () => {
  const walk = new DemoWalk({ bash: true })
  const steps = await walk.say('Start background tasks')
  expect(steps[0]?.calls.map(({ name }) => name)).toEqual(['bash', 'bash'])
  expect(steps[1]?.text).toContain('started: ')
})

it('7: a notice about a finished task is passed on in the language of the person', async () => {
  const walk = await wholeTour('zh')
  await walk.say('帮助')
  const [step] = await walk.say('Background task bash-x7f2 (Count to 30) completed.')
  expect(step?.text).toBe('主机报告：\n\n> Background task bash-x7f2 (Count to 30) completed.')
})

it('11: without bash "task" says so, and the menu does not offer it', async () => {
  const [step] = await new DemoWalk().say('task')
  expect(step?.calls).toEqual([])
  expect(step?.text).toContain('no tool to start a background task')
  expect(step?.text).not.toContain('`task`')
})

it('11: a message that bypasses the panel is told so, with the words that help', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  const [step] = await walk.say('I would rather talk about the weather.')
  expect(step?.text).toContain('The panel is closed now')
  expect(step?.text).toContain('`surface`')
  const [next] = await walk.say('And about the sea.')
  expect(next?.text).not.toContain('The panel is closed now')
})

it('11: a message that only looks like a submission is none', async () => {
  const walk = new DemoWalk()
  await walk.say('help')
  const [step] = await walk.say('Choose how to migrate the orders table\n- Migration path: In place')
  expect(step?.text).not.toContain('This is what you decided')
})

it('11: TASK_SURFACE_OPEN is explained', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  // Steering into the step that opened the panel: it stays open while the guide is asked for another one.
  walk.messages.push({ role: 'user', text: 'table' })
  const step = await walk.step()
  await walk.act(step)
  expect((await walk.step()).text).toContain('A panel is open already')
  expect(walk.shown).toHaveLength(1)
})

it('5: words steered into a waiting question are noted, and the tour goes on', async () => {
  const walk = new DemoWalk()
  await walk.say('hello')
  const submission = walk.submit({})
  await submission
  // The same turn with steering that came while the question was open.
  const asked = walk.messages.findLastIndex(
    (message) => message.role === 'tool' && message.results[0]?.name === 'ask_user_question',
  )
  walk.messages.splice(asked + 1, Infinity, {
    role: 'user',
    text: 'Mind the export to the warehouse of the finance department.',
  })
  const step = await walk.step()
  expect(step.text).toMatch(/^Noted/)
  expect(step.calls.map(({ name }) => name)).toEqual(['show_task_surface'])
})

it('11: without the panel tool it says why and never calls it', async () => {
  const walk = new DemoWalk({ tools: [] })
  const [step] = await walk.say('hello')
  expect(step?.calls).toEqual([])
  expect(step?.text).toContain('does not offer me panels')
})

it('11: the same transcript gets the same stream, also from another instance and from its own prefix', async () => {
  const walk = await wholeTour('en')
  const read = async () => {
    const parts = []
    for await (const part of createDemoModel().stream(walk.request())) parts.push(part)
    return parts
  }
  walk.messages.push({ role: 'user', text: 'help' })
  expect(await read()).toEqual(await read())
  const first = walk.messages.slice(0, 1)
  walk.messages.splice(0, Infinity, ...first)
  expect((await walk.step()).text).toMatch(/^Hello/)
})

it('11: streams in small pieces that add up, whatever the script', async () => {
  for (const word of ['long answer', '长文']) {
    const walk = await wholeTour('en')
    walk.messages.push({ role: 'user', text: word })
    const pieces: string[] = []
    for await (const part of createDemoModel().stream(walk.request())) if (part.type === 'text') pieces.push(part.text)
    expect(pieces.length).toBeGreaterThan(100)
    expect(Math.max(...pieces.map((piece) => Array.from(piece.trim()).length))).toBeLessThanOrEqual(12)
    expect(pieces.join('')).toBe((await walk.step()).text)
  }
})

it('5: an aborted answer stops between two pieces', async () => {
  const walk = new DemoWalk()
  walk.messages.push({ role: 'user', text: 'hello' })
  const controller = new AbortController()
  const seen: string[] = []
  const read = async () => {
    for await (const part of createDemoModel().stream({ ...walk.request(), signal: controller.signal })) {
      seen.push(part.type)
      controller.abort()
    }
  }
  await expect(read()).rejects.toBeInstanceOf(ModelError)
  expect(seen).toEqual(['text'])
})
