import { LIMITS } from '../../../schemas/limits.ts';
import { fromBase64Url } from '../../../provenance/bytes.ts';
import { QUANTITY_DIGITS_MAX } from '../sessions/read-items.ts';

/** What a permalink names: an id as the catalog has it, and how many pieces. */
export interface PermalinkItem {
  readonly id: string;
  readonly quantity: number;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Items of the compact path of a permalink, `{id}:{quantity}[,…]`, or `undefined` for what is none. An id stands as it is, or as `~` and
 * the base64url of its UTF-8, canonical and without padding; nothing in the path is percent-encoded.
 *
 * @see UCP 2026-08-25, docs/specification/permalink.md, "Compact Item Path" and "Item ID Token".
 */
export function permalinkItems(segment: string): readonly PermalinkItem[] | undefined {
  const pairs = segment.split(',');
  if (pairs.length > LIMITS.cartItemsMax) return undefined;
  const items = pairs.map(itemOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function itemOf(pair: string): PermalinkItem | undefined {
  const [, token, quantity] = /^([A-Za-z0-9._-]+|~[A-Za-z0-9_-]+):([1-9][0-9]*)$/.exec(pair) ?? [];
  if (token === undefined || quantity === undefined || quantity.length > QUANTITY_DIGITS_MAX) return undefined;
  const id = token.startsWith('~') ? decoded(token.slice(1)) : token;
  return id === undefined ? undefined : { id, quantity: Number(quantity) };
}

function decoded(base64url: string): string | undefined {
  const bytes = fromBase64Url(base64url);
  if (bytes === undefined) return undefined;
  try {
    const text = UTF8.decode(bytes);
    return /\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
