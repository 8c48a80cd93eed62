import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogDocument, publishOffer } from '../../../../src/gateway/commerce/catalog/catalog-document.ts';
import type { AuthoredOffer } from '../../../../src/publication/authored-content.ts';
import { makeOffers } from '../../../../src/publication/offers/make-offers.ts';
import { formatMoney, majorUnits } from '../../../../src/publication/offers/stated-prices.ts';
import {
  CADENCES,
  catalogSchema,
  hasPrice,
  namesWorkingDays,
  type Offer,
  OfferFrontMatter,
  offerVariantA,
  offerVariantB,
} from '../../../../src/schemas/commerce/offers.ts';
import { publisherOf } from '../../../support/publisher.ts';

const origins = { baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' };
const id = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}$/).filter((text) => text !== 'invoice');
const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'abc déf 東 "&<'), minLength, maxLength });
const optionalTerms = {
  category: fc.option(id, { nil: undefined }),
  refund: fc.option(text(1, 300), { nil: undefined }),
  delivery: fc.option(text(1, 300), { nil: undefined }),
  valid_until: fc.constantFrom('2027-12-31', undefined),
};
const frontMatter = fc
  .record({
    name: text(3, 80),
    summary: text(40, 240),
    cents: fc.integer({ min: 0, max: 99_999_900 }),
    cadence: fc.constantFrom(...CADENCES),
    aliases: fc.uniqueArray(id, { maxLength: 4 }),
    checkout: fc.stringMatching(/^\/[a-z0-9/?=&-]{0,40}$/).filter((path) => !path.startsWith('//')),
    demo: fc.boolean(),
    features: fc.array(text(1, 160), { maxLength: 12 }),
    ...optionalTerms,
    updated: fc.constantFrom('2026-01-01', '2026-11-21', '2026-05-05'),
  })
  .map(({ cents, ...rest }) => OfferFrontMatter.parse({ ...rest, price_usd: cents / 100 }));
const catalogs = fc.uniqueArray(fc.record({ id, frontMatter, markdown: fc.constant('') }), {
  selector: (offer) => offer.id,
  minLength: 1,
  maxLength: 5,
});

const offersOf = (authored: Omit<AuthoredOffer, 'file' | 'bodyLine'>[]): Offer[] =>
  makeOffers(authored, publisherOf(authored.map((offer) => offer.id))).filter(hasPrice);

describe('every offer that is published', () => {
  test('satisfies both variants of the interface', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        for (const offer of offersOf(authored)) {
          const published = JSON.parse(JSON.stringify(publishOffer(offer, origins))) as unknown;
          expect(offerVariantA(origins).parse(published)).toEqual(published);
          expect(offerVariantB(origins).parse(published)).toEqual(published);
        }
      }),
    );
  });

  test('has one price under both names, exact to the cent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_900 }), frontMatter, (cents, authored) => {
        const [offer] = offersOf([{ id: 'a', frontMatter: { ...authored, price_usd: cents / 100 }, markdown: '' }]);
        const published = offer && publishOffer(offer, origins);
        expect([offer?.amountMinor, published?.price, published?.price_usd]).toEqual([cents, cents / 100, cents / 100]);
      }),
    );
  });
});

describe('catalogDocument()', () => {
  test('is valid against its own closed schema', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        const document = catalogDocument(offersOf(authored), publisherOf(authored.map((offer) => offer.id)));
        expect(catalogSchema(origins).parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
      }),
    );
  });

  test('is the same for files in any order, with offers in the order of the publisher', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        const publisher = publisherOf(authored.map((offer) => offer.id));
        const [one, other] = [authored, [...authored].reverse()].map((list) =>
          JSON.stringify(catalogDocument(makeOffers(list, publisher), publisher)),
        );
        expect(other).toBe(one);
        expect((JSON.parse(one ?? '') as { offers: { id: string }[] }).offers.map((offer) => offer.id)).toEqual(publisher.offers.order);
      }),
    );
  });

  test('is dated by the newest change of an offer or of the publisher, not by the clock', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        const newest = [...authored.map((offer) => offer.frontMatter.updated), '2026-03-03'].sort().at(-1);
        expect(catalogDocument(offersOf(authored), publisherOf(authored.map((offer) => offer.id))).updated_at).toBe(`${newest}T00:00:00Z`);
      }),
    );
  });

  test('gives every offer and every alias its route', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        const { checkout_routes, checkout_alias_routes } = catalogDocument(
          offersOf(authored),
          publisherOf(authored.map((offer) => offer.id)),
        );
        for (const offer of authored) {
          expect(checkout_routes?.[offer.id]).toBe(`${origins.baseUrl}/buy/${offer.id}`);
          for (const alias of offer.frontMatter.aliases) expect(checkout_alias_routes?.[alias]).toBe(`${origins.baseUrl}/buy/${alias}`);
        }
      }),
    );
  });
});

test('prices are exact for every amount from 0 to 999.99', () => {
  const wrong: number[] = [];
  for (let cents = 0; cents <= 99_999; cents += 1) {
    const price_usd = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
    const money = { amountMinor: Math.round(price_usd * 100), currency: 'USD' as const };
    if (money.amountMinor !== cents || majorUnits(money) !== price_usd || !OfferFrontMatter.shape.price_usd.safeParse(price_usd).success)
      wrong.push(cents);
  }
  expect(wrong).toEqual([]);
});

test.each([
  [0, '$0'],
  [1, '$0.01'],
  [10, '$0.10'],
  [100, '$1'],
  [1_950, '$19.50'],
  [45_000, '$450'],
  [99_999, '$999.99'],
  [100_000, '$1,000'],
  [123_456_789, '$1,234,567.89'],
])('formatMoney() of %i cents is %s', (amountMinor, written) => {
  expect(formatMoney({ amountMinor, currency: 'USD' })).toBe(written);
});

test.each([
  [1_950, 'EUR', '€19.50'],
  [1_200, 'JPY', '¥1,200'],
  [1_950, 'KWD', 'KWD\u00a01.950'],
  [4_000, 'eur', '€40'],
])('formatMoney() of %i minor units of %s is %s', (amountMinor, currency, written) => {
  expect(formatMoney({ amountMinor, currency })).toBe(written);
});

test.each([
  [{ delivery: 'A table, by e-mail, within 4 working days.' }, true],
  [{ refund: 'Innerhalb von 14 Werktagen.' }, true],
  [{ delivery: 'While you wait.', refund: 'Within 14 days.' }, false],
  [{}, false],
])('whether %j names working days: %j', (terms, names) => {
  expect(namesWorkingDays(terms)).toBe(names);
});
