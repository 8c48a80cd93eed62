import type { Deployment } from '../../schemas/deployment.ts';
import { buyPath, PATHS } from '../../schemas/paths.ts';

/** What an address under `/buy/` leads to. */
export type BuyTarget =
  | { readonly kind: 'page' }
  | { readonly kind: 'alias'; readonly location: string }
  | { readonly kind: 'checkout'; readonly location: string };

/** Query parameters that are passed on to the checkout, with the values they may have (Stripe payment links take the same). */
const PASSED_ON: readonly (readonly [string, RegExp])[] = [
  ['client_reference_id', /^[A-Za-z0-9_-]{1,64}$/],
  ['utm_source', /^[A-Za-z0-9_-]{1,150}$/],
  ['utm_medium', /^[A-Za-z0-9_-]{1,150}$/],
  ['utm_campaign', /^[A-Za-z0-9_-]{1,150}$/],
  ['utm_term', /^[A-Za-z0-9_-]{1,150}$/],
  ['utm_content', /^[A-Za-z0-9_-]{1,150}$/],
];

/**
 * Where `/buy/<segment>` leads: an alias to its offer's page, `?go` and `<id>:1` to the hosted checkout, everything else
 * to the page of that name. Only links of the catalog are ever followed. The hosted checkout sells one at a time, so a
 * larger quantity leads to the invoice page, which says how to order it.
 */
export function findBuyTarget(segment: string, query: URLSearchParams, deployment: Deployment): BuyTarget {
  const [, name = segment, quantity] = /^([a-z0-9-]+):([1-9]\d{0,3})$/.exec(segment) ?? [];
  const offer = deployment.offers.find(({ id, aliases }) => id === name || aliases.includes(name));
  if (offer === undefined) return { kind: 'page' };
  if (quantity !== undefined && quantity !== '1') return { kind: 'checkout', location: `${deployment.baseUrl}${PATHS.invoice}` };
  if (quantity !== undefined || query.has('go')) return { kind: 'checkout', location: checkoutLocation(offer.checkoutUrl, query) };
  return offer.id === name ? { kind: 'page' } : { kind: 'alias', location: `${deployment.baseUrl}${buyPath(offer.id)}` };
}

function checkoutLocation(checkoutUrl: string, query: URLSearchParams): string {
  const url = new URL(checkoutUrl);
  for (const [name, pattern] of PASSED_ON) {
    const values = query.getAll(name);
    if (values.length === 1 && values[0] !== undefined && pattern.test(values[0])) url.searchParams.set(name, values[0]);
  }
  return url.href;
}
