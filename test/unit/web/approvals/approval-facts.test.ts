/* What a person is told about a call that wants permission: nothing of it hides. */
import { describe, expect, it } from 'vitest'
import { approvalIdSchema, callIdSchema } from '../../../../shared/ids.ts'
import type { Json } from '../../../../shared/json.ts'
import { hostileStrings } from '../../surface/hostile-strings.ts'
import { askedOf, factsBeside, hidesSomething, visible } from '../../../../web/plugins/approvals/approval-facts.ts'

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

  it('APPR-WHOLE: what the host wrote out or put behind a mark is not said again', () => {
    const escaped = { command: 'ls \u001B[8m\u202E' }
    expect(factsBeside(pending('ls ^[[8m<U+202E>', escaped))).toEqual([])
    const edit = { path: 'a.ts', oldText: 'one\ntwo', newText: 'three\n\nfour' }
    const summary = 'Edit a.ts\n- one\n- two\n+ three\n+ \n+ four'
    expect(factsBeside(pending(summary, edit, 'edit_file'))).toEqual([])
    const other = { ...edit, newText: 'three\nfour' }
    expect(factsBeside(pending(summary, other, 'edit_file'))).toMatchObject([{ key: 'newText' }])
  })

  it('APPR-SEEN: hidden characters are found wherever they are', () => {
    expect(hidesSomething(pending('ls', { command: 'ls' }))).toBe(false)
    expect(hidesSomething(pending('ls\u200B', null))).toBe(true)
    expect(hidesSomething(pending('ls<U+200B>', { command: 'ls\u200B' }))).toBe(true)
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
    ['a line turned around', 'rm \u202Etxt.exe', 'rm <U+202E>txt.exe'],
    ['a carriage return that overwrites', 'rm -rf ~\rls', 'rm -rf ~^Mls'],
    ['an escape sequence', 'ls \u001B[8m; rm', 'ls ^[[8m; rm'],
    ['a zero-width space', 'r\u200Bm', 'r<U+200B>m'],
    ['a soft hyphen', 'r\u00ADm', 'r<U+00AD>m'],
    ['a no-break space', 'rm\u00A0x', 'rm<U+00A0>x'],
    ['a Hangul filler', 'a\u3164b', 'a<U+3164>b'],
    ['a line separator', 'a\u2028b', 'a<U+2028>b'],
    ['a tag character', 'a\u{E0041}b', 'a<U+E0041>b'],
    ['a NUL', 'a\0b', 'a^@b'],
    ['half a surrogate pair', 'a\uD800b', 'a<U+D800>b'],
    ['a byte order mark', '\uFEFFls', '<U+FEFF>ls'],
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
    expect(visible(many)).toEqual([{ text: 'a<U+200B>'.repeat(10_000), code: true }])
  })
})
