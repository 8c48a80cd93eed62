import { paymentRequired } from '../../gateway/commerce/payments/payment-challenge.ts';
import { X402Items } from '../acp/schemas/discovery.ts';
import { capsuleApiPath } from '../../schemas/paths.ts';
import { paidOffers } from './paid-resources.ts';
import type { Publication } from '../../publication/publication.ts';

/**
 * `/.well-known/x402.json`: everything that is sold, with the terms that each challenge has. There is no merged specification of this
 * document either; `items` follow x402 pull request 2646, and `services` is what other readers look for.
 */
export function x402Items(publication: Publication): X402Items {
  const { deployment } = publication;
  const offers = paidOffers(publication);
  return X402Items.parse({
    x402Version: 2,
    lastUpdated: deployment.catalogUpdatedAt,
    name: deployment.name,
    ...(deployment.payments
      ? { network: deployment.payments.network, facilitator: deployment.payments.facilitator, payTo: deployment.payments.payTo }
      : {}),
    items: offers.map(({ resource, terms }) => {
      const { resource: described, accepts } = paymentRequired(resource, terms, deployment.name, '');
      return {
        resource: described,
        type: 'http',
        accepts,
        input: { method: 'GET', routeTemplate: capsuleApiPath(':capsule_id'), pathParams: { capsule_id: resource.capsuleId } },
        output: { type: 'json' },
      };
    }),
    services: offers.map(({ resource, price, summary }) => ({
      method: 'GET',
      path: new URL(resource.url).pathname,
      description: summary,
      price: price.amount,
      currency: price.currency,
      discoverable: true,
    })),
  } satisfies X402Items);
}
