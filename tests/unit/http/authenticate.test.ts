import { beforeAll, describe, expect, test } from 'vitest';
import { encodePayload, type KnownKeys, mintKey } from '../../../src/gateway/agents/api-key.ts';
import { LruCache } from '../../../src/gateway/memory-caches.ts';
import type { SigningSecret } from '../../../src/gateway/platform-ports.ts';
import type { Route } from '../../../src/http/define-route.ts';
import type { GatewayDependencies } from '../../../src/http/gateway-dependencies.ts';
import type { RequestContext } from '../../../src/http/rate-limits.ts';
import { authenticate, confirmCaller, refuseKeyInBody, refuseKeyInUrl } from '../../../src/http/run-route.ts';
import { ALL_FEATURES } from '../../support/features.ts';
import { words } from '../../support/words.ts';
import { keyPayload, signingSecret } from '../gateway/signing.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const payload = keyPayload(NOW_MS);

let secret: SigningSecret;
let key: string;
let deps: GatewayDependencies;
beforeAll(async () => {
  secret = await signingSecret(1);
  key = await mintKey(encodePayload(payload), 'akg_test_', secret);
  deps = { clock: { nowMs: () => NOW_MS }, deployment: { keyPrefix: 'akg_test_' }, secrets: [secret] } as unknown as GatewayDependencies;
});

const ask = (authorization: string | undefined, query = '', with_: GatewayDependencies = deps, known?: KnownKeys) =>
  authenticate(
    new Request('http://127.0.0.1/', authorization === undefined ? {} : { headers: { Authorization: authorization } }),
    new URLSearchParams(query),
    with_,
    known,
  );

describe('authenticate()', () => {
  test.each(['Bearer ', 'bearer ', 'BEARER   '])('takes a key behind "%s"', async (scheme) => {
    expect(await ask(`${scheme}${key}`)).toMatchObject({ ok: true, value: { payload } });
    expect(await ask(`  ${scheme}${key} `, 'query=a&akg_test_=1')).toMatchObject({ ok: true });
  });

  const MISSING = 'The request has no Authorization header.';
  const FORM = 'The Authorization header does not have the form "Bearer <api_key>".';
  test.each<[header: string | undefined, detail: string]>([
    [undefined, MISSING],
    ['', MISSING],
    ['  ', MISSING],
    ...[
      'Basic abc',
      'Bearer',
      'Bearer a b',
      `Bearer${' '.repeat(9)}a`,
      'xBearer a',
      'Bearer é',
      `Bearer ${'a'.repeat(257)}`,
      'Bearera',
    ].map((header): [string, string] => [header, FORM]),
    [`Bearer ${'a'.repeat(256)}`, 'The key is malformed. A key is akg_test_ followed by 60 letters and digits.'],
  ])('refuses the header %j: %s', async (header, detail) => {
    const code = detail === MISSING ? 'api_key_missing' : 'api_key_invalid';
    expect(await ask(header)).toMatchObject({ ok: false, refusal: { code, detail } });
  });

  test.each(['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token', 'API_KEY', 'Token'])(
    'refuses a parameter "%s" of the address, whatever the header has',
    async (name) => {
      for (const header of [undefined, `Bearer ${key}`])
        expect(await ask(header, `a=1&${name}=x`)).toMatchObject({ refusal: { code: 'api_key_in_url' } });
    },
  );

  test('takes a key that is known without its signature, and holds its age to the clock', async () => {
    const known: KnownKeys = new LruCache(10);
    expect(await ask(`Bearer ${key}`, '', deps, known)).toMatchObject({ ok: true });
    // None of its secrets is there any more, so that only what is known can be taken.
    const at = (nowMs: number): GatewayDependencies => ({ ...deps, secrets: [{ ...secret, id: 2 }], clock: { nowMs: () => nowMs } });
    expect(await ask(`Bearer ${key}`, '', at(NOW_MS), known)).toMatchObject({ ok: true, value: { payload } });
    expect(await ask(`Bearer ${key}`, '', at(NOW_MS))).toMatchObject({ refusal: { code: 'api_key_invalid' } });
    expect(await ask(`Bearer ${key}`, '', at(NOW_MS + 90 * 86_400_000), known)).toMatchObject({ refusal: { code: 'api_key_expired' } });
    expect(await ask(`Bearer ${key}`, '', at(NOW_MS - 3_600_000), known)).toMatchObject({ refusal: { code: 'api_key_invalid' } });
  });

  test('remembers no key that it refuses for what it is', async () => {
    const known: KnownKeys = new LruCache(10);
    const forged = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const another = await mintKey(encodePayload(payload), 'akg_test_', await signingSecret(1, 99));
    for (const wrong of [forged, another])
      for (let time = 0; time < 2; time++)
        expect(await ask(`Bearer ${wrong}`, '', deps, known)).toMatchObject({ ok: false, refusal: { code: 'api_key_invalid' } });
    expect([known.get(forged), known.get(another), known.get(key)]).toEqual([undefined, undefined, undefined]);
  });

  test('says what is missing where there is no signing secret, after the form of the header', async () => {
    const without = { ...deps, secrets: { missing: 'There is none.' } };
    expect(await ask(`Bearer ${key}`, '', without)).toMatchObject({ refusal: { code: 'not_configured', detail: 'There is none.' } });
    expect(await ask('Basic a', '', without)).toMatchObject({ refusal: { code: 'api_key_invalid' } });
  });
});

describe('refuseKeyInUrl()', () => {
  const check = (address: string) => refuseKeyInUrl(new URL(address, 'http://127.0.0.1'));

  test.each([
    ...words`
      /?q=akg_live_a /search?a=1&q=see+akg_test_Z /?akg_test_0=1 /capsules/akg_live_0/lineage /?q=AKG_LIVE_0 /?q=akg%5Flive%5f0
      /?q=%61kg_live_%30 /%2561kg_live_0 /?client_reference_id=Bearer%20akg_test_0
    `,
  ])('refuses %s', (address) => {
    expect(check(address)).toMatchObject({ refusal: { code: 'api_key_in_url', detail: expect.stringContaining('compromised') } });
  });

  test.each(['/', '/?q=akg_live_', '/?q=what+is+akg_test_%3F', '/akg', '/%zz?q=%e4', '/?q=akglive_0'])('admits %s', (address) => {
    expect(check(address)).toEqual({ ok: true, value: undefined });
  });
});

test('refuseKeyInBody() finds a key in any text of a body', () => {
  for (const body of [{ query: 'akg_live_0' }, { a: [{ b: 'x akg_test_Zz' }] }, { akg_live_0: 1 }])
    expect(refuseKeyInBody(body)).toMatchObject({ refusal: { code: 'invalid_request', detail: expect.stringContaining('compromised') } });
  for (const body of [undefined, {}, { query: 'Keys begin with akg_live_.' }]) expect(refuseKeyInBody(body).ok).toBe(true);
});

describe('confirmCaller()', () => {
  /** What is known of keys: by the list of the isolate, and by the database. */
  const knowing = (judgement: 'valid' | 'revoked' | 'unknown', granted: readonly string[] = []) =>
    ({
      ...deps,
      features: ALL_FEATURES,
      revocations: { judge: async () => judgement, endOf: () => undefined, names: () => judgement === 'revoked', add: () => undefined },
      agents: { status: async () => ({ revocations: [], record: { granted } }) },
    }) as unknown as GatewayDependencies;
  const exchangeOf = () => ({ degraded: new Set(), defer: () => undefined }) as unknown as RequestContext;
  const routeOf = (access: Route['access'], method: Route['method'] = 'POST') => ({ access, method }) as unknown as Route;
  const verified = { payload, expiresAtMs: NOW_MS + 1 };

  test.each<Route['access']>(['read', 'key', 'open'])('lets a caller with the scope through where "%s" is asked for', async (access) => {
    expect(await confirmCaller(verified, routeOf(access), exchangeOf(), knowing('valid'))).toEqual({
      ok: true,
      value: { key: verified, scopes: ['read'] },
    });
  });

  test('lets one through to whom the database grants the scope', async () => {
    expect(await confirmCaller(verified, routeOf('submit'), exchangeOf(), knowing('valid', ['submit']))).toEqual({
      ok: true,
      value: { key: verified, scopes: ['read', 'submit'] },
    });
  });

  test('refuses one without it, by its name, with the request and the body that get it', async () => {
    const refused = async (scope: Route['access']) => {
      const caller = await confirmCaller(verified, routeOf(scope), exchangeOf(), knowing('valid'));
      return caller.ok ? undefined : caller.refusal;
    };
    expect(await refused('metrics')).toMatchObject({
      code: 'insufficient_scope',
      detail: expect.stringMatching(/^The key does not have the scope "metrics"\. Write to the contact .* \(GET \/contact\)\.$/) as unknown,
    });
    expect(await refused('buy')).toMatchObject({
      detail:
        'The key does not have the scope "buy". Register for a key with the scope: send {"agent_name": "<name>", "scopes": ["read", "buy"]} (POST /api/v1/agent-gateway/register).',
      nextActions: [{ method: 'POST', path: '/api/v1/agent-gateway/register' }, { path: '/api/v1/agent-gateway/capabilities' }],
    });
  });

  test.each<Route['access']>(['read', 'key', 'submit'])('refuses a revoked key where "%s" is asked for', async (access) => {
    expect(await confirmCaller(verified, routeOf(access), exchangeOf(), knowing('revoked', ['submit']))).toMatchObject({
      refusal: { code: 'api_key_revoked' },
    });
  });

  test('notes on an answer to a reader that revocations could not be read', async () => {
    const exchange = exchangeOf();
    expect(await confirmCaller(verified, routeOf('key', 'GET'), exchange, knowing('unknown'))).toMatchObject({ ok: true });
    expect([...exchange.degraded]).toEqual(['revocations']);
  });
});
