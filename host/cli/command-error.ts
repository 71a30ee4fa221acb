/* A command that cannot do what it was asked to, for a reason the person can act on. The message is one sentence for
   them and all they see; whatever else is thrown is a bug and shows its stack. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandError'
  }
}
