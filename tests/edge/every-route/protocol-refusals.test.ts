import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { ACP_VERSION } from '../../../src/protocols/acp/acp-schemas.ts';
import { UCP_VERSION } from '../../../src/protocols/ucp/ucp-schemas.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { acpErrorOf, acpHeaders, acpSessionPath, openAcpSession } from '../../support/acp.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { ACP_POSTS, ACP_ROUTES, type FunctionRoute, NO_SESSION, refusing, UCP_ROUTES } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { UCP_PROFILE } from '../../support/ucp.ts';

const gateway = useInProcessGateway();
const send = async (
  { path, init }: FunctionRoute,
  { headers = {}, without = [] }: { headers?: Record<string, string>; without?: string[] } = {},
): Promise<Response> => {
  const all = new Headers(init.headers);
  all.set('Idempotency-Key', crypto.randomUUID());
  for (const name of without) all.delete(name);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return gateway.fetch(path, { ...init, headers: all });
};
/** Headers that name no platform: none, no parameter of that name, and profiles at addresses that are not taken. */
const NO_PROFILES = [
  undefined,
  '',
  'https://agent.example/p',
  'version="2026-08-25"',
  'xprofile="https://agent.example/p"',
  ...['...', 'ftp://agent.example/p', 'http://agent.example/p', 'https://user:secret@agent.example/p'].map((url) => `profile="${url}"`),
  'profile=https://agent.example/p',
];

describe.each(UCP_ROUTES)('$id 400 invalid_profile_url', (each) => {
  test.each(NO_PROFILES)('the header %j names no platform', async (header) => {
    const response = await send(each, header === undefined ? { without: ['UCP-Agent'] } : { headers: { 'UCP-Agent': header } });
    await expectRefusal(response, 'invalid_profile_url', each.route);
  });
});

describe.each(UCP_ROUTES)('$id 422 version_unsupported', (each) => {
  const agent = (version: string): Record<string, string> => ({ 'UCP-Agent': `profile="${UCP_PROFILE}"${version}` });

  test.each(['; version="2099-01-01"', '; version="2026-01-11"', ', version="2099-01-01"'])(
    'a platform that names another version, as %j, is told the one that is spoken',
    async (version) => {
      const { text } = await expectRefusal(await send(each, { headers: agent(version) }), 'version_unsupported', each.route);
      expect(text).toContain(UCP_VERSION);
    },
  );

  test.each([`; version="${UCP_VERSION}"`, `, version="${UCP_VERSION}"`, '; other="2099-01-01"'])('%j is spoken', async (version) => {
    expect((await send(each, { headers: agent(version) })).status).not.toBe(422);
  });
});

describe.each(ACP_ROUTES)('$id 400 version_unsupported', (each) => {
  test('without a version, before anything else is looked at', async () => {
    const error = await acpErrorOf(await send(each, { without: ['API-Version', 'Authorization', 'Idempotency-Key', 'Content-Type'] }));
    expect(error).toMatchObject({ type: 'invalid_request', code: 'missing_api_version', supported_versions: [ACP_VERSION] });
  });

  test.each(['unreleased', '2026-01-30', '2025-09-29', '2026-04-18', `${ACP_VERSION} `.repeat(2), 'v2026-04-17', '*'])(
    'with the version "%s"',
    async (version) => {
      const response = await send(each, { headers: { 'API-Version': version } });
      expect(response.status).toBe(400);
      expect(await acpErrorOf(response)).toMatchObject({ code: 'unsupported_api_version', supported_versions: [ACP_VERSION] });
    },
  );

  test('the id of the request is repeated, on this and on any other answer', async () => {
    for (const headers of [{ 'API-Version': 'unreleased' }, {}] as Record<string, string>[])
      expect((await send(each, { headers: { ...headers, 'Request-Id': 'my id: 1' } })).headers.get('request-id')).toBe('my id: 1');
  });
});

describe.each(ACP_ROUTES)('$id 400 invalid_request', (each) => {
  test('with a header that is too long', async () => {
    const error = await acpErrorOf(await send(each, { headers: { 'Request-Id': 'x'.repeat(256) } }));
    expect(error).toMatchObject({
      type: 'invalid_request',
      code: 'invalid_request',
      message: expect.stringContaining('Request-Id') as unknown,
    });
    expect(error.param).toBeUndefined();
  });

  test('with an id of a session that is too long', async () => {
    if (each.route.pathParameters === undefined) return;
    const path = each.path.replace(/cs_0+/, 'x'.repeat(201));
    expect(await acpErrorOf(await send({ ...each, path }))).toMatchObject({ code: 'invalid_request' });
  });
});

describe.each(refusing('session_not_found', 'openCheckout'))('$id session_not_found', (each) => {
  test('a session of another agent is answered like none, and stays as it was', async () => {
    const id = await openAcpSession(gateway, { agent: '00000000000000e1' });
    const read = async () => (await gateway.fetch(acpSessionPath(id), { headers: await acpHeaders({ agent: '00000000000000e1' }) })).text();
    const before = await read();
    const headers = await acpHeaders({ agent: '00000000000000e2' });
    const answers = [];
    for (const asked of [id, NO_SESSION])
      answers.push(await acpErrorOf(await send({ ...each, path: each.path.replace(/cs_\w+/, asked) }, { headers })));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 404, type: 'invalid_request', code: 'session_not_found' });
    expect(await read()).toBe(before);
  });
});

describe.each(ACP_POSTS)('$id 400 invalid_idempotency_key', (each) => {
  test('without a key', async () => {
    const response = await send(each, { without: ['Idempotency-Key'] });
    expect([response.status, (await acpErrorOf(response)).code]).toEqual([400, 'idempotency_key_required']);
  });

  test.each(['x', 'x'.repeat(255), '~!@#$%^&*()'])('but not with the key "%s"', async (key) => {
    const response = await send(each, { headers: { 'Idempotency-Key': key } });
    expect(await response.text()).not.toContain('idempotency_key_required');
    expect(response.headers.get('idempotency-key')).toBe(key);
  });
});

test('an agent may make exactly the published number of requests, and is told when there is room again', async () => {
  const [nowMs, agent] = [Date.UTC(2031, 0, 1), '0000000000000bbb'];
  const key = bearer(await makeKey({ agent, scopes: ['buy'], issuedMinute: minuteOf(nowMs) }));
  const asked = async (): Promise<Response> =>
    gateway.fetch(`${PATHS.acp}/order_webhook`, { headers: { ...key, [NOW_HEADER]: String(nowMs) } });
  let last = await asked();
  for (let count = 1; count < 130 && last.status === 200; count += 1) last = await asked();
  expect(last.status).toBe(429);
  const headers = { ...(await acpHeaders({ agent, nowMs })), ...key };
  const response = await gateway.fetch(`${PATHS.acp}/checkout_sessions/cs_x`, { headers });
  expect(await acpErrorOf(response)).toMatchObject({ type: 'service_unavailable', code: 'rate_limited' });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});
