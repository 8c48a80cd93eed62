/**
 * The loops of a ranking, in AssemblyScript: TypeScript that compiles to WebAssembly.
 *
 * All memory is the caller's: every function is told where things are, and nothing outlives a query. Pointers are in bytes;
 * `scores` and `masks` have an element of four bytes for each document. Sixteen bytes after a record may be read. Records are as
 * `format/write-record.ts` writes them; what is cut short or names a document that there is not is refused with -1.
 */
export { addPoints, keepMarked } from './candidates';
export { addRecord, findFollowers } from './record';
export { findMatching, findStrongest } from './selection';

/** Sets `bytes` bytes to zero; `bytes` is a multiple of four. */
export function clear(start: usize, bytes: usize): void {
  memory.fill(start, 0, bytes);
}
