/* Every panel the guide shows, by name and language, and one that is wrong on purpose. */
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { sayIn, type DemoLanguage } from './demo-language.ts'
import { migrationSurface } from './demo-migration-surface.ts'
import { reviewSurface } from './demo-review-surface.ts'

export const demoSurfaceNames = ['migration', 'review', 'confirm'] as const
export type DemoSurfaceName = (typeof demoSurfaceNames)[number]

export const demoSurfaces: Record<DemoSurfaceName, Record<DemoLanguage, TaskSurfaceModelV1>> = {
  migration: { en: migrationSurface('en'), zh: migrationSurface('zh') },
  review: { en: reviewSurface('en'), zh: reviewSurface('zh') },
  confirm: { en: confirmSurface('en'), zh: confirmSurface('zh') },
}

/** A panel without fields: submitting it is the answer. */
function confirmSurface(language: DemoLanguage): TaskSurfaceModelV1 {
  const say = sayIn(language)
  return {
    version: 1,
    title: say('Confirm the hand-over', '确认交接'),
    sections: [
      {
        id: 'hand-over',
        blocks: [
          {
            kind: 'markdown',
            text: say(
              'From 18:00 on, the **on-call engineer** watches the migration. This panel has nothing to fill in: submitting it says yes, dismissing it says nothing.',
              '18:00 起由**值班工程师**负责迁移。此面板没有要填写的内容：提交表示同意，忽略则不作表示。',
            ),
          },
          {
            kind: 'notice',
            tone: 'info',
            text: say('The undo script stays ready for seven days.', '撤销脚本保留七天。'),
          },
        ],
      },
    ],
    submit: { label: say('Confirm', '确认') },
  }
}

/** Refused by the parser: an empty title, a doubled id, an unknown kind of block, a key that would be code. */
export const faultyModel = {
  version: 1,
  title: '',
  sections: [
    { id: 'facts', blocks: [{ kind: 'chart', points: [3, 1, 2] }] },
    { id: 'facts', blocks: [{ kind: 'markdown', text: 'A second section with the same id.' }] },
  ],
  submit: { label: 'OK', onClick: 'alert(1)' },
}
