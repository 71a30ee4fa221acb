/* What a tool row says beside the name. */
import { expect, it } from 'vitest'
import { iconOf } from '../../../web/transcript/tool-summary.ts'

it.each([
  ['execute', 'i-term'],
  ['read', 'i-file'],
  ['edit', 'i-file'],
  ['delete', 'i-file'],
  ['move', 'i-file'],
  ['search', 'i-search'],
  ['fetch', 'i-out'],
  ['think', 'i-agent'],
  ['switch_mode', 'i-gear'],
  ['a_tool_of_others', 'm-neutral'],
])('T-ICON: %s, as agent programs name their work, has a mark', (kind, icon) => {
  expect(iconOf(kind)).toBe(icon)
})
