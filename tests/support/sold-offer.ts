import type { Offer, QuoteOnlyOffer } from '../../src/schemas/commerce/offers.ts';

export function soldOffer(facts: Partial<Offer> & Pick<Offer, 'id'>): Offer {
  return {
    aliases: [],
    name: `Offer ${facts.id}`,
    summary: 'An offer that tests sell, with all that an offer has.',
    category: 'review',
    features: ['Something that the offer holds'],
    amountMinor: 8_000,
    currency: 'USD',
    cadence: 'one_time',
    checkoutUrl: `https://checkout.example/demo/${facts.id}`,
    demo: true,
    validUntil: '2099-12-31',
    delivery: 'By e-mail, within two working days.',
    refund: 'In full until the work begins.',
    delivers: [],
    preferredPath: `/buy/${facts.id}`,
    updated: '2026-01-01',
    ...facts,
  };
}

/** An offer without a price, which is quoted on request. */
export function quoteOnlyOffer(facts: Pick<Offer, 'id' | 'aliases'>): QuoteOnlyOffer {
  const {
    amountMinor: _amount,
    currency: _currency,
    cadence: _cadence,
    checkoutUrl: _url,
    delivers: _delivers,
    ...rest
  } = soldOffer(facts);
  return { ...rest, price: 'on_request' };
}
