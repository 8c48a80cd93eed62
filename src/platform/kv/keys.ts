const PREFIX = 'b/';

/** Key of a block in KV: the only form of key there is. */
export function blockKey(sha256: string): string {
  return `${PREFIX}${sha256}`;
}

/** Digest of the block under a key. */
export function blockDigest(key: string): string {
  return key.slice(PREFIX.length);
}
