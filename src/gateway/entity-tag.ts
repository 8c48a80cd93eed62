import { sha256Hex } from '../provenance/digest.ts';

/** Strong entity tag of a body, with its quotes (RFC 9110 section 8.8.3): 128 bits of its SHA-256. */
export async function entityTag(body: string): Promise<string> {
  return `"${(await sha256Hex(body)).slice(0, 32)}"`;
}
