/* The recipes of the README, as they stand there: the block of code below the line that names the program. */
import { readFileSync } from 'node:fs'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** `name` stands in bold at the beginning of the paragraph or list item above the block. */
export function recipe(name: string): string {
  const [, behind] = readme.split(`**${name}**`)
  const [, block] = /```\w*\n([^]*?)\n\s*```/.exec(behind ?? '') ?? []
  if (block === undefined) throw new Error(`the README has no recipe for ${name}`)
  return block.trim()
}
