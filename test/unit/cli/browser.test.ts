import { expect, it } from 'vitest'
import { mayOpenBrowser } from '../../../host/cli/browser.ts'

const person = { isTerminal: true, userId: 1000, environment: { DISPLAY: ':0' }, platform: 'linux' }

it.each([
  ['a person at a desktop', person, true],
  ['a Wayland desktop', { ...person, environment: { WAYLAND_DISPLAY: 'wayland-0' } }, true],
  ['macOS', { ...person, environment: {}, platform: 'darwin' }, true],
  ['a pipe', { ...person, isTerminal: false }, false],
  ['root', { ...person, userId: 0 }, false],
  ['a build machine', { ...person, environment: { ...person.environment, CI: 'true' } }, false],
  ['a remote shell', { ...person, environment: { ...person.environment, SSH_CONNECTION: '1' } }, false],
  ['no display', { ...person, environment: {} }, false],
])('cli/open: %s', (_name, at, opens) => {
  expect(mayOpenBrowser(at)).toBe(opens)
})
