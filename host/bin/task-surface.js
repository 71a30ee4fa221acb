#!/usr/bin/env node
/* The `task-surface` command: the built host. */
import { existsSync } from 'node:fs'

const main = new URL('../../dist/run/main.js', import.meta.url)
if (existsSync(main)) {
  await import(main.href)
} else {
  process.stderr.write('task-surface: not built yet; run "npm start" or "npm run build" first\n')
  process.exitCode = 1
}
