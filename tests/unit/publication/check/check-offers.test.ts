import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentFiles } from '../../../../src/documents/make-documents.ts';
import type { Order } from '../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { findBuyTarget } from '../../../../src/gateway/commerce/cart/permalink.ts';
import { catalogDocument, publishOffer } from '../../../../src/gateway/commerce/catalog/catalog-document.ts';
import { refuseUnsoldItems } from '../../../../src/gateway/commerce/catalog/find-offer.ts';
import { describeOrder } from '../../../../src/gateway/commerce/orders/describe-order.ts';
import type { AuthoredOffer } from '../../../../src/publication/authored-content.ts';
import { deliveriesWithoutFunctions, isReservedHost, resolveCheckoutUrl } from '../../../../src/publication/check/check-offers.ts';
import { makeOffers } from '../../../../src/publication/publish/make-offers.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { hasPrice, namesWorkingDays } from '../../../../src/schemas/commerce/currency-and-availability.ts';
import { catalogSchema, type Offer, OfferFrontMatter, offerVariantA, offerVariantB } from '../../../../src/schemas/commerce/offers.ts';
import { CADENCES } from '../../../../src/schemas/primitives.ts';
import { positionedOffers } from '../../../../src/site/collection-entries.ts';
import { offerData } from '../../../../src/site/structured-data.ts';
import { formatMoney, majorUnits } from '../../../../src/text/prices.ts';
import { publisherOf } from '../../../support/publisher.ts';
import { makePublication } from '../../../support/sample-content.ts';
import { contentOf } from '../../cli/capsules/published-world.ts';
import { capsule, offer, problemsOf, publisher, TODAY, writeWorld } from '../content-world.ts';

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

  test('is valid against its own closed schema, gives every offer and every alias its route, and has the day of the newest change', () => {
    fc.assert(
      fc.property(catalogs, (authored) => {
        const document = catalogDocument(offersOf(authored), publisherOf(authored.map((offer) => offer.id)));
        expect(catalogSchema(origins).parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
        const newest = [...authored.map((offer) => offer.frontMatter.updated), '2026-03-03'].sort().at(-1);
        expect(document.updated_at).toBe(`${newest}T00:00:00Z`);
        for (const { id, frontMatter } of authored) {
          expect(document.checkout_routes?.[id]).toBe(`${origins.baseUrl}/buy/${id}`);
          for (const alias of frontMatter.aliases) expect(document.checkout_alias_routes?.[alias]).toBe(`${origins.baseUrl}/buy/${alias}`);
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
])('formatMoney() of %i cents is %s', (amountMinor, written) => expect(formatMoney({ amountMinor, currency: 'USD' })).toBe(written));

test.each([
  [1_950, 'EUR', '€19.50'],
  [1_200, 'JPY', '¥1,200'],
  [1_950, 'KWD', 'KWD\u00a01.950'],
  [19_950, 'PKR', 'PKR\u00a0199.50'],
  [4_000, 'eur', '€40'],
])('formatMoney() of %i minor units of %s is %s', (amountMinor, currency, written) => {
  expect(formatMoney({ amountMinor, currency })).toBe(written);
});

test.each([
  [{ delivery: 'A table, by e-mail, within 4 working days.' }, true],
  [{ refund: 'Innerhalb von 14 Werktagen.' }, true],
  [{ delivery: 'While you wait.', refund: 'Within 14 days.' }, false],
  [{}, false],
])('whether %j names working days: %j', (terms, names) => expect(namesWorkingDays(terms)).toBe(names));

const HOST = 'https://checkout.example';

test.each([
  ['/demo/review', 'https://checkout.example/demo/review'],
  ['https://checkout.example/demo/review', 'https://checkout.example/demo/review'],
  ['https://CHECKOUT.example/a', 'https://checkout.example/a'],
  ['https://checkout.example:443/a', 'https://checkout.example/a'],
  ['/a?plan=1#x', 'https://checkout.example/a?plan=1#x'],
  ['/../../a', 'https://checkout.example/a'],
  ['/a/@evil.example', 'https://checkout.example/a/@evil.example'],
  ['/https://evil.example', 'https://checkout.example/https://evil.example'],
])('resolveCheckoutUrl() gives %s as %s', (checkout, url) => expect(resolveCheckoutUrl(checkout, HOST)).toBe(url));

describe('resolveCheckoutUrl() refuses', () => {
  // Other combinations of these pieces are shown by the property below.
  test.each([
    ...['https://evil.example/', 'https://sub.checkout.example/', 'https://checkout.example./', 'https://', 'https://['],
    ...['https://checkout.example@evil.example/', 'https://user:pass@checkout.example/', 'https://evil.example\\@checkout.example/'],
    ...['http://checkout.example/', 'https://checkout.example:80/', 'javascript:alert(1)', 'data:text/html,x', 'ftp://checkout.example/'],
    ...['blob:https://checkout.example/x', 'mailto:a@checkout.example', 'https://checkout.example%2eevil.example/', '//checkout.example/a'],
    ...['https://ｃheckout.example.evil.example/', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/a\\b'],
  ])('%j', (checkout) => expect(resolveCheckoutUrl(checkout, HOST)).toBeUndefined());

  test('whatever would lead to another origin', () => {
    const piece = fc.constantFrom(...'https: http: / // \\ @ : evil.example checkout.example %2f # ? . a :443'.split(' '), '\t', '\n', ' ');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')),
        (checkout) => {
          const url = resolveCheckoutUrl(checkout, HOST);
          if (url === undefined) return;
          expect(url.startsWith(`${HOST}/`)).toBe(true);
          expect(new URL(url).username + new URL(url).password).toBe('');
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  ['https://checkout.example', true],
  ['https://shop.test', true],
  ['https://a.invalid', true],
  ['https://pay.localhost', true],
  ['https://example.com', true],
  ['https://pay.example.org', true],
  ['https://example.net', true],
  ['https://checkout.example:8443', true],
  ['http://localhost:8788', true],
  ['http://localhost', true],
  ['https://example', true],
  ['https://buy.stripe.com', false],
  ['https://myexample.com', false],
  ['https://example.de', false],
  ['https://example.com.evil.net', false],
  ['https://test.com', false],
])('isReservedHost() of %s is %s', (origin, reserved) => expect(isReservedHost(origin)).toBe(reserved));

test('a subscription that delivers something for some days is warned of, with its later periods and what to do', async () => {
  const found = async (fields: Record<string, string>) => {
    const root = await writeWorld({
      'capsules/paid.md': capsule({ access: 'paid', price_usd: '1', sources: undefined }, 'Oil it.\n\n<!-- paid -->\n\nOften.\n'),
      'publisher.yaml': publisher({ payments: '{ stripe_profile: profile_1AbC }' }),
      'offers/an-offer.md': offer(fields),
    });
    const { warnings } = await readContent(root, { today: TODAY });
    return warnings.filter(({ field }) => field.startsWith('delivers')).map(({ field, message }) => `${field} ${message}`);
  };
  expect(await found({ cadence: 'monthly', delivers: '[{ kind: pass, days: 31 }]' })).toEqual([
    expect.stringMatching(/^delivers\[0\]\.days ends 31 days after .* payments of each month deliver nothing: .* "cadence: one_time"/),
  ]);
  expect(await found({ cadence: 'one_time', delivers: '[{ kind: pass, days: 31 }]' })).toEqual([]);
  expect(await found({ cadence: 'annual', delivers: '[{ kind: pass }]' })).toEqual([]);
});

test('one warning names what a frontend-only site cannot deliver, and says what to do', async () => {
  const text = '[{ kind: text, name: notes, title: Notes of the workshop, text: Loosen the screw. }]';
  const world = {
    'offers/a-report.md': offer({ demo: 'false', delivers: text }),
    'offers/b-course.md': offer({ demo: 'false', delivers: text }),
    'offers/c-trial.md': offer({ demo: 'true', delivers: text }),
    'publisher.yaml': publisher({ checkout_host: 'https://buy.stripe.com' }),
  };
  const { offers } = await contentOf(await writeWorld(world));
  expect(deliveriesWithoutFunctions(offers)).toEqual([
    {
      file: 'content/offers/a-report.md',
      line: 1,
      field: 'delivers',
      level: 'warning',
      message: expect.stringMatching(
        /these offers promise: "a-report", "b-course"\. .*say so in the field "delivery", or .* npm run deploy$/,
      ) as unknown,
    },
  ]);
  expect(deliveriesWithoutFunctions(offers.filter(({ frontMatter }) => frontMatter.demo))).toEqual([]);
});

const NAME = 'Quarterly workshop on brakes';
const GONE = offer({
  name: NAME,
  aliases: '[workshop]',
  discontinued: '2026-11-10',
  valid_until: '2026-10-31',
  delivers: '[{ kind: text, name: notes, title: Notes of the workshop, text: Loosen the screw. }]',
});
const WORLD = { 'publisher.yaml': publisher({ commerce: '{ acp: true, ucp: true }' }), 'offers/brake-workshop.md': GONE };

async function made(mode: 'edge' | 'static' = 'edge') {
  return (await makePublication(await contentOf(await writeWorld(WORLD)), { mode })).publication;
}

describe('a discontinued offer', () => {
  test.each(['edge', 'static'] as const)('is in no document of the mode %s, and changes the day of the catalog', async (mode) => {
    const publication = await made(mode);
    const files = documentFiles(publication);
    expect(files.filter(({ body }) => body.includes(NAME) || body.includes('brake-workshop')).map(({ path }) => path)).toEqual([]);
    const catalog = JSON.parse(files.find(({ path }) => path === '/offers.json')?.body ?? '') as { offers: unknown[]; updated_at: string };
    expect([catalog.offers.length, catalog.updated_at]).toEqual([1, '2026-11-10T00:00:00Z']);
    expect(publication.deployment.catalogUpdatedAt).toBe(catalog.updated_at);
    expect(publication.pages.some(({ path }) => path === '/buy/brake-workshop')).toBe(false);
  });

  test('keeps its page, whose structured data says so', async () => {
    const publication = await made();
    const entries = positionedOffers(publication);
    expect(entries.map(({ id }) => id)).toEqual(['an-offer', 'brake-workshop']);
    const [, entry] = entries;
    expect(entry && offerData(publication.publisher, entry, undefined)).toMatchObject({
      offers: { availability: 'https://schema.org/Discontinued' },
    });
  });

  test('is not sold: its checkout, its permalinks and its carts are refused with the day', async () => {
    const { deployment } = await made();
    const target = (segment: string, query = '') => findBuyTarget({ segment, sentSegment: segment, query }, deployment, TODAY);
    const page = 'https://tests.example/buy/brake-workshop';
    expect(target('brake-workshop')).toEqual({ kind: 'page' });
    expect(target('workshop')).toEqual({ kind: 'alias', location: page });
    for (const refused of [target('brake-workshop', 'go'), target('workshop', 'go'), target('brake-workshop:1')])
      expect(refused).toMatchObject({
        kind: 'refused',
        refusal: { code: 'offer_not_found', detail: `"${NAME}" was discontinued on 2026-11-10.` },
      });
    const items = [
      { id: 'an-offer', quantity: 1, pointer: '/items/0' },
      { id: 'workshop', quantity: 1, pointer: '/items/1' },
    ];
    expect(refuseUnsoldItems(items, deployment, '2026-11-22')?.refusal.errors).toEqual([
      { pointer: '/items/1', message: 'was discontinued on 2026-11-10' },
    ]);
    expect(refuseUnsoldItems(items.slice(0, 1), deployment, '2026-11-22')).toBeUndefined();
  });

  test('is still delivered to those who bought it', async () => {
    const { deployment } = await made();
    const line = {
      id: 'li_1',
      offerId: 'brake-workshop',
      name: NAME,
      cadence: 'one_time',
      unitMinor: 10_000,
      quantity: 1,
      demo: true,
    } as const;
    const order: Order = {
      id: 'ord_0123456789abcdef01234567',
      receipt: `rct_${'0'.repeat(32)}`,
      sessionId: 'cs_1',
      owner: 'page',
      channel: 'page',
      currency: 'USD',
      lines: [line],
      totalMinor: 10_000,
      refundedMinor: 0,
      paymentReference: 'pi_1',
      buyer: undefined,
      notifyUrl: undefined,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    expect(describeOrder(order, deployment)).toMatchObject({ deliveries: [{ name: 'notes', title: 'Notes of the workshop' }] });
  });

  test('cannot be discontinued in the future, nor be recommended', async () => {
    expect(await problemsOf({ ...WORLD, 'offers/brake-workshop.md': GONE.replace('2026-11-10', '2027-01-01') })).toEqual([
      expect.stringMatching(/^offers\/brake-workshop\.md:\d+ discontinued: 2027-01-01 is in the future; .*valid_until/),
    ]);
    const recommended = publisher({ offers: '{ recommended_first: brake-workshop }' });
    expect(await problemsOf({ ...WORLD, 'publisher.yaml': recommended })).toEqual([
      expect.stringContaining('names the offer "brake-workshop", which is discontinued; name another one'),
    ]);
  });
});

test('the picture of an offer is reported with its line, if it is missing, no image, too large or not described', async () => {
  const picture = (file: string, alt = 'A wheel') => offer({ image: `{ file: ${file}, alt: "${alt}" }` });
  const problems = await problemsOf({
    'offers/gone.md': picture('/gone.png'),
    'offers/large.md': picture('large.png'),
    'offers/broken.md': picture('broken.png'),
    'offers/other-type.md': picture('/wheel.gif'),
    'offers/not-described.md': offer({ image: '{ file: /gone.png }' }),
    'offers/empty.md': picture('/gone.png', ''),
    '../public/large.png': new Uint8Array(25 * 1024 * 1024 + 1),
    '../public/broken.png': 'text',
  });
  expect(problems.filter((problem) => problem.includes(' image'))).toEqual([
    'offers/broken.md:14 image.file: names /broken.png, which is no image that can be read; export it again',
    'offers/empty.md:14 image.alt: must have at least 1 character',
    'offers/gone.md:14 image.file: names /gone.png, but there is no file public/gone.png; correct the address, or add the file',
    'offers/large.md:14 image.file: names /large.png, which has 26214401 bytes; at most 26214400 can be published',
    'offers/not-described.md:14 image.alt: is missing',
    'offers/other-type.md:14 image.file: must be a file of one of these types: png, jpg, jpeg, webp',
  ]);
});
