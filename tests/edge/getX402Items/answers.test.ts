import { describe, expect, test } from 'vitest';
import { X402Descriptor, X402Items } from '../../../src/protocols/x402/x402.ts';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { capsuleApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { NOW_HEADER, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { paidEdge, paidSite } from '../../support/paid-site.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

const site = await paidSite();
const gateway = useInProcessGateway(() => paidEdge(TEST_PAYMENTS.facilitator));
const unpaid = useSharedGateway();

async function documentAt(path: string): Promise<Record<string, unknown>> {
  const response = await gateway.fetch(path);
  expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'application/json']);
  return (await response.json()) as Record<string, unknown>;
}

describe('getX402Items 200 application/json', () => {
  test('says of every capsule that is sold what its challenge says', async () => {
    const items = X402Items.parse(await documentAt(PATHS.x402Json));
    const descriptor = X402Descriptor.parse(await documentAt(PATHS.x402WellKnown));
    expect(items.items.map(({ resource }) => resource.url)).toEqual(descriptor.resources);
    expect(descriptor.resources).toContain(TEST_BASE_URL + capsuleApiPath(site.capsuleId));
    for (const { resource, accepts } of items.items) {
      const response = await gateway.fetch(resource.url.slice(TEST_BASE_URL.length));
      const challenge = (await response.json()) as { resource: unknown; accepts: unknown };
      expect([response.status, challenge.resource, challenge.accepts]).toEqual([402, resource, accepts]);
    }
    expect(items).toMatchObject({ network: TEST_PAYMENTS.network, payTo: TEST_PAYMENTS.payTo, facilitator: TEST_PAYMENTS.facilitator });
  });

  test('says what the API description says of it', async () => {
    const { items, services } = X402Items.parse(await documentAt(PATHS.x402Json));
    const { paths } = (await documentAt(PATHS.openApi)) as { paths: Record<string, { get?: Record<string, unknown> }> };
    const paid = Object.entries(paths).filter(([, { get }]) => get && 'x-payment-info' in get);
    expect(paid.map(([path]) => path)).toEqual(services.map(({ path }) => path));
    for (const [at, [, { get }]] of paid.entries()) {
      expect(get?.['x-payment-info']).toMatchObject({
        intent: 'charge',
        method: 'evm',
        amount: items[at]?.accepts[0]?.amount,
        currency: items[at]?.accepts[0]?.asset,
      });
      expect(Object.keys(get?.['responses'] as object)).toContain('402');
      expect(get?.['security']).toEqual([]);
    }
  });

  test('is not there, and nothing is said to be sold, while payments are off', async () => {
    expect((await unpaid.fetch(`${PATHS.x402Json}`)).status).not.toBe(402);
    expect(X402Descriptor.parse(await (await unpaid.fetch(PATHS.x402WellKnown)).json()).resources).toEqual([]);
    const text = await (await unpaid.fetch(PATHS.openApi)).text();
    expect(text.includes('x-payment-info') || text.includes(PATHS.x402Json)).toBe(false);
    await expectProblem(await unpaid.fetch(capsuleApiPath(site.capsuleId)), 'capsule_not_found');
  });
});

test('getX402Items 414 uri_too_long: an address that is too long is refused', async () => {
  await expectProblem(await gateway.fetch(`${PATHS.x402Json}?${'x'.repeat(LIMITS.requestUrlMaxLength)}`), 'uri_too_long');
});

test('getX402Items 401 api_key_in_url: an address with a key is refused', async () => {
  await expectProblem(await gateway.fetch(`${PATHS.x402Json}?x=akg_test_0123456789`), 'api_key_in_url');
});

test('getX402Items 429 rate_limited: a network that asks too often is told to wait', async () => {
  const headers = { 'CF-Connecting-IP': '203.0.113.9', [NOW_HEADER]: String(Date.UTC(2031, 0, 1)) };
  for (let sent = 0; sent < RATE_LIMITS.network.requests; sent += 1) await gateway.fetch('/api/v1/none', { headers });
  await expectProblem(await gateway.fetch(PATHS.x402Json, { headers }), 'rate_limited');
});

describe('getX402Items 500 internal', () => {
  const broken = useInProcessGateway(async () => {
    const options = await paidEdge(TEST_PAYMENTS.facilitator);
    const { x402_items: _, ...documents } = site.generated.documents;
    return { ...options, generated: { ...options.generated, documents: documents as typeof site.generated.documents } };
  });

  test('a document that the build forgot is a mistake of ours', async () => {
    await expectProblem(await broken.fetch(PATHS.x402Json), 'internal');
  });
});

test('getPaymentKeys 200 application/did+json: has a key for each signing secret, none of which signs lineages', async () => {
  const response = await gateway.fetch(PATHS.paymentKeys);
  const document = (await response.json()) as { id: string; verificationMethod: { id: string; publicKeyJwk: object }[] };
  const did = 'did:web:127.0.0.1%3A8788:api:v1:commerce';
  expect([document.id, document.verificationMethod.map(({ id }) => id)]).toEqual([did, [`${did}#1`]]);
  expect(document.verificationMethod[0]?.publicKeyJwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^[\w-]{43}$/) });
  const publisher = await (await gateway.fetch(PATHS.did)).text();
  expect(publisher).not.toContain(String(Reflect.get(document.verificationMethod[0]?.publicKeyJwk ?? {}, 'x')));
});
