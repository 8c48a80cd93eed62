/** Largest text that is read, in bytes. */
export const TEXT_MAX_BYTES = 1_048_576;

/** Largest image that is copied, and largest document that is read, in bytes. */
export const FILE_MAX_BYTES = 30_000_000;
