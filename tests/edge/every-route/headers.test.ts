import { describe, expect, test } from 'vitest';
import { apiHeaders, fileHeaders, pagePolicy } from '../../../src/http/security-headers.ts';
import { contentUsage } from '../../../src/schemas/content-usage.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { builtGenerated, useEdgeGateway } from '../../support/edge-gateway.ts';
import { FUNCTION_ROUTES, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const { deployment } = await builtGenerated();
const gateway = useEdgeGateway(async () => ({ files: await serveBuiltFiles() }));
const secure = useInProcessGateway({ generated: { deployment: { ...deployment, baseUrl: 'https://knowledge.example' } } });

const SHARED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'strict-transport-security': null,
  'content-usage': contentUsage(deployment.usage),
};
const ANSWER = { ...SHARED, 'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" };
const FILE = { ...SHARED, 'content-security-policy': new Map(fileHeaders(deployment)).get('Content-Security-Policy') };
const PAGE = { ...SHARED, 'content-security-policy': pagePolicy() };

const EXPECTED: Readonly<Record<string, Record<string, string | null | undefined>>> = {
  buyOffer: FILE,
  viewCart: FILE,
  openInvoiceForm: PAGE,
  viewSearch: PAGE,
  viewStatus: PAGE,
  startCheckout: { ...ANSWER, 'referrer-policy': 'no-referrer' },
};

async function securityOf(response: Response): Promise<Record<string, string | null>> {
  await response.arrayBuffer();
  return Object.fromEntries(Object.keys(ANSWER).map((name) => [name, response.headers.get(name)]));
}

describe.each(FUNCTION_ROUTES)('security headers of $id', ({ id, path, init }) => {
  const expected = EXPECTED[id] ?? ANSWER;

  test('on its answer', async () => expect(await securityOf(await gateway.fetch(path, init))).toEqual(expected));

  test('on a refusal, a preflight and a wrong method', async () => {
    expect(await securityOf(await gateway.fetch(`${path}?${'x'.repeat(LIMITS.requestUrlMaxLength)}`, init))).toEqual(ANSWER);
    expect(await securityOf(await gateway.fetch(path, { method: 'OPTIONS' }))).toEqual(ANSWER);
    expect(await securityOf(await gateway.fetch(path, { method: 'DELETE' }))).toEqual(ANSWER);
  });
});

describe('security headers of what is no plain answer', () => {
  test('an unknown address of the API, and an unknown page with its own', async () => {
    expect(await securityOf(await gateway.fetch('/api/v1/nothing'))).toEqual(ANSWER);
    expect(await securityOf(await gateway.fetch('/buy/no-such-offer'))).toEqual(FILE);
  });

  test('a redirect tells the next host nothing of this address', async () => {
    const expected = { ...ANSWER, 'referrer-policy': 'no-referrer' };
    expect(await securityOf(await gateway.fetch(`/buy/${SAMPLE_OFFER.id}?go`))).toEqual(expected);
    expect(await securityOf(await gateway.fetch(`/buy/${SAMPLE_OFFER.alias}`))).toEqual(expected);
  });

  test('304 leaves the policy of the page that is kept as it is', async () => {
    for (const [path, policies] of [
      [`/buy/${SAMPLE_OFFER.id}`, [null, FILE['content-security-policy']]],
      ['/api/v1/capsules/public/browse', [null]],
    ] as const) {
      const first = await gateway.fetch(path);
      await first.arrayBuffer();
      const again = await gateway.fetch(path, { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } });
      expect(again.status).toBe(304);
      expect(policies).toContain((await securityOf(again))['content-security-policy']);
    }
  });

  test('a host of https is kept to https, for a year and without other hosts', async () => {
    for (const path of ['/api/v1/capsules/public/browse', '/api/v1/nothing', `/buy/${SAMPLE_OFFER.id}?go`])
      expect((await securityOf(await secure.fetch(path)))['strict-transport-security']).toBe('max-age=31536000');
    expect(apiHeaders(deployment).map(([name]) => name)).not.toContain('Strict-Transport-Security');
  });
});
