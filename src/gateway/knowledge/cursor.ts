import { canonicalDigest, sha256Hex } from '../../provenance/digest.ts';
import { type Result, ok, refuse } from '../result.ts';

/** A place in one list: the generation it was made from, the request it belongs to, and how many items came before. */
export interface CursorPosition {
  readonly corpusVersion: string;
  readonly offset: number;
}

const CHECK_LENGTH = 16;

/** What is said of a cursor that no answer gave. */
export const DAMAGED_CURSOR = 'The cursor is damaged.';

/**
 * Opaque text of a position. It is bound to the request by a digest and guarded against damage by a checksum. It is no
 * secret and grants nothing: every position of every list is open to whoever may send the request.
 */
export async function encodeCursor(position: CursorPosition, request: unknown): Promise<string> {
  const body = `${position.corpusVersion}.${position.offset}.${await requestDigest(request)}`;
  return toBase64Url(`${body}.${(await sha256Hex(body)).slice(0, CHECK_LENGTH)}`);
}

/** Inverse of {@link encodeCursor}; refuses a cursor that is damaged or was made for another request. */
export async function decodeCursor(cursor: string, request: unknown): Promise<Result<CursorPosition>> {
  const match = /^([0-9a-f]{64})\.(\d{1,9})\.([0-9a-f]{16})\.([0-9a-f]{16})$/.exec(fromBase64Url(cursor) ?? '');
  const [, corpusVersion, offset, digest, check] = match ?? [];
  if (corpusVersion === undefined || offset === undefined || digest === undefined || check === undefined)
    return refuse('invalid_cursor', DAMAGED_CURSOR);
  if ((await sha256Hex(`${corpusVersion}.${offset}.${digest}`)).slice(0, CHECK_LENGTH) !== check)
    return refuse('invalid_cursor', DAMAGED_CURSOR);
  if (digest !== (await requestDigest(request)))
    return refuse('invalid_cursor', 'The cursor belongs to a request with other words or filters.');
  return ok({ corpusVersion, offset: Number(offset) });
}

async function requestDigest(request: unknown): Promise<string> {
  return (await canonicalDigest(request)).slice('sha256:'.length, 'sha256:'.length + CHECK_LENGTH);
}

function toBase64Url(text: string): string {
  return btoa(text)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

/** Only the form that {@link toBase64Url} writes: `atob` alone ignores the unused bits of the last digit. */
function fromBase64Url(text: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return toBase64Url(decoded) === text ? decoded : undefined;
  } catch {
    return undefined;
  }
}
