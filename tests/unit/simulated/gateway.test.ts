import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import { sampleBuild } from '../../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';
import { simulatedRuntime } from '../../support/simulated/world.ts';

let restore: () => void;
beforeAll(() => {
  restore = useDirectCrypto();
});
afterAll(() => restore());

describe('useDirectCrypto()', () => {
  it('gives the digests and signatures that the machine gives', async () => {
    const bytes = (count: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length: count }, (_, at) => at * 7);
    const compute = async (): Promise<unknown> => {
      const key = await crypto.subtle.importKey('raw', bytes(32), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const digest = await crypto.subtle.digest('SHA-256', bytes(1_000));
      return [digest, await crypto.subtle.sign('HMAC', key, bytes(50).subarray(3))].map((buffer) => Buffer.from(buffer).toString('hex'));
    };
    const direct = await compute();
    restore();
    const threaded = await compute();
    restore = useDirectCrypto();
    expect(direct).toEqual(threaded);
  });
});

describe('a simulated gateway', () => {
  it('registers an agent and answers its query, from the stores that it is given, in no real time', async () => {
    const time = new SimulatedTime(Date.UTC(2026, 10, 21));
    const { generated, blocks } = await sampleBuild();
    const keyValue = simulatedKeyValue(time);
    keyValue.fill(blocks);
    const database = simulatedDatabase(time);
    const gateway = await simulatedGateway({
      generated,
      world: simulatedRuntime(time),
      database: database.binding({ latencyMs: () => 20 }),
      keyValue: keyValue.binding('here', { latencyMs: () => 5 }),
    });
    const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      time.run(
        gateway(
          new Request(`${TEST_BASE_URL}${PATHS.gateway}${path}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', ...headers },
            body: JSON.stringify(body),
          }),
        ),
      );
    const registered = await post('/register', { agent_name: 'one' }, { 'Idempotency-Key': 'a-key-of-at-least-22-characters' });
    expect(registered.status).toBe(201);
    const { api_key } = (await registered.json()) as { api_key: string };
    expect(database.look('SELECT agent_name FROM registrations')).toEqual([{ agent_name: 'one' }]);
    const queried = await post('/query', { query: 'bm25' }, { Authorization: `Bearer ${api_key}` });
    expect(queried.status).toBe(200);
    expect(time.nowMs).toBeGreaterThan(Date.UTC(2026, 10, 21));
    database.close();
  });
});
