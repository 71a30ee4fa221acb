import { describe, expect, it } from 'vitest'
import { accessRules, cookieOf, isOwnHost, judge, sameToken, setCookie } from '../../../host/transport/access.ts'

const token = 'tok-en=with;odd"parts'

function rulesFor(
  boundHost: string,
  port = 4380,
  ownAddresses: readonly string[] = ['127.0.0.1', '192.168.1.5', 'fe80::1'],
) {
  return accessRules({ token, boundHost, port, ownAddresses })
}

describe('access/host', () => {
  it.each<{ bound: string; port?: number; host: string; own: boolean }>([
    { bound: '127.0.0.1', host: '127.0.0.1:4380', own: true },
    { bound: '127.0.0.1', host: 'localhost:4380', own: true },
    { bound: '127.0.0.1', host: 'LocalHost:4380', own: true },
    { bound: '127.0.0.1', host: '[::1]:4380', own: true },
    { bound: '127.0.0.1', host: '', own: false },
    { bound: '127.0.0.1', host: ':4380', own: false },
    { bound: '127.0.0.1', host: '127.0.0.1', own: false },
    { bound: '127.0.0.1', host: '127.0.0.1:43800', own: false },
    { bound: '127.0.0.1', host: '127.0.0.1.evil.example:4380', own: false },
    { bound: '127.0.0.1', host: 'x127.0.0.1:4380', own: false },
    { bound: '127.0.0.1', host: '127.0.0.1:4380,evil.example', own: false },
    { bound: '127.0.0.1', host: '192.168.1.5:4380', own: false },
    { bound: '127.0.0.1', port: 80, host: '127.0.0.1', own: true },
    { bound: '127.0.0.1', port: 80, host: '127.0.0.1:80', own: true },
    { bound: '192.168.1.5', host: '192.168.1.5:4380', own: true },
    { bound: '192.168.1.5', host: '127.0.0.1:4380', own: true },
    { bound: '192.168.1.5', host: '192.168.1.50:4380', own: false },
    { bound: 'box.lan', host: 'BOX.lan:4380', own: true },
    { bound: 'box.lan', host: 'box.lan.evil.example:4380', own: false },
    { bound: '0.0.0.0', host: '192.168.1.5:4380', own: true },
    { bound: '0.0.0.0', host: '[fe80::1]:4380', own: true },
    { bound: '0.0.0.0', host: '192.168.1.6:4380', own: false },
    { bound: '0.0.0.0', host: 'evil.example:4380', own: false },
    { bound: '::', host: '192.168.1.5:4380', own: true },
    { bound: '::1', host: '[::1]:4380', own: true },
    { bound: '::1', host: '::1:4380', own: false },
  ])('access/host: bound to $bound, $host is its own: $own', ({ bound, port, host, own }) => {
    expect(isOwnHost(rulesFor(bound, port), host)).toBe(own)
  })
})

describe('access/order', () => {
  const rules = rulesFor('127.0.0.1')
  const right = {
    host: 'localhost:4380',
    origin: 'http://localhost:4380',
    cookie: setCookie(rules).split(';')[0] ?? '',
    authorization: '',
  }

  it.each([
    ['everything right', right, { allowed: true, by: 'cookie' }],
    [
      'the bearer wins over the cookie',
      { ...right, authorization: `Bearer ${token}` },
      { allowed: true, by: 'bearer' },
    ],
    ['a foreign Host before everything', { ...right, host: 'evil.example', cookie: '' }, { status: 403 }],
    ['a foreign Origin before the token', { ...right, origin: 'https://evil.example', cookie: '' }, { status: 403 }],
    ['no token before a missing Origin', { ...right, origin: '', cookie: '' }, { status: 401 }],
    ['a cookie without Origin', { ...right, origin: '' }, { status: 403 }],
  ])('access/order: %s', (_name, credentials, verdict) => {
    expect(judge(rules, credentials)).toMatchObject(verdict)
  })
})

describe('access/token', () => {
  it.each([
    ['', token, false],
    [token, token, true],
    [`${token}x`, token, false],
    [token.slice(1), token, false],
    [token.toUpperCase(), token, false],
    ['ü', 'u', false],
  ])('access/token: %j against %j is %s', (given, expected, same) => {
    expect(sameToken(given, expected)).toBe(same)
  })

  it('access/cookie: what is set is read back, whatever the token', () => {
    const [pair = ''] = setCookie(rulesFor('127.0.0.1')).split(';')
    expect(cookieOf(`a=1; ${pair}; b=2`, 'task_surface_4380')).toBe(token)
  })

  it.each([
    ['', null],
    ['task_surface_4380', null],
    ['task_surface_4380=', ''],
    ['task_surface_43800=x', null],
    ['xtask_surface_4380=x', null],
    ['task_surface_4380=%E0%A4', null],
    ['task_surface_4380=a=b', 'a=b'],
    ['  task_surface_4380 = x ', 'x'],
    ['task_surface_4380=first; task_surface_4380=second', 'first'],
  ])('access/cookie: %j holds %j', (header, value) => {
    expect(cookieOf(header, 'task_surface_4380')).toBe(value)
  })
})
