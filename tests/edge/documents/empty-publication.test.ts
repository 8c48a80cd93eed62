import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taggedDocuments } from '../../../src/documents/make-documents.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { makePublication } from '../../support/sample-content.ts';
import { offer, publisher, writeWorld } from '../../unit/publication/content-world.ts';

function gatewayOf(offers: Readonly<Record<string, string>>) {
  return useInProcessGateway(async () => {
    const root = await mkdtemp(join(tmpdir(), 'akg-empty-'));
    await writeWorld(
      {
        'publisher.yaml': publisher({ checkout_host: undefined, offers: undefined, commerce: '{ acp: true, ucp: true }' }),
        'capsules/a-capsule.md': undefined,
        'offers/an-offer.md': undefined,
        ...offers,
      },
      root,
    );
    const { content, problems } = await readContent(root, { today: new Date().toISOString().slice(0, 10), baseUrl: TEST_BASE_URL });
    await rm(root, { recursive: true });
    if (content === undefined) throw new Error(JSON.stringify(problems));
    const { publication, generation } = await makePublication(content, { mode: 'edge' });
    const { version, manifest, blocks } = generation;
    return {
      generated: { deployment: publication.deployment, generation: { version, manifest }, documents: await taggedDocuments(publication) },
      blocks,
    };
  });
}

describe('a publication without capsules and offers', () => {
  const gateway = gatewayOf({});

  test('finds nothing, and knows the words of a query for what they are', async () => {
    const response = await gateway.post(`${PATHS.gateway}/query`, { query: 'truing the wheel' }, bearer(await makeKey()));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      results: [],
      page: { total: 0, total_is_exact: true, has_more: false },
      meta: { interpretation: { unknown: ['truing', 'wheel'], ignored: ['the'] }, suggestions: [] },
    });
  });

  test('lists nothing, and is in order', async () => {
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/browse`)).json()).toMatchObject({ items: [], page: { total: 0 } });
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/changes`)).json()).toMatchObject({ changes: [], total: 0 });
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/status`)).json()).toMatchObject({
      status: 'ok',
      corpus: { capsules: 0 },
      checks: ['query', 'capsule', 'index', 'keys', 'database'].map((name) => ({ name, ok: true })),
    });
    expect((await gateway.fetch(`${PATHS.gateway}/capsule/bm25`)).status).toBe(404);
  });

  test('declares no protocol of commerce', async () => {
    expect(await (await gateway.fetch(PATHS.acpWellKnown)).json()).toMatchObject({
      capabilities: { services: [], supported_currencies: [] },
    });
    expect((await gateway.fetch(`${PATHS.ucp}/catalog/search`)).status).toBe(404);
  });

  test('answers at the addresses of a shop', async () => {
    expect(await (await gateway.fetch(PATHS.checkout)).text()).toBe('file /checkout');
    for (const path of [PATHS.invoice, PATHS.buyInvoice])
      expect(await (await gateway.fetch(path)).json()).toMatchObject({ page: 'invoice', props: { offers: [] } });
    const refused = await gateway.post('/api/v1/commerce/invoice-requests', {
      items: [{ id: 'wheel', quantity: 1 }],
      name: 'Ada',
      email: 'ada@buyer.example',
    });
    expect(await refused.json()).toMatchObject({ code: 'offer_not_found' });
  });
});

describe('a publication whose only offer is on request', () => {
  const gateway = gatewayOf({
    'offers/fleet.md': offer({ price_usd: undefined, cadence: undefined, checkout: undefined, price: 'on request', aliases: '[company]' }),
  });

  test('has its page, to which every way to a checkout leads', async () => {
    expect(await (await gateway.fetch('/buy/fleet')).text()).toBe('file /buy/fleet');
    for (const path of ['/buy/fleet?go', '/buy/fleet:1'])
      expect((await gateway.fetch(path, { redirect: 'manual' })).headers.get('location')).toBe(`${TEST_BASE_URL}/buy/fleet`);
    expect((await gateway.fetch('/buy/company', { redirect: 'manual' })).status).toBe(302);
  });

  test('takes a request for a quote, whose page has no price', async () => {
    const form = await (await gateway.fetch(`${PATHS.invoice}?items=company:2`)).json();
    expect(form).toMatchObject({ props: { values: { 'quantity.fleet': '2' } } });
    const sent = { items: [{ id: 'fleet', quantity: 2 }], name: 'Ada', email: 'ada@buyer.example' };
    const response = await gateway.post('/api/v1/commerce/invoice-requests', sent);
    expect(response.status).toBe(201);
    const request = (await response.json()) as { url: string };
    expect(request).toMatchObject({ kind: 'invoice_request', lines: [{ offer_id: 'fleet', quantity: 2 }], total_minor: 0 });
    const page = await gateway.fetch(new URL(request.url).pathname, { headers: { Accept: 'application/json' } });
    expect(await page.json()).toEqual(request);
  });
});
