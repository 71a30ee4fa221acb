/* The commands and their options, as `--help` shows them. What a command does is passed in, so that this file
   reads as the list of what the product can be asked from a shell. */
import { Command, Option } from 'commander'
import type { PathStrategy } from '../../machines/paths.ts'
import { machineFormats, type MachineFormat } from './machines.ts'
import { pathFormats, pathStrategies, type PathFormat } from './paths.ts'
import type { ServeFlags } from './serve-options.ts'

export interface Commands {
  serve(flags: ServeFlags): Promise<void>
  check(modelFile: string, options: { values?: string }): void
  journal(session: string, options: { data?: string; json?: boolean }): Promise<void>
  machines(machine: string | undefined, options: { format: MachineFormat }): void
  paths(machine: string, options: { strategy: PathStrategy; format: PathFormat }): void
}

export function createProgram(version: string, commands: Commands): Command {
  const program = new Command('task-surface')
    .description('A host that lets an agent hand a person one bounded form, and shows its background tasks live.')
    .version(version)
  program
    .command('serve', { isDefault: true })
    .description('run the host and the web client (the default command)')
    .option('--port <number>', 'port to listen on, 0 for any free one (default: 4380)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--data <folder>', 'where sessions are kept')
    .option('--token <text>', 'what a client must present (default: one kept in the data folder)')
    .option('--no-open', 'do not open a browser')
    .option('--agent <name>', 'agent of new sessions')
    .option('--json', 'print one JSON line when ready, and logs as JSON on stderr')
    .addHelpText('after', '\nEach option can also be given as TASK_SURFACE_PORT, TASK_SURFACE_HOST and so on.')
    .action((flags: ServeFlags) => commands.serve(flags))
  program
    .command('check')
    .description('check a Task Surface model, or values for it')
    .argument('<model>', 'file with the model as JSON')
    .option('--values <file>', 'file with {"values": …, "note"?: …} as JSON')
    .addHelpText(
      'after',
      '\nPrints the canonical model or the message text; else one problem a line, and exits with 1.',
    )
    .action((modelFile: string, options: { values?: string }) => commands.check(modelFile, options))
  program
    .command('journal')
    .description('print what the actors of a session did: every transition, and what was refused')
    .argument('<session>', 'id of the session')
    .option('--data <folder>', 'where sessions are kept')
    .option('--json', 'one JSON entry a line')
    .addHelpText('after', '\nAsks the host that runs on the folder, else reads the folder itself.')
    .action((session: string, options: { data?: string; json?: boolean }) => commands.journal(session, options))
  program
    .command('machines')
    .description('print the lifecycles of the product')
    .argument('[machine]', 'one of them')
    .addOption(new Option('--format <format>', 'how').choices(machineFormats).default('text'))
    .addHelpText(
      'after',
      '\njson: the configs; mermaid: state diagrams; stately: a module that runs, and that the Stately editor reads.',
    )
    .action((machine: string | undefined, options: { format: MachineFormat }) => commands.machines(machine, options))
  program
    .command('paths')
    .description('print what can happen to a lifecycle')
    .argument('<machine>', 'one that `task-surface machines` names')
    .addOption(new Option('--strategy <strategy>', 'which paths').choices(pathStrategies).default('shortest'))
    .addOption(new Option('--format <format>', 'how').choices(pathFormats).default('table'))
    .addHelpText(
      'after',
      '\nshortest: one way to every configuration; simple: every way; edges: every accepted event, and every refused one.' +
        '\nvitest and playwright: a test file that wants a driver for your implementation, and nothing else.',
    )
    .action((machine: string, options: { strategy: PathStrategy; format: PathFormat }) =>
      commands.paths(machine, options),
    )
  return program
}
