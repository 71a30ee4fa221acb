import { expect, it } from 'vitest'
import { CommandError } from '../../../host/cli/command-error.ts'
import {
  readServeOptions,
  type Environment,
  type ServeFlags,
  type ServeOptions,
} from '../../../host/cli/serve-options.ts'

const defaults: ServeOptions = {
  port: 4380,
  host: '127.0.0.1',
  data: null,
  token: null,
  open: true,
  agent: null,
  json: false,
}

it.each<[string, ServeFlags, Environment, Partial<ServeOptions>]>([
  ['nothing given', { open: true }, {}, {}],
  ['any free port', { port: '0' }, {}, { port: 0 }],
  [
    'flags',
    { port: '1', host: 'box.lan', data: 'd', token: 't', open: false, agent: 'demo', json: true },
    {},
    { port: 1, host: 'box.lan', data: 'd', token: 't', open: false, agent: 'demo', json: true },
  ],
  ['an address in brackets', { host: '[::1]' }, {}, { host: '::1' }],
  [
    'variables of the same names',
    {},
    {
      TASK_SURFACE_PORT: '65535',
      TASK_SURFACE_HOST: '::1',
      TASK_SURFACE_DATA: 'd',
      TASK_SURFACE_TOKEN: 't',
      TASK_SURFACE_NO_OPEN: '1',
      TASK_SURFACE_AGENT: 'openai/gpt-5',
      TASK_SURFACE_JSON: 'True',
    },
    { port: 65_535, host: '::1', data: 'd', token: 't', open: false, agent: 'openai/gpt-5', json: true },
  ],
  ['a flag before its variable', { port: '1' }, { TASK_SURFACE_PORT: '2' }, { port: 1 }],
  ['an empty variable is none', {}, { TASK_SURFACE_PORT: '', TASK_SURFACE_TOKEN: '', TASK_SURFACE_JSON: '' }, {}],
  ['a variable that says no', {}, { TASK_SURFACE_NO_OPEN: 'false', TASK_SURFACE_JSON: '0' }, {}],
])('cli/options: %s', (_name, flags, environment, expected) => {
  expect(readServeOptions(flags, environment)).toEqual({ ...defaults, ...expected })
})

it.each<[string, ServeFlags, Environment]>([
  ['--port', { port: 'x' }, {}],
  ['--port', { port: '-1' }, {}],
  ['--port', { port: '65536' }, {}],
  ['--port', { port: '80.5' }, {}],
  ['--port', { port: '' }, {}],
  ['--host', { host: '' }, {}],
  ['--host', { host: 'a b' }, {}],
  ['--data', { data: '' }, {}],
  ['--token', { token: '' }, {}],
  ['--token', { token: 'a b' }, {}],
  ['--token', { token: 'tökén' }, {}],
  ['--token', { token: 'x'.repeat(257) }, {}],
  ['--agent', { agent: '' }, {}],
  ['TASK_SURFACE_PORT', {}, { TASK_SURFACE_PORT: 'x' }],
  ['TASK_SURFACE_JSON', {}, { TASK_SURFACE_JSON: 'maybe' }],
  ['TASK_SURFACE_NO_OPEN', {}, { TASK_SURFACE_NO_OPEN: 'maybe' }],
])('cli/options: a bad %s is named in one sentence (%j, %j)', (name, flags, environment) => {
  const read = () => readServeOptions(flags, environment)
  expect(read).toThrow(CommandError)
  expect(read).toThrow(new RegExp(`^${name} must `))
})
