import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Registration } from '../../../src/schemas/agents.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { BROWSER, expectPage, giveBack, makeOrder, SAMPLE_PRICE } from '../../support/carts.ts';
import { builtGenerated, NOW_HEADER, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { NO_RECEIPT, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { paidEdge, paidSite } from '../../support/paid-site.ts';
import { PUBLICATION } from '../../support/paths.ts';

const site = await paidSite();
const { generated } = site;
const TEXT = 'The words that were bought.';

const offers = generated.deployment.offers.map((offer) =>
  offer.id !== SAMPLE_OFFER.id
    ? offer
    : {
        ...offer,
        delivers: [
          { kind: 'text' as const, name: 'words', title: 'Words', text: TEXT },
          { kind: 'capsule' as const, capsule: site.capsuleId },
          { kind: 'capsule' as const, capsule: 'no-such-capsule' },
          { kind: 'limit' as const, days: 30 },
        ],
      },
);
const shop = useEdgeGateway(async () => ({
  ...(await paidEdge('http://127.0.0.1:1')),
  generated: { ...generated, deployment: { ...generated.deployment, offers } },
  files: await serveBuiltFiles(),
}));
const gateway = useSharedGateway({ files: 'built' });
const withoutBlocks = useInProcessGateway({ blocks: 'none' });

describe('getDelivery 200 application/octet-stream', () => {
  test('hands over the file as it lies in content/deliveries, again and again', async () => {
    const { order } = await makeOrder(gateway);
    const file = await readFile(join(PUBLICATION, 'content/deliveries/evidence-review-questions.md'), 'utf8');
    for (let time = 0; time < 2; time += 1) {
      const response = await gateway.fetch(`${order}/questions`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown']);
      expect(await response.text()).toBe(file);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="evidence-review-questions.md"');
    }
  });

  test('the file is no file of the site', async () => {
    const { deployment } = await builtGenerated();
    const [delivery] = deployment.offers.find(({ id }) => id === SAMPLE_OFFER.id)?.delivers ?? [];
    if (delivery?.kind !== 'file') throw new Error('the sample offer delivers no file');
    const files = await serveBuiltFiles();
    for (const path of [`/b/${delivery.sha256}`, `/deliveries/${delivery.fileName}`, `/content/deliveries/${delivery.fileName}`])
      expect((await files(new Request(`http://127.0.0.1${path}`))).status).toBe(404);
  });
});

test('getDelivery 200 text/plain: hands over a text', async () => {
  const { order } = await makeOrder(shop);
  expect(await (await shop.fetch(`${order}/words`)).text()).toBe(TEXT);
});

test('getDelivery 200 text/markdown: hands over the text of a paid capsule without a further payment', async () => {
  const { order } = await makeOrder(shop);
  const response = await shop.fetch(`${order}/${site.capsuleId}`);
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', await response.arrayBuffer())).toString('hex');
  expect(await (await shop.fetch(`/api/v1/capsules/public/browse?limit=100`)).text()).toContain(digest);
});

test('the page of an order that delivers a paid capsule shows the text with its sources, to whoever has the address, until all of it is refunded', async () => {
  const { session, order } = await makeOrder(shop);
  const read = async (): Promise<string> => {
    const response = await shop.fetch(order, { headers: BROWSER });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    return expectPage(response, 200);
  };
  const markdown = await (await shop.fetch(`${order}/${site.capsuleId}`)).text();
  const [sentence = ''] = /^[A-Z][^.|[]*\./.exec(markdown) ?? [];
  const page = await read();
  expect(page).toContain(`<p>${sentence}`);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
  for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
  expect(ids).toContain('text-1-source-1');
  await giveBack(shop, session, SAMPLE_PRICE - 1);
  expect(await read()).toContain(sentence);
  await giveBack(shop, session, SAMPLE_PRICE);
  expect(await read()).not.toContain(sentence);
});

test('getDelivery 200 application/json: hands over one key with the raised limit, which a refund takes back', async () => {
  const { session, order } = await makeOrder(shop);
  const key = Registration.parse(await (await shop.fetch(`${order}/key`)).json());
  expect(Registration.parse(await (await shop.fetch(`${order}/key`)).json())).toEqual(key);
  const ask = (): Promise<Response> =>
    shop.post('/api/v1/agent-gateway/query', { query: 'bm25' }, { Authorization: `Bearer ${key.api_key}` });
  const answered = await ask();
  expect([answered.status, answered.headers.get('RateLimit-Policy')]).toEqual([200, expect.stringContaining('"query_raised";q=480')]);
  await giveBack(shop, session, SAMPLE_PRICE);
  expect((await ask()).status).toBe(401);
});

test('getDelivery 410 delivery_withdrawn: nothing is handed over once the whole price was paid back', async () => {
  const { session, order } = await makeOrder(gateway);
  await giveBack(gateway, session, SAMPLE_PRICE - 1);
  expect((await gateway.fetch(`${order}/questions`)).status).toBe(200);
  await giveBack(gateway, session, SAMPLE_PRICE);
  await expectProblem(await gateway.fetch(`${order}/questions`), 'delivery_withdrawn');
  await expectProblem(await gateway.fetch(`${order}/nope`), 'order_not_found');
});

describe('getDelivery of a key that its buyer rotated', () => {
  const MINUTE_MS = 60_000;
  const at = (ms: number): Record<string, string> => ({ [NOW_HEADER]: String(Date.now() + ms) });
  const keyOf = async (response: Response): Promise<string> => ((await response.json()) as { api_key: string }).api_key;
  const change = (what: 'rotate' | 'revoke', key: string, body: object, ms = 0): Promise<Response> =>
    shop.post(`/api/v1/agent-gateway/keys/${what}`, body, { Authorization: `Bearer ${key}`, ...at(ms) });
  /** What the address of the key, the order as JSON and its page say at a time. */
  const seen = async (order: string, ms: number) => {
    const delivery = await shop.fetch(`${order}/key`, { headers: at(ms) });
    const json = await (await shop.fetch(order, { headers: { Accept: 'application/json', ...at(ms) } })).text();
    const page = await (await shop.fetch(order, { headers: { ...BROWSER, ...at(ms) } })).text();
    return [delivery.status, json.includes(`${order}/key`), page.includes(`${order}/key`)];
  };
  const GONE = [410, false, false];

  test('it is handed out at no time again: not at once, not while both keys work, and not after', async () => {
    const { order } = await makeOrder(shop);
    const key = await keyOf(await shop.fetch(`${order}/key`));
    expect(await seen(order, 0)).toEqual([200, true, true]);
    expect((await change('rotate', key, { overlap_minutes: 60 })).status).toBe(201);
    for (const minutes of [0, 1, 30, 59, 60, 61, 600]) expect([minutes, await seen(order, minutes * MINUTE_MS)]).toEqual([minutes, GONE]);
  });

  test('while nobody can say whether it was rotated, it is not handed out', async () => {
    const { order } = await makeOrder(shop);
    const key = await keyOf(await shop.fetch(`${order}/key`));
    expect((await change('rotate', key, { overlap_minutes: 60 })).status).toBe(201);
    const database = await shop.running().miniflare.getD1Database('STATE');
    await database.exec('ALTER TABLE revocations RENAME TO revocations_away');
    try {
      await expectProblem(await shop.fetch(`${order}/key`), 'state_unavailable');
      await expectProblem(await shop.fetch(order, { headers: { Accept: 'application/json' } }), 'state_unavailable');
      expect((await shop.fetch(`${order}/words`)).status).toBe(200);
    } finally {
      await database.exec('ALTER TABLE revocations_away RENAME TO revocations');
    }
    expect(await seen(order, 0)).toEqual(GONE);
  });
});

test('a browser gets a page for each refusal of a delivery', async () => {
  const { session, order } = await makeOrder(gateway);
  const page = async (path: string, status: number): Promise<string> => expectPage(await gateway.fetch(path, { headers: BROWSER }), status);
  expect(await page(`${order}/nope`, 404)).toContain('<h1>Delivery not found</h1>');
  await giveBack(gateway, session, SAMPLE_PRICE);
  expect(await page(`${order}/questions`, 410)).toContain('<h1>This delivery is no longer available</h1>');
});

test('getDelivery 404 order_not_found: nobody has this receipt, or the order does not deliver this', async () => {
  await expectProblem(await gateway.fetch(`/orders/${NO_RECEIPT}/questions`), 'order_not_found');
  const { order } = await makeOrder(gateway);
  for (const name of ['key', 'constructor', 'questions.md'])
    await expectProblem(await gateway.fetch(`${order}/${name}`), 'order_not_found');
});

test('getDelivery 404 capsule_not_found: the capsule is not published any more', async () => {
  const { order } = await makeOrder(shop);
  await expectProblem(await shop.fetch(`${order}/no-such-capsule`), 'capsule_not_found');
});

test('getDelivery 400 invalid_request: what is much too long for a receipt', async () => {
  await expectProblem(await gateway.fetch(`/orders/${'a'.repeat(65)}/questions`), 'invalid_request');
});

test('getDelivery 503 index_unavailable: the store of files is empty', async () => {
  const { order } = await makeOrder(withoutBlocks);
  await expectProblem(await withoutBlocks.fetch(`${order}/questions`), 'index_unavailable');
});
