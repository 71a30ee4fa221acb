/* A checksum in front of every stored value: LevelDB verifies its own only while it replays its write-ahead file,
   so a flipped bit in a table would otherwise be read as if it had been written. */
import { crc32 } from 'node:zlib'

/** Hexadecimal digits of the checksum in front of the value. */
const width = 8

export function seal(value: string): string {
  return digits(value) + value
}

/** The value as it was sealed; null where a bit of it changed. */
export function unseal(stored: string): string | null {
  const value = stored.slice(width)
  return stored.length >= width && stored.startsWith(digits(value)) ? value : null
}

function digits(value: string): string {
  return crc32(value).toString(16).padStart(width, '0')
}
