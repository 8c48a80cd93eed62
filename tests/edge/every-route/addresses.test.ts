import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/schemas/problem-details.ts';
import { makeKey } from '../../support/agent-keys.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, isUnknownThing } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { words } from '../../support/words.ts';

const gateway = useEdgeGateway();
const JSON_ONLY = { headers: { Accept: 'application/json' } };
const built = useEdgeGateway(async () => ({ files: await serveBuiltFiles() }));

describe('no operation answers', () => {
  test.each(words`
    /api /api/ /api/v1 /api/v2/agent-gateway/register /api/v1/agent-gateway /api/v1/agent-gateway/ /api/v1/agent-gateway/capsule
    /api/v1/agent-gateway/capsule/ /api/v1/agent-gateway/capsule//lineage /api/v1/agent-gateway/capsule/bm25/lineage/1.0.0
    /api/v1/agent-gateway/capsule/bm25/versions /api/v1/agent-gateway/capsule/a/b/c /api/v1/agent-gateway/Query
    /API/v1/agent-gateway/query /api/v1/agent-gateway%2Fquery /api/v1/agent-gateway/query%00 /api/v1/agent-gateway/query;x
    /api/v1/agent-gateway/query.json /api/v1/agent-gateway/query%20 /api/%zz /api/v1/capsules/public /api/v1/capsules/public/browse/x
    /api/../api/v1/x /api/* /api/:id /api/__proto__ /api/constructor
  `)('at %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      await expectProblem(await built.fetch(path, { ...JSON_ONLY, method }), 'route_not_found');
  });

  test.each(FUNCTION_ROUTES)(
    'at the address of $id with slashes at its end: it leads to the one without',
    async ({ path: address, route, init }) => {
      const [path] = address.split('?');
      for (const slashes of route.answersTrailingSlash ? ['///'] : ['/', '///']) {
        const response = await gateway.fetch(`${path}${slashes}?a=%20b`, { ...init, redirect: 'manual' });
        expect([response.status, response.headers.get('location')]).toEqual([308, `${path}?a=%20b`]);
        expect(await response.text()).toBe('');
        expectSharedHeaders(response.headers);
      }
    },
  );

  test('at a path that is like none, and the refusal names none', async () => {
    // One letter of three makes another protocol. Above the folders of operations, none is likelier than the others.
    for (const path of ['/api/v1/nothing-like-it', '/api/v1/mcq', '/api/v1', '//']) {
      const { detail } = await expectProblem(await gateway.fetch(path, { method: 'POST' }), 'route_not_found');
      expect(detail).toBe('There is no operation at this path.');
    }
  });

  test.each([
    ['POST', '/api/v1/agent-gateway/querry', 'POST', '/api/v1/agent-gateway/query'],
    ['POST', '/api/v1/agent-gateway/Query', 'POST', '/api/v1/agent-gateway/query'],
    ['POST', '/api/v1/query', 'POST', '/api/v1/agent-gateway/query'],
    ['POST', '/api/register', 'POST', '/api/v1/agent-gateway/register'],
    ['GET', '/api/v1/capsules/bm25', 'GET', '/api/v1/agent-gateway/capsule/bm25'],
    ['GET', '/api/v1/agent-gateway/capsules/bm25/linage', 'GET', '/api/v1/agent-gateway/capsule/bm25/lineage'],
    ['GET', '/api/v1/capsules/browse', 'GET', '/api/v1/capsules/public/browse'],
    ['POST', '/api/v1/mcp', 'POST', '/mcp'],
    ['POST', '/api/v2/agent-gateway/query', 'POST', '/api/v1/agent-gateway/query'],
    ['GET', '/api/v1/capsules/public', 'GET', '/api/v1/capsules/public/browse'],
    ['GET', '/api/v1/agent-gateway/keys', 'GET', '/api/v1/agent-gateway/keys/self'],
    ['GET', '/api/v1/agent-gateway/capability', 'GET', '/api/v1/agent-gateway/capabilities'],
  ])('at %s %s, and the refusal names %s %s', async (method, path, meant, target) => {
    const { detail, next_actions } = await expectProblem(await gateway.fetch(path, { method }), 'route_not_found');
    expect(detail).toBe(`There is no operation at this path. Did you mean ${meant} ${target}?`);
    expect(next_actions[0]).toMatchObject({ method: meant, href: `${TEST_BASE_URL}${target}` });
  });

  test.each([
    ['GET', '/api/v1/agent-gateway/serach', '/api/v1/agent-gateway/search'],
    ['POST', '/api/v1/agent-gateway/search', '/api/v1/agent-gateway/search'],
    ['GET', '/serach', '/api/v1/agent-gateway/search'],
  ])('at %s %s, and the first next step keeps the query, unless it may have a key', async (method, path, target) => {
    const stepAt = async (query: string): Promise<string | undefined> => {
      const response = await built.fetch(path + query, { method, ...JSON_ONLY });
      return Problem.parse(await response.json()).next_actions[0]?.href;
    };
    expect(await stepAt('?q=a+b&x[]={|}^')).toBe(`${TEST_BASE_URL}${target}?q=a+b&x%5B%5D=%7B%7C%7D%5E`);
    expect(await stepAt('?q=a&token=mine')).toBe(TEST_BASE_URL + target);
    expect(await stepAt(`?q=${'a'.repeat(2_000)}`)).toBe(TEST_BASE_URL + target);
  });

  test.each(['', '/lineage'])('at the id of no capsule, and the next step is the same request with a known id: %s', async (part) => {
    const at = (id: string): string => `/api/v1/agent-gateway/capsule/${id}${part}${part === '' ? '?version=1.0.0' : ''}`;
    const { next_actions } = await expectProblem(await gateway.fetch(at('bm26')), 'capsule_not_found');
    expect(next_actions[0]?.href).toBe(TEST_BASE_URL + at('bm25'));
  });

  test.each([
    ['/api/v1/acp', '"type":"invalid_request","code":"route_not_found"'],
    ['/api/v1/acp/carts', '"type":"invalid_request","code":"route_not_found"'],
    ['/api/v1/ucp', '"status":"error"'],
    ['/api/v1/ucp/carts/x', '"status":"error"'],
    ['/api/v1/ucp/mcp/x', '"jsonrpc":"2.0","id":null,"error"'],
  ])('at %s, which is answered as its protocol writes errors', async (path, shape) => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS', 'DELETE']) {
      const response = await gateway.fetch(path, { method, headers: { 'Request-Id': 'mine' } });
      expect([response.status, response.headers.get('content-type'), response.headers.get('allow')]).toEqual([
        404,
        'application/json',
        null,
      ]);
      expect(response.headers.get('request-id')).toBe('mine');
      expect(await response.text()).toContain(shape);
    }
  });

  // Each route meets two of the four, the next route the other two.
  test.each(FUNCTION_ROUTES)('at the address of $id with a slash doubled, or with encoded slashes', async ({ id, path, init }) => {
    const turn = FUNCTION_ROUTES.findIndex((each) => each.id === id) % 2;
    const variants = [
      `/${path}`,
      path.replace(/\/([^/]*)$/, '//$1'),
      path.replace(/(.)\/([^/]+)$/, '$1%2F$2'),
      path.replace(/(.)\/([^/]+)$/, '$1%5C$2'),
    ].filter((address, at) => address !== path && at % 2 === turn);
    for (const address of variants) {
      const response = await gateway.fetch(address, init);
      if (response.status === 200) expect(await response.text()).toMatch(/^file /);
      else expect([404, 405]).toContain(response.status);
    }
  });

  test('a key in the path is not repeated in the answer', async () => {
    for (const path of [`/api/v1/${await makeKey()}`, `/api/v1/agent-gateway/capsule/${await makeKey()}`]) {
      for (const method of ['GET', 'DELETE']) {
        const response = await gateway.fetch(path, { method });
        expect(response.status).toBe(401);
        const text = await response.text();
        expect(text).not.toMatch(/akg_test_[0-9A-Za-z]/);
        expect((JSON.parse(text) as { instance: string }).instance).toBe(path.replace(/akg_test_.*/, 'akg_test_*'));
      }
    }
  });

  test('and what is asked for is not repeated in the answer, but for its path', async () => {
    const text = JSON.stringify(await expectProblem(await gateway.fetch('/api/nowhere?api_key=sesame&q=%3Cscript%3E'), 'route_not_found'));
    expect(text).not.toContain('sesame');
    expect(text).not.toContain('<script>');
  });
});

describe('addresses that are no operation and not under /api are the site’s', () => {
  test.each(words`/ /buy /buy/ /nothing /openapiXjson /.well-known/ /.well-known/acp.jso /capsules/bm25 /apis /buy/a/b`)(
    '%s is asked of the files',
    async (path) => {
      const response = await gateway.fetch(path);
      expect([response.status, await response.text()]).toEqual([200, `file ${path}`]);
      expectSharedHeaders(response.headers);
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not', async (method) => {
    await expectProblem(await built.fetch('/nothing', { method }), 'route_not_found');
  });
});

describe('X-Request-Id', () => {
  const REQUESTS: [string, RequestInit][] = [
    ['/api/v1/capsules/public/status', {}],
    ['/api/nowhere', {}],
    ['/api/v1/agent-gateway/query', { method: 'POST' }],
    ['/search?q=bm25', {}],
    [`/buy/${'x'.repeat(3_000)}`, {}],
    ['/api/v1/agent-gateway/query', { method: 'OPTIONS' }],
  ];

  test.each(['Z9_-', '0', 'f'.repeat(64), '3f2504e0-4f89-11d3-9a0c-0305e82c3301'])('"%s" is given back', async (id) => {
    for (const [path, init] of REQUESTS)
      expect((await gateway.fetch(path, { ...init, headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).toBe(id);
  });

  test.each([...words`a.b <script> {"a":1} %0d%0a é`, 'f'.repeat(65), 'two words'])('%s is replaced by a plain one', async (id) => {
    for (const [path, init] of REQUESTS) {
      const response = await gateway.fetch(path, { ...init, headers: { 'X-Request-Id': id } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{24}$/);
      expect(await response.text()).not.toContain(id);
    }
  });

  test.each(FUNCTION_ROUTES)('of the client is not in a response of $id that caches may keep', async ({ path, init }) => {
    const headers = new Headers(init.headers);
    headers.set('X-Request-Id', 'id-of-one-client');
    const response = await built.fetch(path, { ...init, headers });
    const isKept = (init.method ?? 'GET') === 'GET' && response.headers.get('cache-control') !== 'no-store';
    expect(response.headers.get('x-request-id')).toMatch(isKept ? /^[0-9a-f]{24}$/ : /^id-of-one-client$/);
    expect(isKept && (await response.text()).includes('id-of-one-client')).toBe(false);
  });

  test('of the client is not in a page or a file, which caches may keep', async () => {
    for (const path of ['/', '/capsules/bm25', '/capsules/bm25.md', '/docs/', '/.well-known/api-catalog'])
      expect((await built.fetch(path, { headers: { 'X-Request-Id': 'mine' } })).headers.get('x-request-id')).toMatch(/^[0-9a-f]{24}$/);
  });

  test('two ids are not one id', async () => {
    const headers = new Headers([
      ['X-Request-Id', 'one'],
      ['X-Request-Id', 'two'],
    ]);
    expect((await gateway.fetch('/.well-known/x402', { headers })).headers.get('x-request-id')).toMatch(/^[0-9a-f]{24}$/);
  });

  test('without one every request gets another', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await gateway.fetch('/.well-known/x402')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

describe('the address of the service is fixed at build', () => {
  const headers = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'http',
    Forwarded: 'host=evil.example;proto=http',
    'X-Original-URL': '/api/v1/x',
    'X-Rewrite-URL': '/api/v1/x',
  };

  test.each(FUNCTION_ROUTES)('no header changes an address in the answer of $id', async (each) => {
    const { path, init } = each;
    const response = await gateway.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });
    if (!isUnknownThing(each, response.status)) expect(response.status).toBeLessThan(400);
    expect(await response.text()).not.toContain('evil.example');
    expect(JSON.stringify([...response.headers])).not.toContain('evil.example');
  });
});
