import { fromBase64Url, toBase64Url } from '../../provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import { murmur3 } from '../../search/format/postings.ts';
import { ok, type Result, refuse } from '../result.ts';

export interface CursorPosition {
  readonly corpusVersion: string;
  readonly offset: number;
}

export const DAMAGED_CURSOR = 'The cursor is damaged. Start again without one.';

/** Opaque text of a position, bound to its request by a hash and protected against damage by a checksum. It is not secret. */
export function encodeCursor(position: CursorPosition, request: unknown): string {
  const body = `${position.corpusVersion}.${position.offset}.${requestHash(request)}`;
  return toBase64Url(`${body}.${hashOf(body)}`);
}

/** @param members What has to be the same as in the request that returned the cursor, in words. */
export function decodeCursor(cursor: string, request: unknown, members: string): Result<CursorPosition> {
  const match = /^([0-9a-f]{64})\.(\d{1,9})\.([0-9a-f]{16})\.([0-9a-f]{16})$/.exec(new TextDecoder().decode(fromBase64Url(cursor)));
  const [, corpusVersion, offset, hash, check] = match ?? [];
  if (corpusVersion === undefined || hashOf(`${corpusVersion}.${offset}.${hash}`) !== check)
    return refuse('invalid_cursor', DAMAGED_CURSOR);
  if (hash !== requestHash(request))
    return refuse('invalid_cursor', `The cursor belongs to another request. Send it with the same ${members}.`);
  return ok({ corpusVersion, offset: Number(offset) });
}

function requestHash(request: unknown): string {
  return hashOf(canonicalJson(request));
}

const UTF8 = new TextEncoder();

/** Any two seeds: the hashes of both together are as long as a checksum should be. */
const SEEDS = [0, 0x9e3779b9];

function hashOf(text: string): string {
  const bytes = UTF8.encode(text);
  return SEEDS.map((seed) => murmur3(bytes, seed).toString(16).padStart(8, '0')).join('');
}
