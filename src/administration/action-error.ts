/** Why an action of the publisher was refused, and how to mend it, in words for the publisher. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
}
