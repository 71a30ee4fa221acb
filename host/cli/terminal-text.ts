/* What a command says on a terminal. Names, paths and records from outside may hold orders to the terminal, or a line
   break behind which anything may seem to be said by the program: both are written out. */
import { plainlyShown } from '../tools/approval-text.ts'

/** One line of a person's screen. */
export function onOneLine(text: string): string {
  return plainlyShown(text.replaceAll('\r\n', '\n')).replaceAll('\n', '^J').replaceAll('\t', ' ')
}

/** Of characters that JSON lets stand as they are: some are orders to a terminal, some turn what is read around. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** A line of JSON that says the same and shows all of it. */
export function plainJson(line: string): string {
  return line.replaceAll(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
