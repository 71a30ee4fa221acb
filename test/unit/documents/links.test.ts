/* What the documents point at exists: a moved file or a renamed function turns this red. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const documents = [
  'README.md',
  'machines/README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'shared/protocol/PROTOCOL.md',
]

it.each(documents)('documents/links: every link of %s leads somewhere', (name) => {
  const base = new URL(name, root)
  const links = [...readFileSync(base, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((found) => found[1] ?? '')
  const local = links.filter((link) => !/^[a-z]+:/.test(link))
  expect(local.filter((link) => !existsSync(new URL(link, base)))).toEqual([])
})

it('documents/submission: each step that the map follows names a function of its file', () => {
  const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8')
  const named = [...text.matchAll(/`(\w+)`\s+(?:of|in)\s+\[`([^`]+)`\]/g)].map((found) => ({
    name: found[1] ?? '',
    file: found[2] ?? '',
  }))
  expect(named.length).toBeGreaterThan(5)
  const missing = named.filter(
    ({ name, file }) => !new RegExp(`\\b${name}\\b`).test(readFileSync(new URL(file, root), 'utf8')),
  )
  expect(missing).toEqual([])
})
