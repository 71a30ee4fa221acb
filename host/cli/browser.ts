/* Opens the start link in the person's browser. A convenience: where it does not work, the link is on the screen. */
import { spawn } from 'node:child_process'
import type { Environment } from './serve-options.ts'

/** A person sits at this terminal: not a pipe, not a build machine, not a server's root shell, not a remote one. */
export function mayOpenBrowser(at: {
  isTerminal: boolean
  userId: number | undefined
  environment: Environment
  platform: string
}): boolean {
  const { environment } = at
  if (
    !at.isTerminal ||
    at.userId === 0 ||
    environment['CI'] !== undefined ||
    environment['SSH_CONNECTION'] !== undefined
  )
    return false
  return at.platform !== 'linux' || environment['DISPLAY'] !== undefined || environment['WAYLAND_DISPLAY'] !== undefined
}

export function openBrowser(url: string, platform: string): void {
  const [program, ...args] =
    platform === 'darwin' ? ['open', url] : platform === 'win32' ? ['explorer.exe', url] : ['xdg-open', url]
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
