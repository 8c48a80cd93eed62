import { describe, expect, test } from 'vitest';
import { missingPolicyPages } from '../../../src/publication/check/check-offers.ts';
import { makeOffers } from '../../../src/publication/publish/make-offers.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { words } from '../../support/words.ts';
import { capsule, type Files, offer, problemsOf, publisher, TODAY, writeWorld } from './content-world.ts';

const OFFER = 'offers/an-offer.md';
const FAR = 'must be a path or an address on checkout_host, https://checkout.example; all checkouts of a publication are on that origin';
const FORM = 'must be a path such as /demo/example-review, or an https address on the checkout host, with other characters written as %XX';
const two = (first: Record<string, string>, second: Record<string, string>): Files => ({
  'publisher.yaml': publisher({}, ['an-offer', 'b-offer']),
  [OFFER]: offer(first),
  'offers/b-offer.md': offer(second),
});

const BASE_URL_FORM =
  '4 base_url: must be an https address such as https://docs.example.com, with a path if the site is below one, as in https://ada.github.io/notes';

describe('an offer is refused', () => {
  test.each<[fields: Record<string, string | undefined>, problems: string[]]>([
    [{ checkout: 'https://evil.example/' }, [`7 checkout: ${FAR}`]],
    [{ checkout: '//checkout.example/x' }, [`7 checkout: ${FAR}`]],
    [{ checkout: '/\\evil.example' }, [`7 checkout: ${FORM}`]],
    // Characters that a browser leaves as they are and the pattern of published addresses does not take.
    [{ checkout: "'/pay?plan=a|b'" }, [`7 checkout: ${FORM}`]],
    [{ checkout: "'/pay?plan={id}'" }, [`7 checkout: ${FORM}`]],
    [{ checkout: "'/pay?a[]=^1'" }, [`7 checkout: ${FORM}`]],
    [{ checkout: 'http://checkout.example/' }, [`7 checkout: ${FORM}`]],
    [{ checkout: '"/a b"' }, [`7 checkout: ${FORM}`]],
    [{ checkout: '"/\\t/evil.example"' }, [`7 checkout: ${FORM}`]],
    [{ demo: 'false' }, ['8 demo: must be true, because nothing can be paid on the reserved name https://checkout.example']],
    [{ demo: undefined }, ['1 demo: must be true, because nothing can be paid on the reserved name https://checkout.example']],
    [
      { checkout: '{ USD: /a }', demo: undefined },
      ['1 demo: must be true, because nothing can be paid on the reserved name https://checkout.example'],
    ],
    [{ route: '/contact' }, ['14 route: must be a route under /buy/, such as /buy/example-review']],
    [{ route: 'https://tests.example/buy/an-offer' }, ['14 route: must be a route under /buy/, such as /buy/example-review']],
    [{ route: '/buy/../contact' }, ['14 route: must be a route under /buy/, such as /buy/example-review']],
    [{ route: '/buy/other' }, ["14 route: must be /buy/an-offer or the route of one of this offer's aliases"]],
    [{ price_usd: '-1' }, ['5 price_usd: must not be below 0']],
    [{ price_usd: '19.999' }, ['5 price_usd: must have at most two decimals']],
    [{ price_usd: '0.001' }, ['5 price_usd: must have at most two decimals']],
    [{ price_usd: '1000000' }, ['5 price_usd: must be below 1,000,000']],
    [{ price_usd: '"100"' }, ['5 price_usd: must be a number of US dollars such as 450 or 19.50']],
    [{ price_usd: '$100' }, ['5 price_usd: must be a number of US dollars such as 450 or 19.50']],
    [{ price_usd: '.inf' }, ['5 price_usd: must be a number of US dollars such as 450 or 19.50']],
    [{ price_usd: '.nan' }, ['5 price_usd: must be a number of US dollars such as 450 or 19.50']],
    [{ price_usd: '0' }, ['5 price_usd: is 0; set the cadence to "free", or a price']],
    [{ cadence: 'free' }, ['5 price_usd: must be 0, because the cadence is "free"']],
    [{ cadence: 'weekly' }, ['6 cadence: must be one of free, one_time, monthly, annual']],
    [{ updated: '2026-11-22' }, ['13 updated: 2026-11-22 is in the future; use a date until today']],
    [
      { valid_until: '2026-11-20' },
      ['12 valid_until: 2026-11-20 has passed; set a later date, or write "discontinued: 2026-11-20" if it is no longer sold'],
    ],
    [{ aliases: '[invoice]' }, ['14 aliases[0]: "invoice" is a reserved name; choose another alias']],
    [{ aliases: '[an-offer]' }, ['14 aliases[0]: "an-offer" is the id of an offer; choose another alias']],
    [{ aliases: '[a, a]' }, ['14 aliases[1]: "a" is an alias of the offer "an-offer" too; choose another one']],
    [
      { aliases: '[A]' },
      ['14 aliases[0]: must be lower-case letters and digits in groups joined by single hyphens, such as "http-caching"'],
    ],
    [{ features: '[Only one thing]' }, ['9 features: names 1 feature; name 2 to 8']],
    [{ summary: 'Too short.' }, ['3 summary: has 10 characters; write 40 to 240']],
    [{ refund: undefined, valid_until: undefined }, ['1 refund: is missing', '1 valid_until: is missing']],
    [{ name: undefined, title: 'An offer' }, ['13 title: is not a known field. Did you mean "name"? Write `name: An offer`']],
    [{ name: undefined }, ['1 name: is missing']],
    [{ currency: 'EUR' }, ['14 currency: is not a known field; check its spelling, or delete it']],
  ])('with %j', async (fields, problems) => {
    expect(await problemsOf({ [OFFER]: offer(fields) })).toEqual(problems.map((problem) => `${OFFER}:${problem}`));
  });

  test('that takes the reserved name invoice', async () => {
    expect(await problemsOf({ [OFFER]: undefined, 'offers/invoice.md': offer(), 'publisher.yaml': publisher({}, ['invoice']) })).toEqual([
      'offers/invoice.md:1 has the reserved name "invoice"; rename the file',
    ]);
  });

  test('that shares an alias with another one, or takes its id', async () => {
    expect(await problemsOf(two({ aliases: '[shared]' }, { aliases: '[shared, an-offer]' }))).toEqual([
      'offers/b-offer.md:14 aliases[0]: "shared" is an alias of the offer "an-offer" too; choose another one',
      'offers/b-offer.md:14 aliases[1]: "an-offer" is the id of an offer; choose another alias',
    ]);
  });

  test('for many faults at once, in one run, in a fixed order', async () => {
    const files = {
      ...two(
        { price_usd: '19.999', cadence: 'weekly', checkout: 'ftp://x' },
        { checkout: 'https://evil.example/', updated: '2027-01-01', route: '/buy/x' },
      ),
      'capsules/a-capsule.md': capsule({ updated: '2026-12-24' }),
    };
    expect(await problemsOf(files)).toEqual([
      'capsules/a-capsule.md:10 updated: 2026-12-24 is in the future; use a date until today',
      `${OFFER}:5 price_usd: must have at most two decimals`,
      `${OFFER}:6 cadence: must be one of free, one_time, monthly, annual`,
      `${OFFER}:7 checkout: ${FORM}`,
      `offers/b-offer.md:7 checkout: ${FAR}`,
      'offers/b-offer.md:13 updated: 2027-01-01 is in the future; use a date until today',
      "offers/b-offer.md:14 route: must be /buy/b-offer or the route of one of this offer's aliases",
    ]);
  });
});

describe('an offer is taken', () => {
  test.each<[fields: Record<string, string>]>([
    [{ checkout: 'https://checkout.example/demo/x?plan=1' }],
    [{ aliases: '[short]', route: '/buy/short' }],
    [{ route: '/buy/an-offer' }],
    [{ price_usd: '0', cadence: 'free' }],
    [{ price_usd: '19.99' }],
    [{ price_usd: '999999' }],
    [{ updated: '2026-11-21', valid_until: '2026-11-21' }],
  ])('with %j', async (fields) => {
    expect(await problemsOf({ [OFFER]: offer(fields) })).toEqual([]);
  });

  test('without the flag for a demonstration on a host that can be paid', async () => {
    expect(
      await problemsOf({ [OFFER]: offer({ demo: 'false' }), 'publisher.yaml': publisher({ checkout_host: 'https://buy.shop.com' }) }),
    ).toEqual([]);
    expect(await problemsOf({ [OFFER]: offer({ demo: 'false' }) }, { checkoutHost: 'https://buy.shop.com' })).toEqual([]);
  });
});

describe('an offer without house rules', () => {
  const easy = (offers: string): Files => ({ 'publisher.yaml': publisher({ editorial: undefined, offers }) });
  const own = { name: 'Winter service', price_usd: '90', checkout: '/demo/winter', demo: 'true' };
  const short = `---\n${Object.entries(own)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}---\n\nWe clean and oil your *bicycle*. Bring it early.\n\n- Brakes\n`;

  async function readOffer(files: Files): Promise<unknown> {
    const { content } = await readContent(await writeWorld({ [OFFER]: short, ...files }), { today: TODAY });
    return content && makeOffers(content.offers, content.publisher)[0];
  }

  test('needs a name and a price; the rest comes from its text and its file, and terms that nobody states are absent', async () => {
    const offer = await readOffer(easy('{}'));
    expect(offer).toMatchObject({ name: 'Winter service', summary: 'We clean and oil your bicycle. Bring it early.', features: [] });
    expect(offer).toMatchObject({ updated: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string });
    for (const name of ['category', 'delivery', 'refund', 'validUntil']) expect(offer).not.toHaveProperty(name);
  });

  test('has the terms of publisher.yaml where it states none', async () => {
    const offers = '{ category: service, delivery: Within a week., refund: Until we begin., valid_until: 2027-12-31 }';
    expect(await readOffer(easy(offers))).toMatchObject({
      category: 'service',
      delivery: 'Within a week.',
      refund: 'Until we begin.',
      validUntil: '2027-12-31',
    });
  });

  test('is refused with a last day of sale of publisher.yaml that has passed, where that stands', async () => {
    const problems = await problemsOf({ [OFFER]: short, ...easy('{ valid_until: 2026-01-01 }') });
    expect(problems).toEqual(['publisher.yaml:11 offers.valid_until: 2026-01-01 has passed; set a later date, or delete it']);
  });
});

describe('dates and sources of a capsule are refused', () => {
  test.each<[fields: Record<string, string>, problems: string[]]>([
    [
      { created: '2026-11-22', updated: '2026-11-22' },
      ['9 created: 2026-11-22 is in the future; use a date until today', '10 updated: 2026-11-22 is in the future; use a date until today'],
    ],
    [{ created: '2026-11-10', updated: '2026-11-09' }, ['10 updated: 2026-11-09 must not be before created, 2026-11-10']],
    [
      { retracted: '{ date: 2030-01-01, reason: It should no longer be relied on. }' },
      ['12 retracted.date: 2030-01-01 is in the future; use a date until today'],
    ],
    [
      { sources: '[{ key: one, title: A source, url: "https://a.example/", publisher: IETF, kind: paper, retrieved: 2027-01-01 }]' },
      ['11 sources[0].retrieved: 2027-01-01 is in the future; use a date until today'],
    ],
    [
      { sources: '[{ key: one, title: A source, url: "http://a.example/", publisher: IETF, kind: paper }]' },
      ['11 sources[0].url: must begin with https://'],
    ],
    [
      { sources: `[{ key: one, title: A source, url: "https://a.example/", publisher: IETF, kind: paper, quote: '"It rattles."' }]` },
      ['11 sources[0].quote: is in quotation marks, which pages add; write the words alone'],
    ],
    [
      {
        sources: `[{ key: one, title: A source, url: "https://a.example/", publisher: IETF, kind: paper, quote: ${'x'.repeat(501)}, locator: "" }]`,
      },
      ['11 sources[0].locator: has no value; write one', '11 sources[0].quote: must have at most 500 characters'],
    ],
  ])('with %j', async (fields, problems) => {
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule(fields) })).toEqual(
      problems.map((problem) => `capsules/a-capsule.md:${problem}`),
    );
  });
});

test('a file that an offer delivers is missed beside other mistakes of the offer', async () => {
  const delivers = '[{ kind: file, name: book, title: The book, file: gone.pdf }, { kind: nonsense }]';
  const problems = await problemsOf({ [OFFER]: offer({ cadence: 'weekly', delivers }) });
  expect(problems).toEqual(
    expect.arrayContaining([
      `${OFFER}:6 cadence: must be one of free, one_time, monthly, annual`,
      expect.stringMatching(/:\d+ delivers\[0\]\.file: content\/deliveries\/gone\.pdf is missing or cannot be read$/),
      expect.stringContaining('delivers[1]'),
    ]),
  );
  expect(problems).toHaveLength(3);
});

describe('passes and credit that an offer delivers', () => {
  const PAID = { 'capsules/sold.md': capsule({ access: 'paid', price_usd: '1', tags: '[agents, payments]' }) };
  const payments = '{ stripe_profile: profile_1AbC }';
  const acp = '{ acp: true }';
  test.each<[delivers: string, problem: RegExp]>([
    ['{ kind: pass, days: 0 }', /delivers\[0\]\.days: must be at least 1/],
    ['{ kind: pass, days: 3661 }', /delivers\[0\]\.days: must be at most 3[,]?660/],
    ['{ kind: pass, tag: Payments }', /delivers\[0\]\.tag: /],
    ['{ kind: pass, tag: payment }', /delivers\[0\]\.tag: no paid capsule has the tag "payment"; check its spelling$/],
    ['{ kind: pass, tags: [payments] }', /delivers\[0\]/],
    ['{ kind: pass }, { kind: pass, days: 1 }', /delivers\[1\]\.kind: "pass" is delivered twice; give one delivery another name$/],
    ['{ kind: credit }', /delivers\[0\]\.cents: /],
    ['{ kind: credit, cents: 0 }', /delivers\[0\]\.cents: must be at least 1/],
    ['{ kind: credit, cents: 9.5 }', /delivers\[0\]\.cents: /],
    ['{ kind: credit, cents: 1000001 }', /delivers\[0\]\.cents: must be at most 1,?000,?000/],
    ['{ kind: credit, cents: 5, days: 0 }', /delivers\[0\]\.days: must be at least 1/],
  ])('are refused: %s', async (delivers, problem) => {
    const files = { ...PAID, 'publisher.yaml': publisher({ payments, commerce: acp }), [OFFER]: offer({ delivers: `[${delivers}]` }) };
    const problems = await problemsOf(files);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test.each(['pass', 'credit, cents: 1000'])('need a paid capsule, payments and, for credit, a protocol: %s', async (kind) => {
    const sold = { [OFFER]: offer({ delivers: `[{ kind: ${kind} }]` }) };
    const open = (settings: Readonly<Record<string, string>>) => ({ 'publisher.yaml': publisher(settings) });
    expect(await problemsOf({ ...sold, ...open({ payments, commerce: acp }) })).toEqual([
      expect.stringMatching(/delivers\[0\]\.kind: opens nothing: no capsule is paid$/),
    ]);
    expect(await problemsOf({ ...sold, ...PAID, ...open({ payments, commerce: acp }) })).toEqual([]);
    expect(await problemsOf({ ...sold, ...PAID, ...open({ commerce: acp }) })).toContainEqual(
      expect.stringMatching(/delivers\[0\]\.kind: is for paid capsules, which need "payments"/),
    );
    expect(await problemsOf({ ...sold, ...PAID, ...open({ payments, commerce: '{ acp: false, ucp: false }' }) })).toEqual(
      kind === 'pass' ? [] : [expect.stringMatching(/delivers\[0\]\.kind: is spent by keys .*"acp" or "ucp"/)],
    );
  });
});

describe('publisher.yaml is refused', () => {
  const offers = (fields: string): string => publisher({ offers: fields });
  test.each<[name: string, text: string | undefined, problems: string[]]>([
    ['when it is missing', undefined, ['1 is missing; it says who publishes and where']],
    [
      'when it names an offer that is not there',
      offers('{ order: [an-offer, gone], recommended_first: gone, recommended_quick: an-offer, fast_paid_starts: [an-offer] }'),
      [
        '11 offers.order[1]: names the offer "gone", which does not exist; check its spelling',
        '11 offers.recommended_first: names the offer "gone", which does not exist; check its spelling',
      ],
    ],
    [
      'when it names an offer twice',
      offers('{ order: [an-offer, an-offer], recommended_first: an-offer, recommended_quick: an-offer, fast_paid_starts: [an-offer] }'),
      ['11 offers.order: lists the offer "an-offer" 2 times; list it once'],
    ],
    [
      'when its checkout is its own host',
      publisher({ checkout_host: 'https://tests.example' }),
      ['6 checkout_host: must be another origin than base_url'],
    ],
    [
      'when its checkout is on its own host',
      publisher({ base_url: 'https://checkout.example/notes' }),
      ['6 checkout_host: must be another origin than base_url'],
    ],
    ['when its address has a path that leads upwards', publisher({ base_url: 'https://tests.example/a/../b' }), [BASE_URL_FORM]],
    ['when its address has two slashes', publisher({ base_url: 'https://tests.example//notes' }), [BASE_URL_FORM]],
    ['when its address has a query', publisher({ base_url: 'https://tests.example/notes?x' }), [BASE_URL_FORM]],
    ['when its address names the usual port', publisher({ base_url: 'https://tests.example:443' }), [BASE_URL_FORM]],
    ['when its address has no such port', publisher({ base_url: 'https://tests.example:99999' }), [BASE_URL_FORM]],
    [
      'when another currency is named',
      publisher({ currency: 'EUR' }),
      ['8 currency: must be USD: every price is stated in it; offers state further ones in "prices"'],
    ],
  ])('%s', async (_name, text, problems) => {
    expect(await problemsOf({ 'publisher.yaml': text })).toEqual(problems.map((problem) => `publisher.yaml:${problem}`));
  });

  test.each([
    ['in its first line', ` ${publisher()}`, 'publisher.yaml:1', 'name: Tests'],
    ['below comments', `# Who publishes\n\n ${publisher()}`, 'publisher.yaml:3', 'name: Tests'],
    ['further down', publisher().replace('\nbase_url', '\n base_url'), 'publisher.yaml:4', 'base_url: https://tests.example'],
  ])('when a field is indented %s, at that line', async (_where, text, place, field) => {
    expect(await problemsOf({ 'publisher.yaml': text })).toEqual([
      `${place} is not valid YAML: the field is indented too far; begin it in the column of the other fields. The line is \`${field}\``,
    ]);
  });

  test('for all its mistakes at once, and each of them once', async () => {
    const text = publisher({
      contact_email: 'nobody',
      currency: 'EUR',
      payments: '{ pay_to: x, network: y, facilitator: z }',
      footer: '{ text: 1 }',
      checkout_host: 'http://checkout.example',
      look: '{ logo: /missing.svg }',
      offers: '{ recommended_first: gone }',
      colour: 'blue',
    });
    const problems = await problemsOf({ 'publisher.yaml': text });
    expect(problems.map((problem) => problem.split(' ')[1])).toEqual([
      ...words`
        checkout_host: contact_email: currency: offers.recommended_first: payments.facilitator: payments.network: payments.pay_to:
        footer.text: look.logo: colour:
      `,
    ]);
  });

  test('without mistakes in other files that follow from its own', async () => {
    const files = { 'publisher.yaml': publisher({ checkout_host: 'http://checkout.example', base_url: 'nowhere' }) };
    expect((await problemsOf(files)).map((problem) => problem.split(' ')[0])).toEqual(['publisher.yaml:4', 'publisher.yaml:6']);
  });

  test('but not for an offer that is there and has a fault of its own', async () => {
    expect(await problemsOf({ [OFFER]: offer({ cadence: 'weekly' }) })).toEqual([
      `${OFFER}:6 cadence: must be one of free, one_time, monthly, annual`,
    ]);
  });

  test.each([
    'tests.example',
    'http://tests.example',
    'https://tests.example/a//',
    'https://tests.example:443',
    'https://user@tests.example',
    'HTTPS://tests.example',
    'https://tests.example?x',
    'javascript:alert(1)',
  ])('when it is overridden by BASE_URL=%s', async (baseUrl) => {
    expect(await problemsOf({}, { baseUrl })).toEqual([
      `publisher.yaml:4 base_url: is overridden by BASE_URL=${baseUrl}, which is not an https address such as https://docs.example.com`,
    ]);
  });

  test.each(['http://127.0.0.1:8788', 'http://localhost:3000', 'https://preview.pages.dev', 'https://ada.github.io/notes/', '', undefined])(
    'never when it is overridden by BASE_URL=%s',
    async (baseUrl) => {
      expect(await problemsOf({}, { baseUrl })).toEqual([]);
    },
  );

  test.each(['http://127.0.0.1:9', 'http://pay.example', 'pay.example', 'https://pay.example/x'])(
    'when the checkout is overridden by CHECKOUT_HOST=%s',
    async (checkoutHost) => {
      expect(await problemsOf({}, { checkoutHost })).toEqual([
        `publisher.yaml:6 checkout_host: is overridden by CHECKOUT_HOST=${checkoutHost}, which is not an https origin such as https://docs.example.com`,
      ]);
    },
  );

  test('when an override makes both origins one', async () => {
    expect(await problemsOf({}, { baseUrl: 'https://checkout.example' })).toEqual([
      'publisher.yaml:6 checkout_host: must be another origin than base_url',
    ]);
  });
});

test('warns at the first offer of pages about terms and refunds that nobody wrote', () => {
  const files = ['content/offers/b.md', 'content/offers/a.md'];
  expect(missingPolicyPages(files, new Set(['terms']))).toMatchObject([
    { file: 'content/offers/a.md', line: 1, level: 'warning', message: expect.stringContaining('write content/pages/refunds.md') },
  ]);
  expect(missingPolicyPages(files, new Set(['terms', 'refunds']))).toEqual([]);
  expect(missingPolicyPages([], new Set())).toEqual([]);
});
