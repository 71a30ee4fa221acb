/* The diagrams in the documents are those of the machines. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { machinesText } from '../../../host/cli/machines.ts'

it('documents/diagrams: machines/DIAGRAMS.md is what `npm run diagrams` writes', () => {
  const written = readFileSync(new URL('../../../machines/DIAGRAMS.md', import.meta.url), 'utf8')
  expect(written === machinesText('mermaid', () => ''), 'a machine changed: run `npm run diagrams`').toBe(true)
})
