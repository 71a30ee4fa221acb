/* Real agent programs as the agent of a session, over the Agent Client Protocol (SPEC 11), each driven by a scripted model
   on loopback: the person writes, the agent shows a surface by the door it was handed, the person answers in a browser,
   and the next request to its model holds the readable answer. What the model server was sent is the witness. The settings
   are those of the README. Opt-in: `npm run test:peers`. */
import { delimiter, dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { AcpScene, shown } from '../contract/acp-bench.ts'
import { installed } from './peer-cache.ts'
import { acpPrograms, prompt } from './peer-programs.ts'
import { answer, answerInBrowser, holdsAnswer, lastWord, makeHome, programMs, startModel } from './peer-stage.ts'
import { recipe } from './recipes.ts'

const entrySchema = z.strictObject({
  command: z.string(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const settingsSchema = z.strictObject({ acp: z.record(z.string(), entrySchema) })

test.each(acpPrograms)(
  'acp-peers: $label $version shows a surface, and its next prompt is the answer',
  async (program) => {
    const path = [dirname(installed(program)), process.env['PATH'] ?? ''].join(delimiter)
    const { acp } = settingsSchema.parse(JSON.parse(recipe('Agent Client Protocol')))
    const entry = acp[program.name]
    if (entry === undefined) throw new Error(`the README names no ${program.name}`)
    const model = await startModel(false)
    const home = makeHome(model)
    const env = { ...entry.env, ...program.useModel(home), HOME: home.folder, PATH: path }
    const scene = await AcpScene.open({
      programs: { [program.name]: { ...entry, env } },
      deadlineMs: programMs,
    })
    onTestFinished(() => scene.close())

    const view = await scene.session({ agent: `acp/${program.name}`, cwd: home.folder, approval: 'auto' })
    expect(await scene.turn(view, prompt)).toEqual({ reason: 'completed' })
    const results = view.eventsOf('tool/result')
    expect(results.at(-1)?.data.meta, JSON.stringify(shown(view))).toMatchObject({ kind: 'dsh/task-surface' })
    await answerInBrowser(scene.host.ready, view.sessionId)
    await scene.until(() => view.eventsOf('turn/end').length === 2, 'the turn of the answer')

    expect(view.eventsOf('turn/end')[1]?.data).toMatchObject({ reason: 'completed' })
    const [told, said] = shown(view).slice(-2)
    expect(told).toBe(`person: ${answer}`)
    // Some programs have more to say, of themselves.
    expect(said).toMatch(new RegExp(`^text: (?:[^]*\\n)?${lastWord}$`))
    expect(holdsAnswer(model.requests.at(-1)), model.requests.at(-1)).toBe(true)
  },
)
