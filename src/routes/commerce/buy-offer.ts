import * as z from 'zod';
import { findBuyTarget } from '../../gateway/commerce/buy-target.ts';
import { ok } from '../../gateway/result.ts';
import { buyPath } from '../../schemas/paths.ts';
import { defineRoute } from '../define-route.ts';

const BuyPathParameters = z.object({
  offer: z.string().min(1).max(200).describe('Id or alias of an offer; with ":1" after it, the way to the checkout.'),
});
type BuyPathParameters = z.infer<typeof BuyPathParameters>;

const BuyParameters = z.looseObject({
  go: z.string().optional().describe('Present, whatever its value: answer with the way to the checkout instead of the page.'),
});
type BuyParameters = z.infer<typeof BuyParameters>;

export const buyOfferRoute = defineRoute<BuyPathParameters, BuyParameters>({
  id: 'buyOffer',
  method: 'GET',
  path: buyPath('{offer}'),
  summary: 'Open the page of an offer, or go to its checkout',
  description:
    'The page of an offer. An alias answers 302 to it. With "?go", or as "<id>:1", 303 to the hosted checkout; a larger quantity leads to the page about invoices, because the hosted checkout sells one at a time. Nothing is charged by a GET.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  pathParameters: BuyPathParameters,
  queryParameters: BuyParameters,
  passesParametersOn: true,
  answers: [
    { status: 200, description: 'The page.', content: { type: 'text/html', schema: z.string() } },
    { status: 302, description: 'The page of the offer that the alias stands for.' },
    { status: 303, description: 'The hosted checkout.' },
  ],
  errors: ['file_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ path, rawQuery }, { deployment }) => {
    const target = findBuyTarget(path.offer, rawQuery, deployment);
    if (target.kind === 'page') return ok({ kind: 'file', isBuilt: deployment.offers.some(({ id }) => id === path.offer) });
    return ok({ kind: 'redirect', status: target.kind === 'alias' ? 302 : 303, location: target.location });
  },
});
