/**
 * The loops of a ranking, in AssemblyScript: TypeScript that compiles to WebAssembly.
 *
 * The caller owns all memory: every function gets the addresses it works on, and nothing outlives a query. Pointers are in bytes; `scores`
 * and `masks` have an element of four bytes for each document. Sixteen bytes after a record may be read. Records are as
 * `format/postings.ts` writes them; a record that is truncated or names a document that does not exist is rejected with -1.
 */
export { addPoints, addRecord, findFollowers, keepMarked } from './posting-record';
export { findMatching, findStrongest } from './top-documents';

/** Sets `bytes` bytes to zero; `bytes` is a multiple of four. */
export function clear(start: usize, bytes: usize): void {
  memory.fill(start, 0, bytes);
}
