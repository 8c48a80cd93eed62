/** A mistake of the user that stops a command. The message says what is wrong and how to fix it; the user sees nothing else. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
