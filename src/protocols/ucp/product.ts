import { availabilityOf } from '../../schemas/commerce/offers.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { buyPath } from '../../schemas/paths.ts';
import type { UcpProduct } from './schemas/catalog.ts';

/**
 * An offer as a product of UCP: the only variant of itself.
 *
 * @param inputs What a lookup asked for it by; left out elsewhere.
 */
export function offerProduct(offer: Offer, baseUrl: string, inputs?: readonly string[]): UcpProduct {
  const { id, name, summary, features, delivery, category, amountMinor, currency, cadence, validUntil, demo } = offer;
  const price = { amount: amountMinor, currency };
  const url = baseUrl + buyPath(id);
  return {
    id,
    handle: id,
    title: name,
    description: { plain: [summary, ...features.map((feature) => `- ${feature}`)].join('\n') },
    url,
    categories: [{ value: category, taxonomy: 'merchant' }],
    price_range: { min: price, max: price },
    variants: [
      {
        id,
        title: name,
        description: { plain: `${summary} ${delivery}` },
        url,
        price,
        availability: availabilityOf(offer),
        metadata: { cadence, valid_until: validUntil, ...(demo ? { demo } : {}) },
        ...(inputs === undefined
          ? {}
          : { inputs: inputs.map((input) => ({ id: input, match: input === id ? ('exact' as const) : ('featured' as const) })) }),
      },
    ],
  };
}
