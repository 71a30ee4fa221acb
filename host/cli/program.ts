/* The commands and their options, as `--help` shows them. What a command does is passed in, so that this file
   reads as the list of what the product can be asked from a shell. */
import { Command, Option } from 'commander'
import type { PathStrategy } from '../../machines/paths.ts'
import { machineFormats, type MachineFormat } from './machines.ts'
import { pathFormats, pathStrategies, type PathFormat } from './paths.ts'
import type { ServeFlags } from './serve-options.ts'

export interface Commands {
  serve(flags: ServeFlags): Promise<void>
  mcp(options: { data?: string }): Promise<void>
  check(modelFile: string, options: { values?: string }): void
  journal(session: string, options: { data?: string; json?: boolean }): Promise<void>
  export(session: string, options: { data?: string; salvage?: boolean }): Promise<void>
  import(file: string | undefined, options: { data?: string; session?: string }): Promise<void>
  verify(session: string | undefined, options: { data?: string }): Promise<void>
  doctor(options: { data?: string; acceptLoss?: boolean; rebuild?: boolean }): Promise<void>
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
    .command('mcp')
    .description('speak MCP on standard input and output, for agents that start their servers themselves')
    .option('--data <folder>', 'where sessions are kept')
    .addHelpText('after', '\nUses the host that runs on the folder, else starts one that goes on running.')
    .action((options: { data?: string }) => commands.mcp(options))
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
    .command('export')
    .description('print the log of a session, one JSON event a line')
    .argument('<session>', 'id of the session')
    .option('--data <folder>', 'where sessions are kept')
    .option('--salvage', 'leave out records that cannot be read, and name them')
    .action((session: string, options: { data?: string; salvage?: boolean }) => commands.export(session, options))
  program
    .command('import')
    .description('make a session of what export printed, and print its id')
    .argument('[file]', 'the events; what is piped in if left out')
    .option('--data <folder>', 'where sessions are kept')
    .option('--session <id>', 'id of the new session (default: a new one)')
    .action((file: string | undefined, options: { data?: string; session?: string }) => commands.import(file, options))
  program
    .command('verify')
    .description('replay logs and print every invariant that is broken; exits with 1 if there is one')
    .argument('[session]', 'id of one session (default: all)')
    .option('--data <folder>', 'where sessions are kept')
    .action((session: string | undefined, options: { data?: string }) => commands.verify(session, options))
  program
    .command('doctor')
    .description('say what is wrong with a data folder that no host runs on')
    .option('--data <folder>', 'where sessions are kept')
    .option('--accept-loss', 'go on although the database dropped records')
    .option('--rebuild', 'write headers, checkpoints and indexes anew from the events')
    .action((options: { data?: string; acceptLoss?: boolean; rebuild?: boolean }) => commands.doctor(options))
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
