/* JSON Pointers (RFC 6901): how every problem says where it stands. `''` is the whole. */

/** The pointer to a member of what `parent` points at. */
export function pointer(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}/${key}`
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
