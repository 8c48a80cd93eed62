import { describe, expect, test, vi } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { builtGenerated, NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { BUYING_ROUTES, FUNCTION_ROUTES, isUnknownThing, NO_RECEIPT, NO_SESSION } from '../../support/function-routes.ts';
import { withoutManifest } from '../../support/generations.ts';
import { type InProcessGateway, type InProcessOptions, useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { PROBED_UCP_SESSION } from '../../support/ucp.ts';
import { useEdgeGateway } from '../../support/use-edge-gateway.ts';

const gateway = useEdgeGateway();

describe.each(FUNCTION_ROUTES)('$id 414 uri_too_long', (each) => {
  const { path, init, route } = each;
  const ofLength = (length: number): string => `${path}?${'x'.repeat(length - TEST_BASE_URL.length - path.length - 1)}`;

  test('one character too many is refused, whatever else is right', async () => {
    const { text } = await expectRefusal(await gateway.fetch(ofLength(LIMITS.urlMaxLength + 1), init), 'uri_too_long', route);
    expect(text).toContain(String(LIMITS.urlMaxLength));
  });

  test('the longest address is not too long', async () => {
    const response = await gateway.fetch(ofLength(LIMITS.urlMaxLength), init);
    expect([200, 201, 202, 303, 400, ...(isUnknownThing(each, response.status) ? [404] : [])]).toContain(response.status);
    await response.arrayBuffer();
  });

  test('a very long one does no harm', async () => {
    await expectRefusal(await gateway.fetch(ofLength(12_000), init), 'uri_too_long', route);
  });
});

describe.each(FUNCTION_ROUTES)('$id 429 rate_limited', ({ path, init, route }) => {
  const { requests, windowSeconds } = RATE_LIMITS.network;
  const now = Date.UTC(2031, 0, 1);
  const fromNetwork = (last: number, atMs = now): Record<string, string> => ({
    'CF-Connecting-IP': `203.0.113.${last}`,
    [NOW_HEADER]: String(atMs),
  });
  const send = (headers: Record<string, string>): Promise<Response> =>
    gateway.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });

  // One network is exhausted once, by the first of these tests, and stays so: the clock stands still.
  test('a network that has used up its limit is refused here, told when to come back, and let in then', async () => {
    for (let count = 0; count < requests; count += 1) {
      const response = await gateway.fetch('/api/v1/nothing', { method: 'OPTIONS', headers: fromNetwork(count % 250) });
      await response.arrayBuffer();
      if (response.status === 429) break;
    }
    const response = await send(fromNetwork(77));
    expect(response.headers.get('ratelimit')).toBe('"network";r=0;t=1');
    expect(response.headers.get('ratelimit-policy')).toBe(`"network";q=${requests};w=${windowSeconds}`);
    const { text, retryAfterSeconds } = await expectRefusal(response, 'rate_limited', route);
    expect(retryAfterSeconds).toBe(1);
    expect(text).toMatch(/\\?"network\\?"/);
    expect((await send({ ...fromNetwork(77), 'CF-Connecting-IP': '203.0.114.77' })).status).not.toBe(429);
  });
});

test('the limit of a network is exactly the published one, and comes back evenly', async () => {
  const { requests, windowSeconds } = RATE_LIMITS.network;
  const at = Date.UTC(2032, 0, 1);
  const send = (atMs: number, method = 'GET'): Promise<Response> =>
    gateway.fetch('/.well-known/x402', { method, headers: { 'CF-Connecting-IP': '192.0.2.1', [NOW_HEADER]: String(atMs) } });
  for (let left = requests - 1; left >= 0; left -= 1) {
    const response = await send(at, left % 2 ? 'HEAD' : 'OPTIONS');
    if (!response.headers.get('ratelimit')?.startsWith(`"network";r=${left};`))
      throw new Error(`${left} should be left, but RateLimit is ${response.headers.get('ratelimit')}`);
  }
  const step = (windowSeconds * 1_000) / requests;
  await expectProblem(await send(at), 'rate_limited');
  expect((await send(at + step)).status).toBe(200);
  await expectProblem(await send(at + step), 'rate_limited');
  await expectProblem(await send(at - 3_600_000), 'rate_limited');
});

describe('while a benchmark has lifted the limits', () => {
  const bench = useInProcessGateway(async () => ({
    generated: { deployment: { ...(await builtGenerated()).deployment, rateLimits: 'bench' as const } },
  }));

  test('no limit is counted and none is promised', async () => {
    for (let count = 0; count < RATE_LIMITS.register.requests + 5; count += 1) {
      const response = await bench.post('/api/v1/agent-gateway/register', { agent_name: 'a' }, { 'CF-Connecting-IP': '192.0.2.1' });
      expect([response.status, response.headers.get('ratelimit'), response.headers.get('ratelimit-policy')]).toEqual([201, null, null]);
    }
  });
});

/** For each route a service in which something is as it can never be. */
const FAULTS: readonly {
  readonly ids: readonly string[];
  readonly options: () => Promise<InProcessOptions>;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is done to the running service. */
  readonly prepare?: (service: InProcessGateway) => Promise<void>;
  /** Added to the address of the request. */
  readonly query?: string;
}[] = [
  {
    ids: [
      'getCapabilities',
      'getIntake',
      'getAcpDiscovery',
      'discoverOffers',
      'getX402Descriptor',
      'getOpenApiForAgents',
      'getOpenApi',
      'getUcpProfile',
    ],
    options: async () => ({ generated: { documents: {} as never } }),
  },
  {
    ids: [
      'getCapsule',
      'getCapsuleLineage',
      'getRelatedCapsules',
      'fetchCapsules',
      'browseCapsules',
      'listChanges',
      'queryKnowledge',
      'getStatus',
      'submitProposal',
    ],
    options: withoutManifest,
  },
  {
    // A proposal that was received at no time at all.
    ids: ['getProposal'],
    options: async () => ({}),
    prepare: async ({ fetch, state }) => {
      const sent = FUNCTION_ROUTES.find(({ id }) => id === 'submitProposal');
      if (sent === undefined) throw new Error('nothing can be proposed');
      expect((await fetch(sent.path, sent.init)).status).toBe(202);
      const database = state();
      await database.prepare('UPDATE receipts SET received_at_ms = 9e15').run();
    },
  },
  {
    // A clock that tells no time, and a database that takes what is stored under it.
    ids: ['getChallenge', 'revokeKey'],
    options: async () => ({ generated: { deployment: { ...(await builtGenerated()).deployment, rateLimits: 'bench' } } }),
    headers: { [NOW_HEADER]: 'never' },
    prepare: async ({ state }) => {
      const database = state();
      await database.batch([
        database.prepare('DROP TABLE revocations'),
        database.prepare(
          'CREATE TABLE revocations (sequence INTEGER PRIMARY KEY, agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms)',
        ),
      ]);
    },
  },
  {
    // An agent that registered at no time at all.
    ids: ['getKey'],
    options: async () => ({}),
    prepare: async ({ state }) => {
      const database = state();
      await database
        .prepare("INSERT INTO agents (agent, name, key_id, created_at_ms, expires_at_ms) VALUES ('00000000000000b1', 'n', 'k', 9e15, 9e15)")
        .run();
    },
  },
  {
    // A rotation whose key is in a form that nobody knows.
    ids: ['rotateKey'],
    options: async () => ({}),
    prepare: async ({ fetch, state }) => {
      const sent = FUNCTION_ROUTES.find(({ id }) => id === 'rotateKey');
      if (sent === undefined) throw new Error('nothing can be rotated');
      expect((await fetch(sent.path, sent.init)).status).toBe(201);
      const database = state();
      await database.prepare('UPDATE idempotency SET response = replace(response, \'keyPayload":"01\', \'keyPayload":"99\')').run();
    },
  },
  {
    // No offers, no hosts for events, and a session that has no lines.
    ids: BUYING_ROUTES.map(({ id }) => id),
    options: async () => ({
      generated: {
        deployment: {
          ...(await builtGenerated()).deployment,
          offers: null as never,
          commerce: { acp: true, ucp: true, processor: 'stripe', merchantId: 'acct_1', webhookHosts: null as never },
        },
      },
      stripe: { secretKey: 'sk_test_of_nobody', apiBase: 'http://127.0.0.1:1' },
    }),
    prepare: async ({ state }) => {
      const database = state();
      await database
        .prepare(
          `INSERT OR IGNORE INTO checkout_sessions (id, owner, channel, state, currency, total_minor, content, revision, mark, created_at_ms, updated_at_ms, expires_at_ms) VALUES ('${NO_SESSION}', 'agt_00000000000000ac', 'acp', 'open', 'USD', 1, '{"details":{}}', 1, 'm', 0, 0, 9e15)`,
        )
        .run();
    },
  },
  {
    // No catalog at all, and a session whose lines are no list.
    ids: [
      'searchUcpCatalog',
      'getUcpProducts',
      'getUcpProduct',
      'createUcpCheckout',
      'getUcpCheckout',
      'updateUcpCheckout',
      'completeUcpCheckout',
      'cancelUcpCheckout',
      'callUcpTool',
    ],
    options: async () => ({ generated: { deployment: { ...(await builtGenerated()).deployment, offers: null as never } } }),
    prepare: async ({ state }) => {
      const database = state();
      await database
        .prepare(
          "INSERT OR REPLACE INTO checkout_sessions VALUES (?1, 'ucp', 'ucp', 'open', 'USD', 0, '{\"lines\":{},\"details\":{}}', 1, 'm', 1, 1, 9e15)",
        )
        .bind(PROBED_UCP_SESSION)
        .run();
    },
  },
  {
    // An order without lines.
    ids: ['getOrder', 'getDelivery'],
    options: async () => ({}),
    prepare: async ({ state }) => {
      const database = state();
      await database.batch([
        database.prepare(
          "INSERT OR IGNORE INTO checkout_sessions VALUES ('cs_1', 'page', 'page', 'completed', 'USD', 0, '{}', 1, 'm', 1, 1, 1)",
        ),
        database
          .prepare(
            "INSERT OR IGNORE INTO orders (id, receipt, session_id, total_minor, content, created_at_ms, updated_at_ms) VALUES ('ord_1', ?1, 'cs_1', 1, '{}', 1, 1)",
          )
          .bind(NO_RECEIPT),
      ]);
    },
  },
  {
    // A session whose lines are no list.
    ids: ['openCheckout'],
    options: async () => ({}),
    prepare: async ({ state }) => {
      const database = state();
      await database
        .prepare(
          "INSERT OR REPLACE INTO checkout_sessions VALUES (?1, 'page', 'page', 'open', 'USD', 0, '{\"lines\":{},\"details\":{}}', 1, 'm', 1, 1, 9e15)",
        )
        .bind(NO_SESSION)
        .run();
    },
  },
  {
    // A session that can be paid and whose lines are no list.
    ids: ['takeProcessorMessage'],
    options: async () => ({}),
    prepare: async ({ state }) => {
      const database = state();
      await database
        .prepare(
          "INSERT OR REPLACE INTO checkout_sessions VALUES (?1, 'page', 'page', 'open', 'USD', 1, '{\"lines\":{},\"details\":{}}', 1, 'm', 1, 1, 9e15)",
        )
        .bind(NO_SESSION)
        .run();
    },
  },
  {
    ids: ['viewCart', 'startCheckout', 'openInvoiceForm', 'requestInvoice'],
    query: '?items=evidence-review:1',
    options: async () => ({ generated: { deployment: { ...(await builtGenerated()).deployment, offers: null as never } } }),
  },
  {
    ids: ['registerAgent', 'buyOffer'],
    options: async () => ({
      generated: { deployment: { ...(await builtGenerated()).deployment, keyPrefix: null as never, offers: null as never } },
    }),
  },
];
const faulty = FAULTS.map(({ options, ...fault }) => ({ ...fault, service: useInProcessGateway(options) }));

describe.each(FUNCTION_ROUTES)('$id 500 internal', ({ id, path, init, route }) => {
  test('a mistake of ours is told apart from an outage, under the id of the request, and shows nothing of the inside', async () => {
    const { service, prepare, headers, query = '' } = faulty.find(({ ids }) => ids.includes(id)) ?? {};
    if (service === undefined) throw new Error(`no fault is known that ${id} could meet`);
    await prepare?.(service);
    const { text, requestId } = await expectRefusal(
      await service.fetch(path + query, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), 'X-Request-Id': 'find-me-in-the-log', ...headers },
      }),
      'internal',
      route,
    );
    expect(requestId).toBe('find-me-in-the-log');
    // JSON-RPC answers a request that it cannot name with the id null (JSON-RPC 2.0, section 5).
    expect(text.replace('"id":null', '')).not.toMatch(/undefined|null|JSON|token|Unexpected end/);
  });
});

describe('a mistake of ours in the compiled functions', () => {
  const broken = useEdgeGateway(async () => ({
    generated: {
      deployment: { ...(await builtGenerated()).deployment, offers: null as never, keyPrefix: null as never },
    },
  }));

  test.each(['registerAgent', 'createUcpCheckout', 'callUcpTool', 'buyOffer'])('has the shape that %s answers in', async (id) => {
    const sent = FUNCTION_ROUTES.find((route) => route.id === id);
    if (sent === undefined) throw new Error(`there is no ${id}`);
    await expectRefusal(await broken.fetch(sent.path + (id === 'buyOffer' ? '?go' : ''), sent.init), 'internal', sent.route);
  });
});

describe('the log', () => {
  const broken = useEdgeGateway(withoutManifest);

  test('tells a mistake of ours under the id of its request, and holds no key, no question and no address', async () => {
    const key = await makeKey();
    const headers = { ...bearer(key), 'X-Request-Id': 'logged-request', 'Idempotency-Key': 'an-idempotency-key-0001' };
    await expectProblem(
      await broken.post('/api/v1/agent-gateway/query?from=a-caller', { query: 'a private question' }, headers),
      'internal',
    );
    await expectProblem(
      await broken.post(`/api/v1/agent-gateway/query?token=${key}`, { query: 'a private question' }, headers),
      'api_key_in_url',
    );
    await expectProblem(await broken.post('/api/v1/agent-gateway/query', { query: '' }, headers), 'invalid_request');
    const { logs } = broken.running();
    await vi.waitFor(() => expect(logs.join()).toContain('logged-request'));
    expect(logs).toHaveLength(1);
    for (const secret of ['akg_', key.slice(20, 32), 'a private question', 'an-idempotency-key', 'a-caller'])
      expect(logs.join()).not.toContain(secret);
  });
});
