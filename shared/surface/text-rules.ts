/* The rules for text in models and submissions (SPEC 6.1, 6.4): what is normalised, and what is refused. A function named
   `…Problem` takes normalised text and answers why it is refused, or null.
   White space is what ECMAScript's `\s` matches, control characters are Unicode's Cc. */

const loneSurrogate = /\p{Surrogate}/u
const control = /\p{Cc}/u
const controlInAnswer = /(?!\t)\p{Cc}/u
const controlInLines = /(?![\t\n])\p{Cc}/u
const lineBreak = /[\n\u2028\u2029]/

/** A single-line string: trimmed, inner white space collapsed. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Every CRLF and every lone CR becomes LF; nothing else changes. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

export function surrogateProblem(text: string): string | null {
  return loneSurrogate.test(text) ? 'must not contain a lone surrogate' : null
}

export function oneLineProblem(text: string): string | null {
  return surrogateProblem(text) ?? (control.test(text) ? 'must not contain control characters' : null)
}

/** For what a person types and for a text field's `initial`; `text` has line feeds already. */
export function answerProblem(text: string, multiline: boolean): string | null {
  const surrogate = surrogateProblem(text)
  if (surrogate !== null) return surrogate
  if (!multiline && lineBreak.test(text)) return 'must be a single line'
  return (multiline ? controlInLines : controlInAnswer).test(text) ? 'must not contain control characters' : null
}

/** The lines of text with line feeds; U+2028 and U+2029 break lines too. */
export function linesOf(text: string): string[] {
  return text.split(lineBreak)
}
