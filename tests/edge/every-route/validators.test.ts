import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES } from '../../support/function-routes.ts';
import { words } from '../../support/words.ts';

const gateway = useSharedGateway();
const GET_ROUTES = FUNCTION_ROUTES.filter(({ route }) => route.method === 'GET');
/** Without those that files answer. */
const UNCACHED_ROUTES = FUNCTION_ROUTES.filter(({ id, route }) => route.cache === 'no-store' && id !== 'buyOffer' && id !== 'viewCart');
const CACHED_ROUTES = GET_ROUTES.filter(({ route }) => route.cache !== 'no-store');
/** Headers that an answer without a body cannot have, and those that differ from answer to answer. */
const VARYING = new Set(['content-length', 'transfer-encoding', 'x-request-id', 'ratelimit', 'date']);
const comparable = ({ headers }: Response): [string, string][] => [...headers].filter(([name]) => !VARYING.has(name));
/** A 304 has no policy of its own: a browser would put it in the place of the policy of the answer that it kept. */
const POLICY = 'content-security-policy';

test('an answer is kept as long as its route says', () => {
  const ids = (seconds: number): string[] => CACHED_ROUTES.filter(({ route }) => route.cache === seconds).map(({ id }) => id);
  expect([60, 300].map(ids)).toEqual([
    words`getCapabilities getCapsule getCapsuleLineage getRelatedCapsules verifyQuote browseCapsules listChanges getIntake discoverOffers`,
    words`searchKnowledge getX402Descriptor getOpenApi getMcpResource askSite getAgentCard getUcpProfile getPaymentKeys searchAsTyped`,
  ]);
});

test.each(UNCACHED_ROUTES)('$id is kept by nobody, and no validator has a say', async ({ path, init }) => {
  const headers = new Headers(init.headers);
  // A shared service keeps its clock.
  headers.delete(NOW_HEADER);
  headers.set('If-None-Match', '*');
  const response = await gateway.fetch(path, { ...init, headers });
  expect([response.status === 304, response.headers.get('cache-control'), response.headers.get('etag')]).toEqual([
    false,
    expect.stringMatching(/^(?:private, )?no-store$/),
    null,
  ]);
  await response.arrayBuffer();
});

test.each(
  CACHED_ROUTES.filter(
    ({ route }) => new Set(route.responses.filter(({ status }) => status === 200).map(({ content }) => content?.type)).size > 1,
  ),
)('$id has several forms, and says so to caches', async ({ path }) => {
  expect((await gateway.fetch(path)).headers.get('vary')?.split(/,\s*/)).toContain('Accept');
});

describe.each(CACHED_ROUTES)('$id answers conditional requests', ({ path, route }) => {
  test('the entity tag is strong, is made of the body, and stays the same', async () => {
    const [first, again] = await Promise.all([gateway.fetch(path), gateway.fetch(path)]);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe(`public, max-age=${route.cache}`);
    const body = await first.text();
    expect(first.headers.get('etag')).toBe(`"${(await sha256Hex(body)).slice(0, 32)}"`);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await again.text()).toBe(body);
  });

  // tests/unit/http/content-negotiation.test.ts has every form of If-None-Match.
  test('304 for its own tag, with the headers of 200 and no body', async () => {
    const whole = await gateway.fetch(path);
    const etag = whole.headers.get('etag') ?? '';
    for (const header of [etag, `"x",W/"y",W/${etag}`]) {
      const response = await gateway.fetch(path, { headers: { 'If-None-Match': header } });
      expect([header, response.status, await response.text()]).toEqual([header, 304, '']);
      expect(comparable(response)).toEqual(comparable(whole).filter(([name]) => name !== POLICY));
      expectSharedHeaders(response.headers);
    }
  });

  test('200 for any other tag', async () => {
    const etag = (await gateway.fetch(path)).headers.get('etag') ?? '';
    for (const header of ['"x"', etag.slice(1, -1)]) {
      const response = await gateway.fetch(path, { headers: { 'If-None-Match': header } });
      expect([header, response.status]).toEqual([header, 200]);
      await response.arrayBuffer();
    }
  });

  test('a conditional HEAD is answered like the GET', async () => {
    const etag = (await gateway.fetch(path)).headers.get('etag') ?? '';
    const response = await gateway.fetch(path, { method: 'HEAD', headers: { 'If-None-Match': etag } });
    expect([response.status, await response.text()]).toEqual([304, '']);
  });
});

describe.each(GET_ROUTES)('$id answers HEAD', ({ path, route }) => {
  test('with the headers of GET and no body', async () => {
    const [get, head] = [await gateway.fetch(path), await gateway.fetch(path, { method: 'HEAD' })];
    expect(head.status).toBe(get.status);
    expect(comparable(head)).toEqual(comparable(get));
    expect(await head.text()).toBe('');
    expect(await get.text()).not.toBe('');
  });

  test('and refuses it like GET, without a body', async () => {
    const response = await gateway.fetch(`${path}?${'x'.repeat(LIMITS.requestUrlMaxLength)}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([414, '']);
    expect(response.headers.get('content-type')).toBe(route.protocol ? 'application/json' : 'application/problem+json');
  });
});
