import { shortDigest } from './short-digest.ts';

/** Bytes of a digest in an entity tag: 128 bits. */
const TAG_BYTES = 16;

/** Strong entity tag of a body, with its quotes (RFC 9110 section 8.8.3), from the beginning of its SHA-256. */
export async function entityTag(body: string): Promise<string> {
  return `"${await shortDigest(body, TAG_BYTES)}"`;
}
