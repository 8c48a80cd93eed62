import { fromBase64Url, toBase64Url } from '../../provenance/bytes.ts';
import { canonicalJson } from '../../provenance/digest.ts';
import { shortDigest } from '../digests.ts';
import { ok, type Result, refuse } from '../result.ts';

/** A position in a list: its generation, and how many items came before. */
export interface CursorPosition {
  readonly corpusVersion: string;
  readonly offset: number;
}

const CHECK_BYTES = 8;

/** Detail for a cursor that this service did not issue. */
export const DAMAGED_CURSOR = 'The cursor is damaged.';

/**
 * Opaque text of a position, bound to its request by a digest and protected against damage by a checksum. It is not secret: anyone who may
 * send the request may read every position.
 */
export async function encodeCursor(position: CursorPosition, request: unknown): Promise<string> {
  const body = `${position.corpusVersion}.${position.offset}.${await requestDigest(request)}`;
  return toBase64Url(new TextEncoder().encode(`${body}.${await shortDigest(body, CHECK_BYTES)}`));
}

/** Inverse of {@link encodeCursor}; refuses a damaged cursor or one of another request. */
export async function decodeCursor(cursor: string, request: unknown): Promise<Result<CursorPosition>> {
  const match = /^([0-9a-f]{64})\.(\d{1,9})\.([0-9a-f]{16})\.([0-9a-f]{16})$/.exec(new TextDecoder().decode(fromBase64Url(cursor)));
  const [, corpusVersion, offset, digest, check] = match ?? [];
  if (corpusVersion === undefined || offset === undefined || digest === undefined || check === undefined)
    return refuse('invalid_cursor', DAMAGED_CURSOR);
  if ((await shortDigest(`${corpusVersion}.${offset}.${digest}`, CHECK_BYTES)) !== check) return refuse('invalid_cursor', DAMAGED_CURSOR);
  if (digest !== (await requestDigest(request))) return refuse('invalid_cursor', 'The cursor belongs to another query or other filters.');
  return ok({ corpusVersion, offset: Number(offset) });
}

function requestDigest(request: unknown): Promise<string> {
  return shortDigest(canonicalJson(request), CHECK_BYTES);
}
