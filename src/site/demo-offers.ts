import type { Offer } from '../schemas/commerce/offers.ts';
import { opensTexts } from '../schemas/commerce/passes.ts';
import { isTestNetwork } from '../schemas/commerce/stablecoin-payments.ts';

/** Whether the test checkout of a demonstration ends with an order that opens texts or has credit. */
export function isDeliveredByTest(offer: { readonly demo: boolean } | Offer, { mode, publisher }: App.Locals['site']): boolean {
  return mode === 'edge' && isTestNetwork(publisher.payments) && 'delivers' in offer && opensTexts([offer]);
}
