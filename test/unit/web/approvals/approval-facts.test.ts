/* What a person is told about a call that wants permission: nothing of it hides. */
import { describe, expect, it } from 'vitest'
import { approvalIdSchema, callIdSchema } from '../../../../shared/ids.ts'
import type { Json } from '../../../../shared/json.ts'
import { hostileStrings } from '../../surface/hostile-strings.ts'
import { askedOf, factsBeside, visible } from '../../../../web/plugins/approvals/approval-facts.ts'

const pending = (summary: string, input: Json, tool = 'bash') => ({
  approvalId: approvalIdSchema.parse('ap'),
  callId: callIdSchema.parse('c'),
  tool,
  summary,
  input,
  fromSession: null,
})
const written = (text: string) =>
  visible(text)
    .map((piece) => piece.text)
    .join('')

describe('facts', () => {
  it('APPR-WHOLE: what the summary shows is not said again, everything else is', () => {
    expect(factsBeside(pending('rm -r out', { command: 'rm -r out' }))).toEqual([])
    const input = {
      command: 'rm -r out',
      description: 'Tidy up',
      run_in_background: true,
      timeoutMs: 5_000,
      x: { y: [1] },
    }
    expect(factsBeside(pending('rm -r out', input))).toEqual([
      { kind: 'purpose', text: 'Tidy up' },
      { kind: 'background', yes: true },
      { kind: 'timeout', ms: 5_000 },
      { kind: 'input', key: 'x', text: '{"y":[1]}' },
    ])
  })

  it('APPR-WHOLE: a summary that leaves something out does not hide it', () => {
    expect(factsBeside(pending('Write a.txt', { path: 'a.txt', content: 'secret' }, 'write_file'))).toEqual([
      { kind: 'input', key: 'content', text: 'secret' },
    ])
  })

  it.each<[string, Json, object[]]>([
    ['false and 0 are said', { a: false, b: 0, c: null }, [{ text: 'false' }, { text: '0' }, { text: 'null' }]],
    ['odd types under known names', { description: 7, run_in_background: 'maybe' }, [{ text: '7' }, { text: 'maybe' }]],
    ['a text that is no object', 'not json', [{ key: 'input', text: 'not json' }]],
    ['a list', [1, 'b'], [{ key: 'input', text: '[1,"b"]' }]],
    ['nothing', null, [{ key: 'input', text: 'null' }]],
  ])('APPR-WHOLE: %s', (_, input, facts) => {
    expect(factsBeside(pending('s', input))).toMatchObject(facts)
  })

  it('APPR-ASK: a tool nobody knows is asked about by its name', () => {
    expect([askedOf('bash'), askedOf('pwsh'), askedOf('deploy'), askedOf('constructor')]).toEqual([
      'command',
      'command',
      'any',
      'any',
    ])
  })
})

describe('a command as it would run', () => {
  it('APPR-SEEN: text, tabs, line breaks, any script and emoji stay as they are', () => {
    const text = "echo 'Grüße 你好 مرحبا 👍🏽' \\\n\t&& true\n"
    expect(visible(text)).toEqual([{ text, code: false }])
  })

  it.each([
    ['a line turned around', 'rm \u202Etxt.exe', 'rm U+202Etxt.exe'],
    ['a carriage return that overwrites', 'rm -rf ~\rls', 'rm -rf ~U+000Dls'],
    ['an escape sequence', 'ls \u001B[8m; rm', 'ls U+001B[8m; rm'],
    ['a zero-width space', 'r\u200Bm', 'rU+200Bm'],
    ['a soft hyphen', 'r\u00ADm', 'rU+00ADm'],
    ['a no-break space', 'rm\u00A0x', 'rmU+00A0x'],
    ['a Hangul filler', 'a\u3164b', 'aU+3164b'],
    ['a line separator', 'a\u2028b', 'aU+2028b'],
    ['a tag character', 'a\u{E0041}b', 'aU+E0041b'],
    ['a NUL', 'a\0b', 'aU+0000b'],
    ['half a surrogate pair', 'a\uD800b', 'aU+D800b'],
    ['a byte order mark', '\uFEFFls', 'U+FEFFls'],
  ])('APPR-SEEN: %s is written out', (_, text, shown) => {
    expect(written(text)).toBe(shown)
    expect(visible(text).some(({ code }) => code)).toBe(true)
  })

  it('APPR-SEEN: whatever is typed, what was seen is there unchanged and in order', () => {
    for (const text of hostileStrings) {
      const kept = visible(text)
        .filter(({ code }) => !code)
        .map((piece) => piece.text)
        .join('')
      const codes = visible(text).filter(({ code }) => code).length
      expect(Array.from(kept).length + codes).toBe(Array.from(text).length)
    }
  })

  it('APPR-SIZE: a text full of codes is written out as one piece', () => {
    const many = 'a\u200B'.repeat(10_000)
    expect(visible(many)).toEqual([{ text: 'aU+200B'.repeat(10_000), code: true }])
  })
})
