/* How a command begins. The host makes its own files private by its umask, which whatever it starts inherits: a
   command's files are the person's and get the modes that the person's own shell would give them. Both outputs go
   into one, so that a message of an error stands where it happened. */
import type { Command } from './processes.ts'

/** Replaces itself by the command, so pid, group and exit are the command's own. */
export function throughShell(umask: number, { file, args, cwd }: Command): Command {
  if (process.platform === 'win32') return { file, args, cwd }
  return { file: '/bin/sh', args: ['-c', `umask ${umask.toString(8)}; exec "$0" "$@" 2>&1`, file, ...args], cwd }
}
