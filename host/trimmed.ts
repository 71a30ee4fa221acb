/* Trimming by one character, in time that grows with the text. A regular expression for the end of a text is tried at
   each place of a long run, so that a text of nothing but the character holds up the host for seconds. */

/** `character`: one UTF-16 unit. */
export function trimmedEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}

export function trimmed(text: string, character: string): string {
  let start = 0
  while (start < text.length && text[start] === character) start += 1
  return trimmedEnd(text.slice(start), character)
}
