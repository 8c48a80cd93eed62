import { describe, expect, test } from 'vitest';
import { makeOffers } from '../../../src/publication/publish/make-offers.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { textPrices } from '../../../src/schemas/commerce/capsule-price.ts';
import { hasPrice } from '../../../src/schemas/commerce/currency-and-availability.ts';
import { formatPrices } from '../../../src/site/format-strings.ts';
import { offerData } from '../../../src/site/structured-data.ts';
import { chargedPrice, otherPrices, statedPriceIn, statedPrices } from '../../../src/text/prices.ts';
import { publisherOf } from '../../support/publisher.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { type Files, offer, problemsOf, publisher, TODAY, writeWorld } from '../publication/content-world.ts';

const OFFER = 'offers/an-offer.md';
const QUOTED = { price_usd: undefined, cadence: undefined, checkout: undefined, price: 'on request' };

describe('the price of an offer', () => {
  test.each([
    ['on request', QUOTED],
    ['without a cadence', { cadence: undefined }],
    ['free without a cadence', { price_usd: '0', cadence: undefined }],
    ['in several currencies', { prices: '{ EUR: 95.50, JPY: 14000, KWD: 30.125 }' }],
    [
      'with a checkout by currency',
      { prices: '{ EUR: 95 }', checkout: '{ USD: /demo/usd, EUR: "https://checkout.example/demo/eur" }', demo: 'true' },
    ],
  ])('may be %s', async (_name, fields) => {
    expect(await problemsOf({ [OFFER]: offer(fields), 'publisher.yaml': publisher({ offers: undefined }) })).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string | undefined>>, string[]]>([
    ['missing', { price_usd: undefined }, ['1 price_usd: is missing; write the price, such as price_usd: 450, or else price: on request']],
    [
      'two',
      { price: 'on request' },
      ['14 price: is given beside price_usd; delete one of them', '6 cadence: has no effect', '7 checkout: has no effect'],
    ],
    ['a number in price', { price: '450' }, ['14 price: must be "on request"; a price in US dollars belongs into price_usd']],
    ['in dollars twice', { prices: '{ USD: 90 }' }, ['14 prices.USD: belongs into price_usd']],
    ['in no currency', { prices: '{ XYZ: 90 }' }, ['14 prices.XYZ: is not a currency of ISO 4217 in use; check its spelling']],
    ['in a currency in small letters', { prices: '{ eur: 90 }' }, ['14 prices.eur: must be a currency code in upper case, such as EUR']],
    ['in parts of a yen', { prices: '{ JPY: 90.5 }' }, ['14 prices.JPY: must be a whole number: JPY has no decimals']],
    ['in small parts of a euro', { prices: '{ EUR: 9.999 }' }, ['14 prices.EUR: must have at most 2 decimals']],
    ['of nothing in another currency', { prices: '{ EUR: 0 }' }, ['14 prices.EUR: must be above 0; leave prices out for a free offer']],
    [
      'without a checkout',
      { checkout: undefined },
      ['1 checkout: is missing; write the address of the hosted checkout, or price: on request in place of the price'],
    ],
    [
      'without a checkout in dollars',
      { prices: '{ EUR: 90 }', checkout: '{ EUR: /demo/eur }' },
      ['7 checkout: is missing for USD; write the address of the hosted checkout, or price: on request in place of the price'],
    ],
    [
      'charged in a currency without a price',
      { checkout: '{ USD: /demo/usd, CHF: /demo/chf }' },
      ['7 checkout.CHF: has no price in CHF; add it to "prices", or delete the link'],
    ],
  ])('is refused if %s', async (_name, fields, problems) => {
    const found = await problemsOf({ [OFFER]: offer(fields), 'publisher.yaml': publisher({ offers: undefined }) });
    expect(found).toHaveLength(problems.length);
    for (const problem of problems) expect(found.join('\n')).toContain(`${OFFER}:${problem}`);
  });
});

test.each([
  ['no offer', undefined, []],
  ['a price on request', offer(QUOTED), []],
  [
    'a checkout',
    offer({ checkout: 'https://buy.stripe.com/abc', demo: undefined }),
    [`${OFFER}:7 checkout: needs "checkout_host" in content/publisher.yaml; add there: checkout_host: https://buy.stripe.com`],
  ],
])('checkout_host is needed for checkouts alone: %s', async (_name, written, problems) => {
  const files = { 'publisher.yaml': publisher({ checkout_host: undefined, offers: undefined }), [OFFER]: written };
  expect(await problemsOf(files)).toEqual(problems);
});

async function madeOf(files: Files) {
  const { content } = await readContent(await writeWorld(files), { today: TODAY });
  if (content === undefined) throw new Error('the content is not valid');
  return makeOffers(content.offers, content.publisher);
}

describe('the order of offers', () => {
  test('begins with those that publisher.yaml lists, then follows their own order, then their ids', async () => {
    const made = await madeOf({
      'publisher.yaml': publisher({ offers: '{ order: [z-offer] }' }),
      'offers/z-offer.md': offer(),
      'offers/b-offer.md': offer({ order: '1' }),
      'offers/c-offer.md': offer(QUOTED),
    });
    expect(made.map(({ id }) => id)).toEqual(['z-offer', 'b-offer', 'an-offer', 'c-offer']);
  });

  test('recommends no offer without a price', async () => {
    const files = { [OFFER]: offer(QUOTED), 'publisher.yaml': publisher({ offers: '{ recommended_first: an-offer }' }) };
    expect(await problemsOf(files)).toEqual([
      'publisher.yaml:11 offers.recommended_first: names the offer "an-offer", whose price is on request; name one with a price',
    ]);
  });
});

describe('an offer of a publication', () => {
  const made = async (fields: Readonly<Record<string, string | undefined>>) =>
    (await madeOf({ [OFFER]: offer(fields), 'publisher.yaml': publisher({ offers: undefined }) }))[0];

  test('has its prices in minor units of their currencies, and the checkout of each', async () => {
    expect(await made({ prices: '{ EUR: 95.50, JPY: 14000, KWD: 30.125 }', checkout: '{ USD: /demo/u, EUR: /demo/e }' })).toMatchObject({
      amountMinor: 10_000,
      checkoutUrl: 'https://checkout.example/demo/u',
      currencyOptions: [
        { currency: 'EUR', amountMinor: 9_550, checkoutUrl: 'https://checkout.example/demo/e' },
        { currency: 'JPY', amountMinor: 14_000 },
        { currency: 'KWD', amountMinor: 30_125 },
      ],
    });
  });

  test('has no amount if its price is on request, is free if it costs nothing, and paid once otherwise, by default', async () => {
    const quoted = await made(QUOTED);
    expect(quoted).toMatchObject({ id: 'an-offer', price: 'on_request' });
    expect(quoted && hasPrice(quoted)).toBe(false);
    expect(quoted).not.toHaveProperty('checkoutUrl');
    expect(await made({ price_usd: '0', cadence: undefined })).toMatchObject({ cadence: 'free' });
    expect(await made({ cadence: undefined })).toMatchObject({ cadence: 'one_time' });
  });
});

describe('prices for people', () => {
  const wheel = soldOffer({
    id: 'wheel',
    currencyOptions: [
      { currency: 'EUR', amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' },
      { currency: 'CHF', amountMinor: 7_000 },
    ],
  });

  test.each([
    ['EUR', ['EUR', 'USD', 'CHF'], 7_500, ['USD'], ['CHF']],
    ['CHF', ['USD', 'CHF', 'EUR'], 8_000, ['EUR'], ['CHF']],
    ['GBP', ['USD', 'EUR', 'CHF'], 8_000, ['EUR'], ['CHF']],
  ])(
    'of readers of %s begin with what the checkout charges, tell what can be paid, and name each once',
    (reader, all, charged, ...others) => {
      expect(statedPrices(wheel, reader).map(({ currency }) => currency)).toEqual(all);
      expect(chargedPrice(wheel, reader)).toMatchObject({ currency: all[0], amountMinor: charged });
      const { payable, stated } = otherPrices(wheel, reader);
      expect([payable, stated].map((prices) => prices.map(({ currency }) => currency))).toEqual(others);
      expect(statedPriceIn(wheel, 'GBP')).toBeUndefined();
    },
  );

  test('are in structured data as far as a checkout charges them, that of the button first', () => {
    const currenciesIn = (display_currency: string): unknown =>
      offerData(publisherOf(['wheel'], { display_currency }), { ...wheel, position: 0, markdown: '' }, undefined)['offers'];
    expect(currenciesIn('CHF')).toMatchObject([{ priceCurrency: 'USD' }, { priceCurrency: 'EUR' }]);
    expect(currenciesIn('EUR')).toMatchObject([{ priceCurrency: 'EUR' }, { priceCurrency: 'USD' }]);
  });
});

test.each([
  [5, { EUR: 4.5 }, 'EUR', '€4.50 or $5'],
  [5, { EUR: 4.5 }, 'USD', '$5 or €4.50'],
  [undefined, { EUR: 0.95, CHF: 1 }, 'USD', '€0.95 or CHF 1'],
  [0.05, {}, 'EUR', '$0.05'],
  [0.29, {}, 'USD', '$0.29'],
  [0.000125, {}, 'USD', '$0.000125'],
])('the prices of a text, %s USD and %j, are for readers of %s: %s', (usd, others, preferred, words) => {
  expect(formatPrices(textPrices(usd, others), preferred).replaceAll('\u00a0', ' ')).toBe(words);
});
