import { expect, test } from 'vitest';
import * as z from 'zod';
import { AcpDiscovery, commerceDiscovery } from '../../../src/protocols/acp/acp.ts';
import { ACP_VERSION } from '../../../src/protocols/acp/acp-schemas.ts';
import { X402Descriptor } from '../../../src/protocols/x402/x402.ts';
import { catalogSchema } from '../../../src/schemas/commerce/offers.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway({ files: 'built' });
const textAt = async (path: string): Promise<string> => {
  const response = await gateway.fetch(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expectSharedHeaders(response.headers);
  return response.text();
};
const catalogAt = async (path: string) => catalogSchema(deployment).parse(JSON.parse(await textAt(path)));

async function expectAnswer(address: string): Promise<void> {
  expect(address.startsWith(`${TEST_BASE_URL}/`)).toBe(true);
  const response = await gateway.fetch(address.slice(TEST_BASE_URL.length));
  await response.arrayBuffer();
  expect([address, response.status]).toEqual([address, 200]);
}

test('getAcpDiscovery 200 application/json: it is the closed object of the protocol and declares no service that is not there', async () => {
  const discovery = AcpDiscovery.parse(JSON.parse(await textAt('/.well-known/acp.json')));
  expect(discovery.protocol.version).toBe(ACP_VERSION);
  expect(discovery.api_base_url).toBe(`${TEST_BASE_URL}/api/v1/acp`);
  expect(discovery.capabilities.services).toEqual(['checkout']);
  // The service promises this address; without a version of the protocol it refuses, which only it does.
  const promised = await gateway.fetch(`${discovery.api_base_url.slice(TEST_BASE_URL.length)}/checkout_sessions`, { method: 'POST' });
  expect(await promised.json()).toMatchObject({ code: 'missing_api_version' });
  await expectAnswer(discovery.protocol.documentation_url);
});

test('getX402Descriptor 200 application/json: it is of the published form, has a JSON type without an ending in its address, and lists nothing that cannot be paid', async () => {
  const descriptor = z.strictObject(X402Descriptor.shape).parse(JSON.parse(await textAt('/.well-known/x402')));
  expect(descriptor.resources).toEqual([]);
  await expectAnswer(descriptor.docs);
});

test('discoverOffers 200 application/json: it lists the offers of the catalog in its order, and documents that answer', async () => {
  const discovery = commerceDiscovery(deployment).parse(JSON.parse(await textAt('/api/v1/acp/discover')));
  const catalog = await catalogAt('/offers.json');
  expect(discovery.offers.map(({ id, price, price_usd }) => [id, price, price_usd])).toEqual(
    catalog.offers.map((offer) => [offer['id'], offer['price'], offer['price_usd']]),
  );
  for (const address of Object.values(discovery.documents)) await expectAnswer(address);
});

test('a document that caches keep repeats no header of whoever asked for it', async () => {
  const { headers } = await gateway.fetch('/api/v1/acp/discover', {
    headers: { 'Idempotency-Key': 'a-key-of-one-agent', 'Request-Id': 'a-request-of-one-agent' },
  });
  expect(headers.get('cache-control')).toContain('max-age');
  expect([headers.get('idempotency-key'), headers.get('request-id')]).toEqual([null, null]);
});

test('getOffers 200 application/json: it satisfies its schema, and every route in it leads to a page', async () => {
  const catalog = await catalogAt('/offers.json');
  expect(catalog.offers.length).toBe(deployment.offers.length);
  for (const offer of catalog.offers) await expectAnswer(String(offer['route_url']));
  for (const address of Object.values(catalog.checkout_routes ?? {})) await expectAnswer(address);
  for (const address of [catalog.buy_page, catalog.checkout_page, catalog.pricing, catalog.buy_json, catalog.$schema])
    await expectAnswer(String(address));
});

test('getBuyCatalog 200 application/json: it has the bytes of the offer catalog', async () => {
  expect(await textAt('/buy.json')).toBe(await textAt('/offers.json'));
});

test('getPricingCatalog 200 application/json: it has the bytes of the offer catalog', async () => {
  expect(await textAt('/pricing.json')).toBe(await textAt('/offers.json'));
});

test('getOffersSchema 200 application/json: it is the schema that the catalog names', async () => {
  const schema = JSON.parse(await textAt('/offers.schema.json')) as { $id: string; $schema: string };
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(schema.$id).toBe((await catalogAt('/offers.json')).$schema);
});
