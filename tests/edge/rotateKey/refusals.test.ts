import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { expectRefusedKey, revokeElsewhere, type SendWith } from '../../support/refused-keys.ts';
import { useSharedGateway } from '../../support/shared-gateway.ts';
import { useEdgeGateway } from '../../support/use-edge-gateway.ts';

const ROTATE = '/api/v1/agent-gateway/keys/rotate';
const gateway = useEdgeGateway();
const send: SendWith = (headers, search = '') => gateway.post(ROTATE + search, {}, headers);
const key = await makeKey({ agent: '0000000000000201' });

describe('rotateKey 401 api_key_missing', () => {
  test('without a key', () => expectRefusedKey.api_key_missing(send));
});
describe('rotateKey 401 api_key_invalid', () => {
  test('with what is no key of this service', () => expectRefusedKey.api_key_invalid(send));
});
describe('rotateKey 401 api_key_expired', () => {
  test('with a key whose life is over', () => expectRefusedKey.api_key_expired(send));
});
describe('rotateKey 401 api_key_in_url', () => {
  test('with a key in the address', () => expectRefusedKey.api_key_in_url(send));
});

describe('rotateKey 401 api_key_revoked', () => {
  test('a key that was revoked elsewhere becomes no new key, at once', async () => {
    const issuedMinute = minuteOf(Date.now());
    const revoked = await makeKey({ agent: '0000000000000202', issuedMinute });
    expect((await gateway.fetch('/api/v1/agent-gateway/keys/self', { headers: bearer(revoked) })).status).toBe(200);
    await revokeElsewhere(gateway, { agent: '0000000000000202', serial: null, issuedMinute });
    await expectProblem(await send(bearer(revoked)), 'api_key_revoked');
  });
});

describe('rotateKey 400 invalid_request', () => {
  test.each<[string, unknown, string[]]>([
    ['no scope at all', { scopes: [] }, ['/scopes']],
    ['a scope that is not known', { scopes: ['admin'] }, ['/scopes/0']],
    ['an overlap that is too long', { overlap_minutes: LIMITS.keyOverlapMinutesMax + 1 }, ['/overlap_minutes']],
    ['a negative overlap', { overlap_minutes: -1 }, ['/overlap_minutes']],
    ['half a minute', { overlap_minutes: 0.5 }, ['/overlap_minutes']],
    ['a life of its own', { ttl_days: 9_999 }, ['/ttl_days']],
  ])('%s', async (_name, body, pointers) => {
    const problem = await expectProblem(await gateway.post(ROTATE, body, bearer(key)), 'invalid_request');
    expect(faultsOf(problem).map(([pointer]) => pointer)).toEqual(pointers);
  });
});

describe('rotateKey 400 invalid_json', () => {
  test('a body that is none', async () => {
    await expectProblem(await gateway.post(ROTATE, '[]', bearer(key)), 'invalid_json');
  });
});

describe('rotateKey 400 invalid_idempotency_key', () => {
  test.each(['short', 'k'.repeat(LIMITS.idempotencyKeyMinLength - 1), `${'k'.repeat(20)} ${'k'.repeat(20)}`])('%s', async (name) => {
    await expectProblem(await gateway.post(ROTATE, {}, { ...bearer(key), 'Idempotency-Key': name }), 'invalid_idempotency_key');
  });
});

describe('rotateKey 413 payload_too_large', () => {
  test('a body beyond the bound', async () => {
    await expectProblem(await gateway.post(ROTATE, `{"a":"${'x'.repeat(LIMITS.bodyMaxBytes)}"}`, bearer(key)), 'payload_too_large');
  });
});

describe('rotateKey 415 unsupported_media_type', () => {
  test('a body that is no JSON', async () => {
    await expectProblem(
      await gateway.post(ROTATE, 'overlap_minutes=1', { ...bearer(key), 'Content-Type': 'application/x-www-form-urlencoded' }),
      'unsupported_media_type',
    );
  });
});

describe('rotateKey 403 insufficient_scope', () => {
  test('a scope that the present key does not have is not added, not even one that the publisher granted', async () => {
    const database = await gateway.running().miniflare.getD1Database('STATE');
    await database
      .prepare(
        "INSERT INTO agents (agent, name, key_id, created_at_ms, granted_scopes, expires_at_ms) VALUES ('0000000000000203', 'n', 'k', 0, 'submit', 9e15)",
      )
      .run();
    for (const scope of ['buy', 'submit', 'metrics']) {
      const response = await gateway.post(ROTATE, { scopes: ['read', scope] }, bearer(await makeKey({ agent: '0000000000000203' })));
      expect((await expectProblem(response, 'insufficient_scope')).detail).toContain(`"${scope}"`);
    }
  });
});

describe('rotateKey 409 api_key_replaced', () => {
  test('a key that works for its overlap only leads to no second new key, whatever is asked for', async () => {
    const replaced = await makeKey({ agent: '0000000000000204' });
    const rotate = (body: object, more: Record<string, string> = {}): Promise<Response> =>
      gateway.post(ROTATE, body, { ...bearer(replaced), ...more });
    expect((await rotate({}, { 'Idempotency-Key': 'the-first-rotation-0001' })).status).toBe(201);
    for (const answer of [
      await rotate({}),
      await rotate({ overlap_minutes: 0 }),
      await rotate({ scopes: ['read'] }, { 'Idempotency-Key': 'the-second-rotation-001' }),
    ])
      await expectProblem(answer, 'api_key_replaced');
    expect((await gateway.fetch('/api/v1/agent-gateway/keys/self', { headers: bearer(replaced) })).status).toBe(200);
    expect((await rotate({}, { 'Idempotency-Key': 'the-first-rotation-0001' })).status).toBe(201);
  });
});

describe('rotateKey 429 quota_exceeded', () => {
  const counted = useInProcessGateway();

  test('rotations count as revocations of a network; a repetition counts nothing', async () => {
    const now = Date.UTC(2036, 0, 1);
    const rotate = async (count: number): Promise<Response> =>
      counted.post(
        ROTATE,
        {},
        {
          ...bearer(await makeKey({ agent: (0xa000 + count).toString(16).padStart(16, '0'), issuedMinute: minuteOf(now) })),
          'CF-Connecting-IP': '192.0.2.9',
          'Idempotency-Key': 'one-name-for-all-agents-1',
          [NOW_HEADER]: String(now),
        },
      );
    for (let count = 0; count < QUOTAS.revocations.requests; count += 1) expect((await rotate(count)).status).toBe(201);
    await expectProblem(await rotate(1_000), 'quota_exceeded');
    expect((await rotate(0)).status).toBe(201);
  });
});

describe('rotateKey 503 state_unavailable', () => {
  const broken = useSharedGateway({ state: 'empty' });

  test('when the database does not answer', async () => {
    const problem = await expectProblem(await broken.post(ROTATE, {}, bearer(key)), 'state_unavailable');
    expect(problem.retry_after_seconds).toBeGreaterThan(0);
  });
});

describe('rotateKey 503 not_configured', () => {
  const noDatabase = useSharedGateway({ state: 'unbound' });
  const noSecret = useSharedGateway({ signingSecrets: undefined });

  test('without a database, or without a signing secret', async () => {
    for (const service of [noDatabase, noSecret]) await expectProblem(await service.post(ROTATE, {}, bearer(key)), 'not_configured');
  });
});
