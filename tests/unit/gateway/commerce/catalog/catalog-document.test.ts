import { describe, expect, test } from 'vitest';
import {
  catalogDocument,
  catalogUpdated,
  publishOffer,
  recommendedOffers,
} from '../../../../../src/gateway/commerce/catalog/catalog-document.ts';
import { makeOffers } from '../../../../../src/publication/publish/make-offers.ts';
import { hasPrice } from '../../../../../src/schemas/commerce/currency-and-availability.ts';
import { type Offer, OfferFrontMatter } from '../../../../../src/schemas/commerce/offers.ts';
import type { Publisher } from '../../../../../src/schemas/publisher.ts';
import { publisherOf as makePublisher } from '../../../../support/publisher.ts';

const BASE = 'https://signpost.example';

const publisherOf = (order: readonly string[]): Publisher =>
  makePublisher([], { offers: { order, recommended_first: 'review', recommended_quick: 'audit', fast_paid_starts: ['audit', 'review'] } });

function frontMatterOf(id: string, more: object = {}): OfferFrontMatter {
  return OfferFrontMatter.parse({
    name: `The ${id}`,
    summary: `What the offer ${id} is about, in one sentence.`,
    category: 'work',
    price_usd: 19.5,
    cadence: 'one_time',
    aliases: [`${id}-now`],
    checkout: `/pay/${id}`,
    features: ['The first feature', 'The second feature'],
    refund: 'Within thirty days.',
    delivery: 'By e-mail, at once.',
    valid_until: '2027-12-31',
    updated: '2026-02-02',
    ...more,
  });
}

function offersOf(more: object = {}): Offer[] {
  const authored = ['audit', 'review'].map((id) => ({ id, frontMatter: frontMatterOf(id, id === 'audit' ? more : {}), markdown: '' }));
  return makeOffers(authored, publisherOf(['review', 'audit'])).filter(hasPrice);
}

const published = (id: string, more: object = {}) => ({
  id,
  name: `The ${id}`,
  description: `What the offer ${id} is about, in one sentence.`,
  category: 'work',
  price_usd: 19.5,
  price: 19.5,
  currency: 'USD',
  cadence: 'one_time',
  availability: { available: true, status: 'in_stock' },
  canonical_path: `${BASE}/buy/${id}`,
  route_url: `${BASE}/buy/${id}`,
  preferred_url: `${BASE}/buy/${id}`,
  checkout_url: `https://checkout.example/pay/${id}`,
  features: ['The first feature', 'The second feature'],
  aliases: [`${id}-now`],
  delivery: 'By e-mail, at once.',
  refund_policy: 'Within thirty days.',
  refund_policy_url: `${BASE}/refunds`,
  terms_url: `${BASE}/terms`,
  valid_until: '2027-12-31',
  updated_at: '2026-02-02T00:00:00Z',
  ...more,
});

test('an offer is published with these members and no others', () => {
  expect(offersOf().map((offer) => publishOffer(offer, { baseUrl: BASE }))).toEqual([published('review'), published('audit')]);
});

test('an offer is published under the address that its author prefers, and says that it is a demonstration', () => {
  const [, audit] = offersOf({ route: '/buy/audit-now', demo: true });
  const demonstration = { demo: true, availability: { available: false, status: 'out_of_stock' } };
  expect(audit && publishOffer(audit, { baseUrl: BASE })).toEqual(
    published('audit', { preferred_url: `${BASE}/buy/audit-now`, ...demonstration }),
  );
});

describe('the catalog', () => {
  const expected = {
    $schema: `${BASE}/offers.schema.json`,
    updated_at: '2026-03-03T00:00:00Z',
    namespace: 'commerce',
    description: 'Offers of Signpost. Prices in US dollars. Each offer has a page on this site and a hosted checkout.',
    currency: 'USD',
    contact: 'desk@signpost.example',
    pricing: `${BASE}/pricing.json`,
    buy_json: `${BASE}/buy.json`,
    buy_page: `${BASE}/buy`,
    buy_html: `${BASE}/buy`,
    checkout_page: `${BASE}/checkout`,
    checkout_html: `${BASE}/checkout`,
    offers: [published('review'), published('audit')],
    checkout_routes: { review: `${BASE}/buy/review`, audit: `${BASE}/buy/audit` },
    checkout_alias_routes: { 'review-now': `${BASE}/buy/review-now`, 'audit-now': `${BASE}/buy/audit-now` },
    recommended_first_checkout: published('review'),
    recommended_quick_checkout: published('audit'),
    recommendedFirstCheckoutUrl: `${BASE}/buy/review`,
    recommendedFirstDirectPaymentCheckoutUrl: 'https://checkout.example/pay/review',
    recommendedQuickCheckoutUrl: `${BASE}/buy/audit`,
    recommendedQuickDirectPaymentCheckoutUrl: 'https://checkout.example/pay/audit',
    fast_paid_starts: [published('audit'), published('review')],
    links: { label: 'Request an invoice', href: `${BASE}/invoice`, contact_url: `${BASE}/contact`, subject: 'Invoice from Signpost' },
  };

  test('has these members and no others', () => expect(catalogDocument(offersOf(), publisherOf(['review', 'audit']))).toEqual(expected));

  test('names no link to pay by for what only an order delivers, but the one that its schema requires, and says so', () => {
    const publisher = publisherOf(['review', 'audit']);
    const delivers = [{ kind: 'text' as const, name: 'notes', title: 'Notes', text: 'Sold.' }];
    const sold = offersOf().map((offer) => ({
      ...offer,
      delivers,
      currencyOptions: [{ currency: 'EUR', amountMinor: 1_800, checkoutUrl: 'https://checkout.example/eur' }],
    }));
    const document = catalogDocument(sold, publisher);
    expect(JSON.stringify(document)).not.toMatch(/DirectPayment|example\/eur/);
    expect(document.offers).toMatchObject([{ checkout_url: 'https://checkout.example/pay/review', prices: { EUR: { price: 18 } } }, {}]);
    expect(document.description).toMatch(
      / comes with an order, which begins at its route_url: a payment at its checkout_url makes none\.$/,
    );
  });

  test('says so if one of its offers is a demonstration', () => {
    expect(catalogDocument(offersOf({ demo: true }), publisherOf(['review', 'audit'])).description).toBe(
      'Offers of Signpost. Prices in US dollars. Offers marked "demo": true are demonstrations, not for sale: no money is taken, and no work is done.',
    );
  });

  test('names the offer that is not there', () => {
    expect(() => catalogDocument(offersOf().slice(1), publisherOf(['review', 'audit']))).toThrow(
      new RangeError('publisher.yaml names the offer "review", which does not exist'),
    );
  });
});

test('recommends by itself the first offer that is not free, and as the quickest the cheapest that is paid once', () => {
  const terms = {
    newsletter: { price_usd: 0, cadence: 'free' },
    report: { price_usd: 55 },
    club: { price_usd: 12, cadence: 'monthly' },
    sketch: { price_usd: 20 },
  };
  const order = Object.keys(terms);
  const authored = Object.entries(terms).map(([id, more]) => ({ id, frontMatter: frontMatterOf(id, more), markdown: '' }));
  const publisher = makePublisher([], { offers: { order } });
  const recommended = (ids: readonly string[]) => {
    const offers = makeOffers(authored, publisher)
      .filter(hasPrice)
      .filter(({ id }) => ids.includes(id));
    const { first, quick } = recommendedOffers(offers, publisher);
    return [first?.id, quick?.id];
  };
  expect(recommended(order)).toEqual(['report', 'sketch']);
  expect(recommended(['newsletter', 'club'])).toEqual(['club', 'club']);
  expect(recommended(['newsletter'])).toEqual(['newsletter', 'newsletter']);
});

test('the newest change is that of an offer or of the publisher, whichever is later', () => {
  const publisher = publisherOf(['review', 'audit']);
  expect(catalogUpdated([], publisher)).toBe('2026-03-03');
  expect(catalogUpdated([{ updated: '2026-03-02' }, { updated: '2026-03-04' }, { updated: '2026-01-01' }], publisher)).toBe('2026-03-04');
});

test('an offer that the publisher lists and nobody wrote is none', () => {
  const authored = [{ id: 'audit', frontMatter: frontMatterOf('audit'), markdown: '' }];
  expect(makeOffers(authored, publisherOf(['gone', 'audit', 'missing'])).map(({ id }) => id)).toEqual(['audit']);
});

test('an offer whose checkout is elsewhere is named', () => {
  expect(() => offersOf({ checkout: 'https://elsewhere.example/pay' })).toThrow(
    new RangeError('offer "audit" has no checkout on https://checkout.example'),
  );
});
