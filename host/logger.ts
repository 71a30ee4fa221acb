/* The host's own log, for operators: structured lines without message texts, values or keys. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} }
