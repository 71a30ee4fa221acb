/* What a person is shown before they allow something: what they read must be what runs. Characters that change how
   text looks without showing themselves are written out. */

/** Controls but tab and line feed, and formats: direction marks, zero widths, tags, soft hyphens. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

export function plainlyShown(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point < 0x20
      ? `^${String.fromCharCode(point + 0x40)}`
      : `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}
