import { LIMITS } from '../../../schemas/limits.ts';
import { ok, type Result, refuse } from '../../result.ts';
import type { CartItem } from './price-cart.ts';

/** Most digits of a quantity in an address, so that it is a whole number that can be counted with; how many are sold is no matter of form. */
export const QUANTITY_DIGITS_MAX = 15;

/** Items as an address names them, `review:2,digest:1`; written by `checkoutItemsPath`. */
export function readItems(text: string): Result<readonly CartItem[]> {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > LIMITS.cartItemsMax) return faulty(`names more than ${LIMITS.cartItemsMax} offers`);
  const wanted = parts.flatMap((part) => itemOf(part) ?? []);
  return wanted.length === parts.length
    ? ok(wanted)
    : faulty(`must be ids of offers with their quantities from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1"`);
}

function itemOf(part: string): CartItem | undefined {
  const [, id = '', quantity = ''] = /^([a-z0-9-]+):([1-9][0-9]*)$/.exec(part) ?? [];
  if (id === '' || id.length > LIMITS.idMaxLength || quantity.length > QUANTITY_DIGITS_MAX) return undefined;
  return { id, quantity: Number(quantity), pointer: 'items' };
}

function faulty(message: string): Result<never> {
  return refuse('invalid_request', `The parameter items ${message}.`, { errors: [{ pointer: 'items', message }] });
}
