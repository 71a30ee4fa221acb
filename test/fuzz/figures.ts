/* What a run has done, in figures: each file of the project leaves its own, and they are printed together when the
   project has ended. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const folder = fileURLToPath(new URL('../output/fuzz', import.meta.url))
const figuresSchema = z.record(z.string(), z.union([z.number(), z.string()]))
type Figures = z.infer<typeof figuresSchema>

export function leaveFigures(name: string, figures: Figures): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(figures))
}

/** What vitest calls before the project, and its answer after it. */
export function setup(): () => void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const begun = Date.now()
  return () => {
    const lines = readdirSync(folder)
      .toSorted()
      .map((file) => {
        const figures = figuresSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
        const words = Object.entries(figures).map(([what, count]) => `${count} ${what}`)
        return `  ${file.replace('.json', '').padEnd(10)} ${words.join(', ')}\n`
      })
    process.stdout.write(`\nfuzz: ${Math.round((Date.now() - begun) / 1000)} s\n${lines.join('')}`)
  }
}
