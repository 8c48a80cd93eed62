/** A publish that is not allowed as it was asked for; the message says why and what to do. Nothing has been written. */
export class PublishRefusedError extends Error {
  override readonly name = 'PublishRefusedError';
}
