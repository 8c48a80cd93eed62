import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import type { Registration } from '../../../src/schemas/agents.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER, type Requests, TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const REGISTER = '/api/v1/agent-gateway/register';
const QUERY = '/api/v1/agent-gateway/query';
const gateway = useInProcessGateway();
const send = (key: string, body: unknown, headers: Record<string, string> = {}, service: Requests = gateway): Promise<Response> =>
  service.post(REGISTER, body, { 'Idempotency-Key': key, ...headers });
const register = async (...request: Parameters<typeof send>): Promise<Registration> => {
  const response = await send(...request);
  expect(response.status).toBe(201);
  return (await response.json()) as Registration;
};
const storedRows = async (table = 'registrations') =>
  (await gateway.state().prepare(`SELECT * FROM ${table}`).all<Record<string, unknown>>()).results;

describe('registerAgent under an Idempotency-Key', () => {
  test('a repetition counts as the same whatever the order of members, the white space and the unlisted members', async () => {
    const first = await register('same-meaning-of-body-01', '{"agent_name":"probe","platform":"p"}');
    const again = await register('same-meaning-of-body-01', '{ "platform": " p ", "trace": 42, "agent_name": "probe\\n" }');
    expect(again).toEqual({ ...first, ignored: [{ pointer: '/trace' }] });
  });

  test('the key in quotes is the bare key', async () => {
    const first = await register('bare-or-quoted-key-0001', { agent_name: 'probe' });
    expect(await register('"bare-or-quoted-key-0001"', { agent_name: 'probe' })).toEqual(first);
  });

  test('ten repetitions at once get one key', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => register('ten-at-once-under-one-key', { agent_name: 'probe' })));
    expect(new Set(answers.map(({ api_key }) => api_key)).size).toBe(1);
  });

  test('a repetition is known until the published time is over, then the key is free again', async () => {
    const at = Date.UTC(2031, 0, 1);
    const end = at + LIMITS.idempotencyHours * 3_600_000;
    const first = await register('expires-after-some-hours', { agent_name: 'probe' }, { [NOW_HEADER]: String(at) });
    expect(await register('expires-after-some-hours', { agent_name: 'probe' }, { [NOW_HEADER]: String(end - 1) })).toEqual(first);
    const later = await register('expires-after-some-hours', { agent_name: 'someone else' }, { [NOW_HEADER]: String(end) });
    expect(later.agent_id).not.toBe(first.agent_id);
  });

  test('the database holds neither the key, nor its MAC, nor the Idempotency-Key, and what the agent says of itself once', async () => {
    const own = { platform: 'own platform', contact: 'own@contact.example' };
    const { api_key, agent_id } = await register('what-the-database-holds1', { agent_name: 'stored probe', ...own });
    const rows = await storedRows();
    const agent = agent_id.slice('agt_'.length);
    expect(rows.some(({ key_payload }) => /^[0-9a-f]{40}$/.test(String(key_payload)) && String(key_payload).includes(agent))).toBe(true);
    const agents = await storedRows('agents');
    expect(agents.find((row) => row['agent'] === agent)).toMatchObject({ name: 'stored probe', ...own });
    expect(JSON.stringify(rows)).not.toMatch(/stored probe|own platform|own@contact/);
    const text = JSON.stringify([rows, agents]);
    expect(text).not.toContain('akg_');
    expect(text).not.toContain('what-the-database-holds1');
    for (let at = 'akg_test_'.length; at + 12 <= api_key.length; at += 1) expect(text).not.toContain(api_key.slice(at, at + 12));
  });

  test('hostile text of a name is stored and compared as it is', async () => {
    const agent_name = `🤖'); DROP TABLE registrations;--`;
    const first = await register('hostile-name-stored-0001', { agent_name });
    expect(await register('hostile-name-stored-0001', { agent_name })).toEqual(first);
    expect((await storedRows('agents')).some((row) => row['name'] === agent_name)).toBe(true);
  });

  test('without the header nothing that could be replayed is written', async () => {
    const before = (await storedRows()).length;
    expect((await gateway.post(REGISTER, { agent_name: 'unwritten' })).status).toBe(201);
    expect((await storedRows()).length).toBe(before);
  });
});

describe('registerAgent after the signing secret was changed', () => {
  const second = `2:${Buffer.from('the secret that came after the first one').toString('base64url')}`;
  const both = useInProcessGateway({ signingSecrets: `${second},${TEST_SIGNING_SECRETS}` });
  const onlyNew = useInProcessGateway({ signingSecrets: second });
  const copyRow = async (from: Pick<D1Database, 'prepare'>, to: D1Database): Promise<void> => {
    const keySha256 = await sha256Hex(new TextEncoder().encode('rotated-registration-01'));
    const row = await from.prepare('SELECT * FROM registrations WHERE idempotency_key_sha256 = ?').bind(keySha256).first();
    const values = Object.values(row ?? {});
    await to
      .prepare(`INSERT INTO registrations (${Object.keys(row ?? {}).join(', ')}) VALUES (${values.map(() => '?').join(', ')})`)
      .bind(...values)
      .run();
  };

  test('keys of both secrets are taken while both are set, and a replay gives the old key again', async () => {
    const first = await register('rotated-registration-01', { agent_name: 'rotated' });
    await copyRow(gateway.state(), both.state());
    expect(await register('rotated-registration-01', { agent_name: 'rotated' }, {}, both)).toEqual(first);
    for (const key of [first.api_key, await makeKey({}, { secrets: second })])
      expect((await both.post(QUERY, { query: 'bm25' }, bearer(key))).status).toBe(200);
  });

  test('once the old secret is withdrawn, a replay gives the same agent a key that works', async () => {
    await copyRow(both.state(), onlyNew.state());
    const replay = await register('rotated-registration-01', { agent_name: 'rotated' }, {}, onlyNew);
    expect((await onlyNew.post(QUERY, { query: 'bm25' }, bearer(replay.api_key))).status).toBe(200);
  });
});
