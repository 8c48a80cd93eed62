import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { KeyDetails, type Registration } from '../../../src/schemas/agents.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const SELF = '/api/v1/agent-gateway/keys/self';
const gateway = useInProcessGateway({ blocks: 'none' });
const send = (headers: Record<string, string>): Promise<Response> => gateway.fetch(SELF, { headers });
const factsOf = async (key: string, service: Requests = gateway): Promise<KeyDetails> => {
  const response = await service.fetch(SELF, { headers: bearer(key) });
  expect(response.status).toBe(200);
  return z.strictObject(KeyDetails.shape).parse(await response.json());
};

describe('getKey 200 application/json', () => {
  test('tells what a key is and what the registry holds, and never the key', async () => {
    const registered = (await (
      await gateway.post('/api/v1/agent-gateway/register', { agent_name: 'probe', platform: 'p', contact: 'c', scopes: ['buy'] })
    ).json()) as Registration;
    await expect.poll(async () => (await factsOf(registered.api_key)).agent).not.toBeNull();
    const response = await send(bearer(registered.api_key));
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('gateway-degraded')).toBeNull();
    expectSharedHeaders(response.headers);
    const text = await response.text();
    expect(text).not.toContain('akg_');
    expect(JSON.parse(text)).toEqual({
      agent_id: registered.agent_id,
      key_id: registered.key_id,
      scopes: ['read', 'buy'],
      issued_at: registered.issued_at,
      expires_at: registered.expires_at,
      agent: { name: 'probe', platform: 'p', contact: 'c', registered_at: expect.stringMatching(/Z$/) as string },
    });
  });

  test('of an agent that the registry does not hold it says so', async () => {
    expect((await factsOf(await makeKey({ agent: '00000000000000c2' }))).agent).toBeNull();
  });

  test('takes a key without any scope', async () => expect((await factsOf(await makeKey({ scopes: [] }))).scopes).toEqual([]));
});

describe('getKey while the database does not answer, or is not bound', () => {
  const services = { failing: useInProcessGateway({ state: 'empty' }), unbound: useInProcessGateway({ state: 'unbound', kv: 'unbound' }) };

  test.each(['failing', 'unbound'] as const)('takes a fresh key (%s), and says what it went without', async (name) => {
    const service = services[name];
    const registered = (await (await service.post('/api/v1/agent-gateway/register', { agent_name: 'probe' })).json()) as Registration;
    const response = await service.fetch(SELF, { headers: bearer(registered.api_key) });
    expect(response.status).toBe(200);
    expect(response.headers.get('gateway-degraded')).toBe('registry, revocations');
    expect(KeyDetails.parse(await response.json())).toMatchObject({ agent_id: registered.agent_id, agent: null });
  });
});
