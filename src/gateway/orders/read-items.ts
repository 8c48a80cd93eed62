import { LIMITS } from '../../schemas/limits.ts';
import { ok, type Result, refuse } from '../result.ts';
import type { WantedItem } from './price-cart.ts';

/** Items as an address names them, `review:2,digest:1`; written by `checkoutItemsPath`. */
export function readItems(text: string): Result<readonly WantedItem[]> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > LIMITS.cartItemsMax) return faulty(`names more than ${LIMITS.cartItemsMax} offers`);
  const items = parts.map((part) => /^([a-z0-9-]{1,64}):([1-9]\d{0,2})$/.exec(part));
  const wanted = items.flatMap((item) => (item === null ? [] : [{ id: item[1] ?? '', quantity: Number(item[2]), pointer: 'items' }]));
  return wanted.length === parts.length
    ? ok(wanted)
    : faulty(`must be ids of offers with their quantities from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1"`);
}

function faulty(message: string): Result<never> {
  return refuse('invalid_request', `The parameter items ${message}.`, { errors: [{ pointer: 'items', message }] });
}
