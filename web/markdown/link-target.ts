/* Which addresses model text may link to: absolute http, https and mailto, nothing else. Decided on the parsed
   URL, not on the text, because browsers drop tabs and line breaks and read back slashes as slashes.
   Rule: MD-LINK. */

const linkable = /^(?:https?:\/\/|mailto:)/i
const hidden = /[\p{Cc}\p{Cf}\s\\]/u

/** The address to open, normalised; null: the link is shown as its text alone. */
export function linkTarget(address: string): string | null {
  if (!linkable.test(address) || hidden.test(safeDecode(address))) return null
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  // `https://bank.example@other.example/` reads as one host and opens another.
  if (url.username !== '' || url.password !== '') return null
  return url.protocol === 'http:' || url.protocol === 'https:' || url.protocol === 'mailto:' ? url.href : null
}

/** Only the host part is looked at decoded: `%20` in a path is harmless. */
function safeDecode(address: string): string {
  const end = address.slice(8).search(/[/?#]/)
  const host = end < 0 ? address : address.slice(0, end + 8)
  try {
    return decodeURIComponent(host) + address.slice(host.length)
  } catch {
    return address
  }
}
