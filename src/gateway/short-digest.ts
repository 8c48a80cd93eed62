import { toHex } from './hexadecimal.ts';

/** One for all texts: making it takes longer than encoding a short one. */
const UTF8 = new TextEncoder();

/**
 * The first bytes of the SHA-256 of a text as UTF-8, in lower-case hexadecimal.
 *
 * @param bytes Taken of the 32.
 */
export async function shortDigest(text: string, bytes: number): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', UTF8.encode(text)), 0, bytes));
}
