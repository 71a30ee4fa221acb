/* Where UTF-8 may be cut. Bytes come in pieces that know nothing of characters. */

/** Bytes before a character that is cut off at the end; all of them where the end is no such character. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** The first byte that begins a character; none of what is no character is skipped. */
export function firstCharacter(bytes: Uint8Array): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte))
  return Math.max(0, start)
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
