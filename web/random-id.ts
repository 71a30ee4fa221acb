/* Ids that no other client makes: 128 random bits. `crypto.randomUUID` exists on secure origins only, and a host
   may be opened over plain http from another machine. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
