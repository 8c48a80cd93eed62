import * as z from 'zod';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';

/** Items of a cart in an address or in a form. */
export const ItemsText = z
  .string()
  .max(LIMITS.cartTextMaxLength)
  .describe(`Ids of offers with their quantities from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1".`);

/** Refuses a query that names items more than once: nobody could say which of them are meant. */
export function itemsOnce(query: URLSearchParams): Result<undefined> {
  if (query.getAll('items').length <= 1) return ok(undefined);
  return refuse('invalid_request', 'The parameter "items" is given twice; name all items in one, with commas between them.', {
    errors: [{ pointer: 'items', message: 'is given twice' }],
  });
}
