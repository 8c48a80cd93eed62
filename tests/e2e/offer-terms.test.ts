import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UCP_VERSION } from '../../src/protocols/ucp/ucp-schemas.ts';
import { INVOICE_REQUESTS_PATH, PATHS } from '../../src/schemas/paths.ts';
import { ENGLISH } from '../../src/text/strings/interface-strings.ts';
import { ACP_SESSIONS, acpCart, acpHeaders } from '../support/acp.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { useBuiltService } from '../support/built-publication.ts';
import { structuredData, withoutTags } from '../support/page-text.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';
import { UCP_AGENT } from '../support/ucp.ts';

const PUBLISHER = `name: Boathouse
tagline: What a boat needs
description: Reviews of boats and letters about tides, for people who sail along the coast and repair their boats themselves.
base_url: https://boathouse-on-the-river.com
checkout_host: https://pay.boathouse-on-the-river.com
contact_email: post@boathouse-on-the-river.com
commerce: { acp: true, ucp: true }
updated: 2026-11-01
`;

/** The file of an offer. @param terms Further lines of its front matter. */
const offerFile = (name: string, terms: string): string =>
  `---\nname: ${name}\nsummary: Everything about ${name.toLowerCase()}, written down by people who sail.\nupdated: 2026-11-01\n${terms}---\nWe look at the hull, the mast and the papers.\n`;

const REVIEW = { id: 'boat-review', name: 'Review of a boat', price: '$120 once', delivery: 'A report by e-mail within 5 working days.' };
const LETTER = { id: 'tide-letter', name: 'Letter about tides', price: '$19 a month', delivery: 'By post on the first Monday of a month.' };
const SOLD = [REVIEW, LETTER];

const FILES: Readonly<Record<string, string>> = {
  [REVIEW.id]: offerFile(REVIEW.name, `price_usd: 120\naliases: [hull-check]\ncheckout: /boat-review\ndelivery: ${REVIEW.delivery}\n`),
  [LETTER.id]: offerFile(LETTER.name, `price_usd: 19\ncadence: monthly\ncheckout: /tide-letter\ndelivery: ${LETTER.delivery}\n`),
  'knot-course': offerFile('Course in knots', 'price_usd: 40\ncheckout: /knot-course\ndemo: true\n'),
  'mast-check': offerFile('Check of a mast', 'price_usd: 60\ncheckout: /mast-check\nvalid_until: 2026-11-23\n'),
  'old-chart': offerFile('Chart of the old harbour', 'price_usd: 30\ncheckout: /old-chart\ndiscontinued: 2026-10-01\n'),
  'new-hull': offerFile('Hull built to order', 'price: on request\n'),
};

/** Offers that cannot be bought, with the reason that everything gives. */
const UNSOLD = [
  ['mast-check', '"Check of a mast" was sold until 2026-11-23.'],
  ['old-chart', '"Chart of the old harbour" was discontinued on 2026-10-01.'],
  ['new-hull', '"Hull built to order" has no fixed price: the publisher quotes it on request.'],
] as const;

const MISSPELT = 'boat-reviw';
const SUGGESTION = 'Did you mean "boat-review"?';

describe('the terms of offers', () => {
  const files = Object.fromEntries(Object.entries(FILES).map(([id, text]) => [`content/offers/${id}.md`, text]));
  const service = useBuiltService('offers', { 'content/publisher.yaml': PUBLISHER, ...files });
  const { tool } = service;
  const read = (path: string): Promise<string> => readFile(join(service.folder('edge'), path), 'utf8');

  const get = async (path: string, type = 'application/json'): Promise<string> =>
    (await service.fetch(path, { headers: { Accept: type } })).text();
  const postJson = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> =>
    (await service.post(path, body, headers)).text();
  const resultOf = (json: string, name: string): string => {
    const { results = [], offers = [] } = JSON.parse(json) as { results?: object[]; offers?: object[] };
    return JSON.stringify(
      [...results, ...offers].find((one) => JSON.stringify(one).includes(name)) ?? `no result is about ${name}: ${json}`,
    );
  };
  const a2a = (query: string): Promise<string> => service.a2a({ skill: 'find_offer', query });

  it.each(SOLD)('are the same on every surface, with price, cadence and delivery: $id', async ({ id, name, price, delivery }) => {
    const [, amount = '', cadence = ''] = /^\$(\d+) (.*)$/.exec(price) ?? [];
    const member = { once: 'one_time', 'a month': 'monthly' }[cadence] ?? '';
    const q = encodeURIComponent(name);
    const page = await read(`buy/${id}.html`);
    const twin = await read(`buy/${id}.md`);
    const llms = await read('llms.txt');
    const catalog = await read('offers.json');
    const search = await get(`/api/v1/agent-gateway/search?q=${q}`);
    const fetched = (await tool('fetch', { id: `/buy/${id}` })).text;
    const asMember = [amount, member, delivery];
    const asSentence = [`Price of ${name}: ${price}.`, delivery];
    const surfaces: readonly (readonly [string, string, readonly string[]])[] = [
      ['search', resultOf(search, name), [...asMember, '"available":true']],
      ['search as markdown', await get(`/api/v1/agent-gateway/search?q=${q}`, 'text/markdown'), asSentence],
      ['/ask', resultOf(await get(`/ask?query=${q}`), name), asSentence],
      ['A2A', await a2a(name), asSentence],
      ['MCP search', resultOf((await tool('search', { query: name })).text, name), [...asMember, '"available":true']],
      ['MCP query', resultOf((await tool('query', { query: name, kind: ['offer'] })).text, name), asMember],
      ['MCP fetch', fetched, [...asSentence, ...asMember, '"available":true']],
      ['MCP offers', resultOf((await tool('offers', {})).text, name), [...asMember, '"available":true']],
      ['catalog', resultOf(catalog, name), [...asMember, '"available":true']],
      ['catalog of ACP', resultOf(await get('/api/v1/acp/discover'), name), asMember],
      ['catalog of UCP', await postJson(`${PATHS.ucp}/catalog/lookup`, { ids: [id] }, UCP_AGENT), asMember],
      ['page', withoutTags(page), [`$${amount}`, cadence, delivery]],
      ['page as markdown', twin, [amount, cadence, delivery]],
      ['structured data', structuredData(page).join('\n'), [`"price":${amount}`, `${price}.`, delivery]],
      ['llms.txt', llms.split('\n').find((line) => line.includes(`/buy/${id}.md`)) ?? '', [`Price: ${price}.`, delivery]],
    ];
    const unsaid = surfaces.flatMap(([surface, text, words]) =>
      words.filter((word) => !text.includes(word)).map((word) => `${surface} does not say ${word}: ${text.slice(0, 900)}`),
    );
    expect(unsaid).toEqual([]);
    for (const [surface, text] of surfaces)
      if (surface === '/ask' || surface === 'A2A')
        expect([surface, text.split(`Price of ${name}`).length - 1 <= (surface === '/ask' ? 3 : 1)]).toEqual([surface, true]);
  });

  it.each([`price of the ${REVIEW.name}`, `How much is a ${REVIEW.name}?`, REVIEW.name])(
    'are what is quoted when somebody asks "%s"',
    async (question) => {
      const { results } = JSON.parse(await get(`/api/v1/agent-gateway/search?q=${encodeURIComponent(question)}`)) as {
        results: { id?: string; quote: { text: string } }[];
      };
      const quote = results.find(({ id }) => id === REVIEW.id)?.quote.text ?? '';
      expect(quote).toContain(`Price of ${REVIEW.name}: ${REVIEW.price}.`);
      expect(quote).not.toContain('http');
    },
  );

  const openEverywhere = async (id: string): Promise<Record<string, { readonly opened: boolean; readonly text: string }>> => {
    const items = [{ item: { id }, quantity: 1 }];
    const ucp = await service.post(`${PATHS.ucp}/checkout-sessions`, { line_items: items }, UCP_AGENT);
    const acp = await service.post(ACP_SESSIONS, acpCart(id), await acpHeaders());
    const mcp = await tool('checkout', { items: [{ id }] });
    const call = {
      name: 'create_checkout',
      arguments: { meta: { 'ucp-agent': { profile: 'https://agent.example/p' } }, checkout: { line_items: items } },
    };
    const ucpMcp = await postJson(PATHS.ucpMcp, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const cart = await service.fetch(`/checkout?items=${id}:1`, { headers: { Accept: 'application/json' } });
    const started = await service.post('/checkout', { items: `${id}:1` });
    const link = await service.fetch(`/buy/${id}:1`, { headers: { Accept: 'application/json' } });
    const opened = (response: Response): boolean => response.status < 400;
    return {
      acp: { opened: opened(acp), text: await acp.text() },
      ucp: { opened: ucp.status === 201, text: await ucp.text() },
      mcp: { opened: !mcp.isError, text: mcp.text },
      'ucp over mcp': {
        opened: (JSON.parse(ucpMcp) as { result?: { isError?: boolean } }).result?.isError === false,
        text: ucpMcp.replaceAll('\\"', '"').replaceAll('\\\\', ''),
      },
      cart: { opened: opened(cart), text: await cart.text() },
      checkout: { opened: opened(started), text: await started.text() },
      link: { opened: opened(link), text: await link.text() },
    };
  };

  it.each(UNSOLD)('%s is refused everywhere, with the same reason', async (id, reason) => {
    const said = JSON.stringify(reason).slice(1, -1);
    for (const [where, { opened, text }] of Object.entries(await openEverywhere(id))) {
      // The link of an offer that is quoted leads to its page, which has the form.
      if (where === 'link' && id === 'new-hull') continue;
      expect([where, opened, text.includes(said) || text.includes(reason) ? reason : text]).toEqual([where, false, reason]);
    }
    expect(await postJson(`${PATHS.ucp}/catalog/product`, { id }, UCP_AGENT)).toContain(said);
    const page = await get(`/checkout?items=${id}:1`, 'text/html');
    expect(page.replaceAll('&quot;', '"').replaceAll('&#34;', '"')).toContain(reason);
  });

  it('an offer on request can be asked for, and no other that is not sold', async () => {
    const invoice = (id: string) => ({ items: [{ id, quantity: 1 }], name: 'Ada', email: 'ada@agents.com' });
    expect((await service.post(INVOICE_REQUESTS_PATH, invoice('new-hull'))).status).toBe(201);
    expect(await postJson(INVOICE_REQUESTS_PATH, invoice('mast-check'))).toContain('was sold until 2026-11-23');
  });

  it('a form for an invoice and a cart name each offer that cannot be bought, with the reason', async () => {
    for (const path of ['/invoice', '/checkout']) {
      const page = await get(`${path}?items=nope:1,old-chart:1,mast-check:1,knot-course:1`, 'text/html');
      const text = page.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
      expect(text).toContain('We don’t sell an offer called “nope”.');
      expect(text).toContain('"Chart of the old harbour" was discontinued on 2026-10-01.');
      expect(text).toContain('"Check of a mast" was sold until 2026-11-23.');
    }
  });

  it('an unknown offer is answered everywhere with the one that may have been meant', async () => {
    const answers = await openEverywhere(MISSPELT);
    const texts = {
      ...Object.fromEntries(Object.entries(answers).map(([where, { text }]) => [where, text])),
      page: await get(`/buy/${MISSPELT}`),
      invoice: await postJson(INVOICE_REQUESTS_PATH, { items: [{ id: MISSPELT, quantity: 1 }], name: 'Ada', email: 'ada@agents.com' }),
      lookup: await postJson(`${PATHS.ucp}/catalog/lookup`, { ids: [MISSPELT] }, UCP_AGENT),
      product: await postJson(`${PATHS.ucp}/catalog/product`, { id: MISSPELT }, UCP_AGENT),
      fetch: (await tool('fetch', { id: `/buy/${MISSPELT}` })).text,
    };
    for (const [where, { opened }] of Object.entries(answers)) expect([where, opened]).toEqual([where, false]);
    expect(Object.entries(texts).filter(([, text]) => !text.replaceAll('\\"', '"').includes(SUGGESTION))).toEqual([]);
    expect((await tool('fetch', { id: 'hull-check' })).text).toContain(REVIEW.price);
    expect(await get(`/checkout?items=${MISSPELT}:1`, 'text/html')).toContain('Did you mean <a href="/buy/boat-review">boat-review</a>?');
  });

  it('an available offer opens in every protocol, and a payment of the checkout over MCP completes it', async () => {
    for (const [where, { opened, text }] of Object.entries(await openEverywhere(REVIEW.id)))
      expect([where, opened, text.includes(ENGLISH.offers.demoOffer)]).toEqual([where, true, false]);
    const { tools } = await service.client().listTools();
    expect(tools.map(({ name }) => name)).toContain('checkout');
    const opened = JSON.parse((await tool('checkout', { items: [{ id: 'hull-check' }] })).text) as Record<string, string>;
    expect(opened).toMatchObject({
      status: 'requires_escalation',
      total_minor: 12_000,
      currency: 'USD',
      pay_url: `https://pay.boathouse-on-the-river.com/boat-review?client_reference_id=${opened['checkout_id']}`,
    });
    const paid = await service.fetch(PATHS.stripeWebhook, signedMessage(checkoutCompleted(opened['checkout_id'] ?? '', 12_000)));
    expect(await paid.json()).toMatchObject({ outcome: 'applied' });
    const read = JSON.parse((await tool('checkout', { checkout_id: opened['checkout_id'] })).text) as Record<string, string>;
    expect(read).toMatchObject({ status: 'completed', order_url: expect.stringContaining(`${TEST_BASE_URL}/orders/`) as unknown });
    for (const args of [{ items: [{ id: REVIEW.id, quantity: 2 }] }, { items: [] }, {}, { checkout_id: 'cs_none' }])
      expect((await tool('checkout', args)).isError).toBe(true);
  });

  it('a demonstration opens everywhere and says the same, and nothing calls it available', async () => {
    const id = 'knot-course';
    for (const [where, { opened, text }] of Object.entries(await openEverywhere(id))) {
      expect([where, opened]).toEqual([where, true]);
      if (['acp', 'ucp', 'mcp', 'ucp over mcp'].includes(where)) {
        expect([where, text.includes(ENGLISH.offers.demoOffer)]).toEqual([where, true]);
        expect(text).not.toMatch(/\bpays (?:at|on)\b/);
      }
    }
    const name = 'Course in knots';
    const llms = await read('llms.txt');
    const texts = {
      page: (await read(`buy/${id}.html`)).replaceAll(/\s+/g, ' '),
      llms: llms.split('\n').find((line) => line.includes(`/buy/${id}.md`)) ?? '',
      ask: resultOf(await get(`/ask?query=${encodeURIComponent(name)}`), name),
      a2a: await a2a(name),
      markdown: await get(`/api/v1/agent-gateway/search?q=${encodeURIComponent(name)}`, 'text/markdown'),
      fetch: (await tool('fetch', { id })).text,
    };
    expect(Object.entries(texts).filter(([, text]) => !text.includes(ENGLISH.offers.demoOffer))).toEqual([]);
    for (const json of [
      resultOf(await get(`/api/v1/agent-gateway/search?q=${encodeURIComponent(name)}`), name),
      resultOf(await read('offers.json'), name),
      resultOf((await tool('offers', {})).text, name),
      resultOf((await tool('search', { query: name })).text, name),
    ]) {
      expect(json).toContain('"available":false');
      expect(json).toContain('"demo":true');
    }
  });

  it('an offer whose last day has passed is not called available by what knows the day', async () => {
    expect(resultOf((await tool('offers', {})).text, 'Check of a mast')).toContain('"available":false');
    expect(await postJson(`${PATHS.ucp}/catalog/search`, { query: 'mast' }, UCP_AGENT)).not.toContain('mast-check');
    expect(await a2a('Check of a mast')).toContain('On sale until 2026-11-23.');
  });

  it('no message of an error says a sentence twice', async () => {
    const key = bearer(await makeKey({ scopes: ['read'] }));
    const json = { 'Content-Type': 'application/json' };
    const sent: readonly (readonly [string, unknown, Record<string, string>])[] = [
      [ACP_SESSIONS, {}, {}],
      [ACP_SESSIONS, { line_items: [{ id: MISSPELT }, { id: MISSPELT }] }, await acpHeaders()],
      [ACP_SESSIONS, '{', await acpHeaders()],
      [ACP_SESSIONS, acpCart(REVIEW.id), { ...(await acpHeaders()), ...key }],
      [ACP_SESSIONS, acpCart(REVIEW.id), key],
      [ACP_SESSIONS, { ...acpCart('mast-check'), currency: 'xyz' }, await acpHeaders()],
      [`${ACP_SESSIONS}/cs_none/complete`, {}, {}],
      [`${ACP_SESSIONS}/cs_none/cancel`, {}, await acpHeaders()],
      [`${PATHS.ucp}/checkout-sessions`, {}, {}],
      [`${PATHS.ucp}/checkout-sessions`, {}, UCP_AGENT],
      [`${PATHS.ucp}/checkout-sessions`, { line_items: [MISSPELT, 'mast-check'].map((id) => ({ item: { id }, quantity: 1 })) }, UCP_AGENT],
      [
        `${PATHS.ucp}/checkout-sessions`,
        { line_items: [MISSPELT, MISSPELT].map((id) => ({ item: { id }, quantity: 1 })) },
        { ...UCP_AGENT, 'UCP-Version': UCP_VERSION },
      ],
      [`${PATHS.ucp}/catalog/lookup`, { ids: [MISSPELT] }, UCP_AGENT],
      [PATHS.ucpMcp, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_checkout', arguments: {} } }, {}],
      ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'checkout', arguments: { items: [{ id: MISSPELT }] } } }, {}],
      ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'checkout', arguments: { item: 1 } } }, {}],
      ['/mcp', { jsonrpc: '2.0', id: 1, method: 'nothing' }, {}],
      ['/a2a', { jsonrpc: '2.0', id: 1, method: 'nothing' }, {}],
      ['/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }, {}],
      [`${PATHS.gateway}/query`, {}, {}],
      [`${PATHS.gateway}/query`, { querry: 1, max_results: 'x' }, key],
      [`${PATHS.gateway}/register`, { scopes: 'buy' }, {}],
      [`${PATHS.agentKeys}/rotate`, { scopes: ['buy'] }, key],
      [INVOICE_REQUESTS_PATH, {}, {}],
      [INVOICE_REQUESTS_PATH, { items: [{ id: MISSPELT, quantity: 1 }], name: '', email: 'x' }, {}],
      ['/checkout', { items: 'x' }, {}],
      ['/ask', {}, {}],
    ];
    const doubled: string[] = [];
    for (const [path, body, headers] of sent) {
      const text = await postJson(path, body, { ...json, ...headers });
      expect([path, /"(?:detail|message|content|error)"/.test(text) ? '' : text]).toEqual([path, '']);
      for (const message of textsOf(JSON.parse(text))) {
        const sentences = message.split(/(?<=[.?!])\s+/).map((sentence) => sentence.replace(/^Also: /, ''));
        const faults = sentences.filter((sentence, at) => sentence.length > 8 && sentences.indexOf(sentence) !== at);
        doubled.push(...faults.map((fault) => `${path}: ${fault} | ${message}`));
        // A header or member that a message names as missing is named once.
        const missing = [...message.matchAll(/([\w-]+|\/[\w/]+) is missing/g)].map(([, name]) => name);
        doubled.push(...missing.filter((name, at) => missing.indexOf(name) !== at).map((name) => `${path}: ${name} | ${message}`));
      }
    }
    expect(doubled).toEqual([]);
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return [value];
    try {
      return textsOf(JSON.parse(value));
    } catch {
      return [value];
    }
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
