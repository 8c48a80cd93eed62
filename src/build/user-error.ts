/** A command cannot be carried out as it was given. The message says why and how to fix it, and is all that the user sees. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
