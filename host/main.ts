/* The composition root: the only reader of the environment and the only owner of signals. It puts the parts
   together in the order log → sessions → handlers → transport and knows nothing of what they do.
   Next: `cli/program.ts` (commands), `cli/serve.ts` (the life of a host). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { z } from 'zod'
import { attachHost } from './cli/attach-host.ts'
import { mayOpenBrowser, openBrowser } from './cli/browser.ts'
import { checkFiles } from './cli/check.ts'
import { CommandError } from './cli/command-error.ts'
import { doctor, exportSession, importSession, verifySessions, type Output } from './cli/data-commands.ts'
import { defaultDataFolder, existingDataFolder } from './cli/data-folder.ts'
import { printJournal } from './cli/journal.ts'
import { machinesText } from './cli/machines.ts'
import { serveMcpStdio } from './cli/mcp-stdio.ts'
import { pathsText } from './cli/paths.ts'
import { createProgram } from './cli/program.ts'
import { readServeOptions } from './cli/serve-options.ts'
import { serve, type Ready } from './cli/serve.ts'
import { onOneLine, plainJson } from './cli/terminal-text.ts'
import { systemClock } from './clock.ts'
import { composeHost } from './compose.ts'
import { followedFaultPoints, killingFaultPoints, killSelf, noFaultPoints } from './log/fault-points.ts'
import { LogError } from './log/port.ts'
import { createHttpAdmissionHook, openAdmission } from './session/admission-hook.ts'
import { TransportError } from './transport/server.ts'

/** This file runs as `dist/run/main.js`, bundled, or as `dist/host/main.js`. */
const root = new URL('../../', import.meta.url)
const environment = process.env
/** Everything the host makes is private from the start. */
const umask = process.umask(0o077)
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')))

/** Hooks for tests (SPEC 14): absent unless the environment names them. */
const admissionHook = (url: string | undefined) => (url === undefined ? openAdmission : createHttpAdmissionHook(url))
function faultPoints(spec: string | undefined) {
  if (spec === undefined) return noFaultPoints
  return isAbsolute(spec) ? followedFaultPoints(spec, killSelf) : killingFaultPoints(spec, killSelf)
}

const machineSource = (id: string) => readFileSync(new URL(`dist/machines/${id}.js`, root), 'utf8')

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const stop = () => {
      // Asked twice, the person does not want to wait for the drain.
      if (asked) process.exit(1)
      asked = true
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

function greet(ready: Ready, startTicket: () => string, options: { json: boolean; open: boolean }): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    return
  }
  const linkWith = (token: string) => `${ready.url}/?token=${encodeURIComponent(token)}`
  process.stdout.write(
    `\nTask Surface is running. Open it in a browser:\n\n  ${linkWith(ready.token)}\n\nCtrl+C stops it. Sessions are kept in ${ready.dataDir}\n`,
  )
  const { platform } = process
  const at = { isTerminal: process.stdout.isTTY, userId: process.getuid?.(), environment, platform }
  if (options.open && mayOpenBrowser(at)) openBrowser(linkWith(startTicket()), platform)
}

function dataFolderOf(flag: string | undefined): string {
  return resolve(flag ?? environment['TASK_SURFACE_DATA'] ?? defaultDataFolder(environment))
}

/** Of a command that works on data which is there. */
function existingDataOf(flag: string | undefined): string {
  return existingDataFolder(dataFolderOf(flag))
}

const standardOutput: Output = {
  async line(text) {
    if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain')
  },
  warn: (text) => void process.stderr.write(`${onOneLine(text)}\n`),
}

/** What a person can act on is one sentence; anything else is a bug and shows its stack. */
function isExpected(cause: unknown): cause is Error {
  return cause instanceof CommandError || cause instanceof TransportError || cause instanceof LogError
}

const program = createProgram(version, {
  async serve(flags) {
    const options = readServeOptions(flags, environment)
    const errors = pino.destination({ fd: 2, sync: true })
    await serve(options, {
      webRoot: fileURLToPath(new URL('dist/web', root)),
      defaultDataFolder: defaultDataFolder(environment),
      log: pino({ level: options.json ? 'info' : 'warn' }, { write: (line) => void errors.write(plainJson(line)) }),
      compose: ({ dataDir, options: { agent }, fanout, log }) =>
        composeHost({
          version,
          dataDir,
          agent,
          cwd: process.cwd(),
          environment,
          umask,
          reaperFile: fileURLToPath(new URL('tasks/reaper.js', import.meta.url)),
          sandboxFile: fileURLToPath(new URL('code/sandbox-worker.js', import.meta.url)),
          fanout,
          admission: admissionHook(environment['TASK_SURFACE_TEST_ADMISSION']),
          faults: faultPoints(environment['TASK_SURFACE_TEST_CRASH']),
          logger: log,
        }),
      stopRequested: stopSignal(),
      onReady: (ready, startTicket) => greet(ready, startTicket, options),
    })
    // What did not end within the drain must not keep the process.
    process.exit(0)
  },
  async mcp({ data }) {
    const dataDir = dataFolderOf(data)
    const own: [string, string] = [process.execPath, fileURLToPath(import.meta.url)]
    const stop = new AbortController()
    await serveMcpStdio(createInterface({ input: process.stdin }), {
      clock: systemClock,
      cwd: process.cwd(),
      attach: () => attachHost({ dataDir, program: own, clock: systemClock }, stop.signal),
      write: (line) => process.stdout.write(`${line}\n`),
    })
    process.exit(0)
  },
  check(modelFile, { values }) {
    const { output, exitCode } = checkFiles(modelFile, values)
    process.stdout.write(`${output}\n`)
    process.exitCode = exitCode
  },
  async export(session, { data, salvage = false }) {
    await exportSession({ dataDir: existingDataOf(data), session, salvage }, standardOutput)
  },
  async import(file, { data, session }) {
    await importSession({ dataDir: dataFolderOf(data), file, session }, process.stdin, standardOutput)
  },
  async verify(session, { data }) {
    process.exitCode = await verifySessions({ dataDir: existingDataOf(data), session }, standardOutput)
  },
  async doctor({ data, acceptLoss = false, rebuild = false }) {
    process.exitCode = await doctor({ dataDir: existingDataOf(data), acceptLoss, rebuild }, standardOutput)
  },
  async journal(session, { data, json = false }) {
    await printJournal({ dataDir: existingDataOf(data), session, json }, (line) => process.stdout.write(`${line}\n`))
  },
  machines(machine, { format }) {
    process.stdout.write(machinesText(format, machineSource, machine))
  },
  paths(machine, { strategy, format }) {
    process.stdout.write(pathsText(machine, strategy, format))
  },
})

try {
  await program.parseAsync(process.argv)
} catch (cause) {
  if (!isExpected(cause)) throw cause
  process.stderr.write(`task-surface: ${onOneLine(cause.message)}\n`)
  process.exit(1)
}
