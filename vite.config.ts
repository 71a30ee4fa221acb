import react from '@vitejs/plugin-react'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const testProject = (name: string, options: object = {}) => ({
  extends: true as const,
  root: '.',
  test: { name, include: [`test/${name}/**/*.test.{ts,tsx}`], ...options },
})

const pageFile = (name: string) => fileURLToPath(new URL(`web/${name}`, import.meta.url))

/** The marks of `index.html` in the inspector's own page as well. */
const sprite = {
  name: 'sprite',
  transformIndexHtml(html: string): string {
    const [drawn = ''] =
      /<svg class="sprite"[\s\S]*?\n {4}<\/svg>/.exec(readFileSync(pageFile('index.html'), 'utf8')) ?? []
    return html.replace('<!-- sprite -->', () => drawn)
  },
}

export default defineConfig({
  root: 'web',
  plugins: [react(), sprite],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [pageFile('index.html'), pageFile('inspector.html')] },
  },
  test: {
    root: '.',
    projects: [
      // Files share what they load, but those with a document: loading is a third of what these suites cost.
      testProject('unit', { exclude: ['test/unit/web/**'], isolate: false, testTimeout: 30_000 }),
      testProject('web', { include: ['test/unit/web/**/*.test.{ts,tsx}'], testTimeout: 30_000 }),
      // Most of these wait for processes and sockets, so more of them than cores may run at once.
      testProject('contract', { testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 4, isolate: false }),
      testProject('model', { testTimeout: 120_000, hookTimeout: 60_000, isolate: false }),
      testProject('crash', { testTimeout: 900_000, fileParallelism: false }),
      testProject('soak', { testTimeout: 3_600_000, fileParallelism: false }),
      // Two cases at once in the file of random clients; the other files run beside it.
      testProject('fuzz', {
        testTimeout: 300_000,
        hookTimeout: 60_000,
        maxWorkers: 2,
        maxConcurrency: 2,
        globalSetup: ['test/fuzz/figures.ts'],
      }),
      testProject('peers', { testTimeout: 600_000, fileParallelism: false }),
      testProject('e2e', { testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 2, isolate: false }),
    ],
  },
})
