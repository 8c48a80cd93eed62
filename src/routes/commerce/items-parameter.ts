import * as z from 'zod';
import { readItems } from '../../gateway/commerce/catalog/permalink.ts';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { findOffer } from '../../gateway/commerce/sessions/price-cart.ts';
import { errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { OnDemandPage } from '../../http/page.ts';
import { LIMITS } from '../../schemas/limits.ts';

/** Items of a cart in an address or in a form. */
export const ItemsText = z
  .string()
  .max(LIMITS.cartTextMaxLength)
  .describe(`Ids of offers with their quantities from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1".`);

/** Refuses a query with the parameter "items" more than once: it is ambiguous. */
export function itemsOnce(query: URLSearchParams): Result<undefined> {
  if (query.getAll('items').length <= 1) return ok(undefined);
  return refuse('invalid_request', 'The parameter "items" is given twice; name all items in one, with commas between them.', {
    errors: [{ pointer: 'items', message: 'is given twice' }],
  });
}

/**
 * The page of a refused cart.
 *
 * @param items Items as the request named them, `review:2,digest:1`; empty where it named none in that form.
 */
export function refusedCartPage(refusal: Refusal, items: string, { deployment, clock }: GatewayDependencies): OnDemandPage {
  const read = readItems(items);
  const today = dayOf(clock.nowMs());
  const unknown = read.ok ? read.value.filter(({ id }) => findOffer(deployment.offers, id, today) === undefined) : [];
  const isTemporary = errorEntry(refusal.code).retry === 'later';
  return {
    page: 'refusal',
    props: { subject: 'cart', refusal, isTemporary, unknownIds: unknown.map(({ id }) => id) },
    visibility: 'unlisted',
  };
}
