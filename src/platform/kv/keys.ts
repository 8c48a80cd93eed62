/** Key of a block in KV: the only form of key there is. */
export function blockKey(sha256: string): string {
  return `b/${sha256}`;
}
