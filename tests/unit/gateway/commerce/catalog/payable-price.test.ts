import { describe, expect, test } from 'vitest';
import { findBuyTarget } from '../../../../../src/gateway/commerce/cart/permalink.ts';
import { payableCart } from '../../../../../src/gateway/commerce/cart/price-cart.ts';
import { payableCurrencies, payablePriceIn } from '../../../../../src/gateway/commerce/catalog/find-offer.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';
import { quoteOnlyOffer, soldOffer } from '../../../../support/sold-offer.ts';

const BASE = 'https://signpost.example';
const TODAY = '2027-01-01';
const wheel = soldOffer({
  id: 'wheel',
  currencyOptions: [
    { currency: 'EUR', amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' },
    { currency: 'CHF', amountMinor: 7_000 },
  ],
});
const OFFERS = [wheel, soldOffer({ id: 'dollars' }), soldOffer({ id: 'gift', amountMinor: 0, cadence: 'free' })];
const fleet = quoteOnlyOffer({ id: 'fleet', aliases: ['company'] });
const links: Deployment['commerce'] = { acp: true, ucp: true, processor: 'links', webhookHosts: [] };
const stripe: Deployment['commerce'] = { ...links, processor: 'stripe' };
// The part of a deployment that the way to a checkout depends on.
const deployment = { baseUrl: BASE, offers: OFFERS, quoteOnlyOffers: [fleet], commerce: links } as unknown as Deployment;

describe('payable prices', () => {
  test('are those with a hosted link, or all where checkouts are created', () => {
    expect(payablePriceIn(wheel, 'EUR', links)).toMatchObject({ amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' });
    expect(payablePriceIn(wheel, 'CHF', links)).toBeUndefined();
    expect(payablePriceIn(wheel, 'CHF', stripe)).toEqual({ currency: 'CHF', amountMinor: 7_000, checkoutUrl: undefined });
    expect(payableCurrencies({ offers: OFFERS, commerce: links })).toEqual(['USD', 'EUR']);
    expect(payableCurrencies({ offers: OFFERS, commerce: stripe })).toEqual(['USD', 'EUR', 'CHF']);
    expect(payableCurrencies({ offers: [], commerce: links })).toEqual([]);
  });

  test('never mix in a cart: an item without the currency is named', () => {
    const items = ['wheel', 'gift', 'dollars'].map((id, index) => ({ id, quantity: 1, pointer: `/${index}` }));
    expect(payableCart(items, { ...deployment, commerce: stripe }, TODAY, 'EUR')).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_request', errors: [{ pointer: '/2', message: 'has no price in EUR' }] },
    });
    const priced = payableCart(items.slice(0, 2), { ...deployment, commerce: stripe }, TODAY, 'EUR');
    expect(priced.ok && priced.value.map(({ unitMinor }) => unitMinor)).toEqual([7_500, 0]);
  });
});

describe('the way to a checkout', () => {
  const target = (segment: string, query: string, settings = deployment) =>
    findBuyTarget({ segment, sentSegment: segment, query }, settings, TODAY);

  test.each([
    ['wheel', 'go', 'https://checkout.example/demo/wheel'],
    ['wheel', 'go&currency=EUR', 'https://checkout.example/eur'],
    ['wheel', 'go&currency=eur', 'https://checkout.example/eur'],
    ['wheel:1', 'context/currency=EUR', 'https://checkout.example/eur'],
    ['gift', 'go&currency=EUR', 'https://checkout.example/demo/gift'],
    // A link that promises one currency never leads to a checkout that charges another.
    ['wheel', 'go&currency=CHF', `${BASE}/buy/wheel`],
    ['dollars', 'go&currency=EUR', `${BASE}/buy/dollars`],
    ['wheel:2', 'currency=EUR', `${BASE}/checkout?items=wheel:2&currency=EUR`],
    // Without a price there is no checkout.
    ['fleet', 'go', `${BASE}/buy/fleet`],
    ['fleet:1', '', `${BASE}/buy/fleet`],
    ['wheel:1,company:1', '', `${BASE}/buy/fleet`],
  ])('%s?%s leads to %s', (segment, query, location) => expect(target(segment, query)).toMatchObject({ kind: 'redirect', location }));

  test('is a page of this site where the payment processor creates the checkout of a currency', () => {
    expect(target('wheel', 'go&currency=CHF', { ...deployment, commerce: stripe })).toMatchObject({
      location: `${BASE}/checkout?items=wheel:1&currency=CHF`,
    });
  });

  test('leads from the alias of an offer without a price to its page', () => {
    expect(target('company', '')).toEqual({ kind: 'alias', location: `${BASE}/buy/fleet` });
    expect(target('fleet', '')).toEqual({ kind: 'page' });
  });
});
