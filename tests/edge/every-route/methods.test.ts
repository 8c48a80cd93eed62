import { describe, expect, test } from 'vitest';
import type { Route } from '../../../src/http/define-route.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectRefusal, expectSharedHeaders } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { words } from '../../support/words.ts';

const gateway = useSharedGateway();
const bare = useInProcessGateway({ kv: 'unbound', state: 'unbound', signingSecrets: undefined });
const isAt = (path: string, route: Route): boolean => path === route.path || path === route.formPath;
const allowed = (path: string): string => {
  const methods: string[] = FUNCTION_ROUTES.filter(({ route }) => isAt(path, route)).map(({ route }) => route.method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
};

describe.each(FUNCTION_ROUTES)('$id 405 method_not_allowed', ({ path, route }) => {
  const wrong = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY', 'PURGE'].filter(
    (method) => !allowed(route.path).split(', ').includes(method),
  );

  test.each(wrong)('%s is refused, and Allow lists what is taken', async (method) => {
    const response = await gateway.fetch(path, { method });
    expect(response.headers.get('allow')).toBe(allowed(route.path));
    if (method === 'HEAD') expect([response.status, await response.text()]).toEqual([405, '']);
    else if (route.protocol) await expectRefusal(response, 'method_not_allowed', route);
    else {
      const { next_actions } = await expectProblem(response, 'method_not_allowed');
      const [address = ''] = path.split('?');
      // The two searches lead to each other: tests/edge/every-route/mistakes.test.ts.
      if (['queryKnowledge', 'searchKnowledge'].includes(route.id)) return;
      const meant = FUNCTION_ROUTES.filter((each) => isAt(route.path, each.route)).map((each) => each.route);
      expect(next_actions.slice(0, -1)).toEqual(
        meant.map(({ summary, method: own }) => ({
          description: `${summary}.`,
          ...(own === 'PUT' ? {} : { method: own, href: TEST_BASE_URL + (own === 'GET' ? path : address) }),
        })),
      );
    }
  });

  test('a method in a header is of no effect', async () => {
    const response = await gateway.fetch(path, {
      method: 'DELETE',
      headers: { 'X-HTTP-Method-Override': route.method, 'X-Method-Override': route.method },
    });
    await expectRefusal(response, 'method_not_allowed', route);
  });
});

describe.each(FUNCTION_ROUTES)('$id answers preflight requests', ({ path, route }) => {
  test('OPTIONS names methods and headers to every origin, without a key and without any binding', async () => {
    for (const service of [gateway, bare]) {
      const response = await service.fetch(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://agent.example',
          'Access-Control-Request-Method': route.method,
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(response.headers.get('allow')).toBe(allowed(route.path));
      expect(response.headers.get('access-control-allow-methods')).toBe(allowed(route.path));
      expect(response.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'X-Request-Id']),
      );
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expectSharedHeaders(response.headers);
    }
  });

  test('an answer to another origin can be read there, with its headers', async () => {
    const response = await gateway.fetch(path, { method: 'PATCH', headers: { Origin: 'https://agent.example' } });
    for (const name of ['Allow', 'Retry-After', 'RateLimit', 'ETag', 'WWW-Authenticate', 'X-Request-Id', 'Content-Location'])
      expect(response.headers.get('access-control-expose-headers')).toContain(name);
  });
});

describe('a page or a file of the site', () => {
  const site = useSharedGateway({ files: 'built' });

  test.each([...words`/ /capsules /capsules/bm25 /capsules/bm25.md /docs/quickstart /AGENTS.md /.well-known/api-catalog /buy`])(
    '%s names its methods to every other one',
    async (path) => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        // Its length is not known, so that it is sent in chunks.
        const body = new Blob(['x'.repeat(1_000)]).stream();
        const response = await site.fetch(path, { method, body, duplex: 'half' } as RequestInit);
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
        const { next_actions } = await expectProblem(response, 'method_not_allowed');
        expect(next_actions[0]).toMatchObject({ method: 'GET', href: `${TEST_BASE_URL}${path}` });
      }
      const preflight = await site.fetch(path, { method: 'OPTIONS' });
      expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expect((await site.fetch(path)).headers.get('allow')).toBeNull();
    },
  );

  test.each(['/nothing', '/capsules/nothing.md', '/llms.txt/'])('that does not exist is not found by any method: %s', async (path) => {
    for (const method of ['POST', 'OPTIONS', 'DELETE']) await expectProblem(await site.fetch(path, { method }), 'route_not_found');
  });
});

test('OPTIONS at an address without an operation is not found', async () => {
  await expectProblem(await gateway.fetch('/api/v1/nothing', { method: 'OPTIONS' }), 'route_not_found');
});
