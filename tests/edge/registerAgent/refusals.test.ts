import { describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const REGISTER = '/api/v1/agent-gateway/register';
const IDEMPOTENT = { 'Idempotency-Key': 'a-key-of-enough-length-1' };
const gateway = useEdgeGateway();

describe('registerAgent 400 invalid_request', () => {
  test.each(['\u202eeman', 'a\u0000b', 'line\nbreak', 'zero\u200bwidth'])(
    'a name with hidden characters is refused (%#)',
    async (agent_name) => {
      const problem = await expectProblem(await gateway.post(REGISTER, { agent_name }), 'invalid_request');
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/agent_name']);
    },
  );

  test.each<[string, unknown, [string, string][]]>([
    ['no name', {}, [['/agent_name', 'is missing']]],
    ['a null', { agent_name: null }, [['/agent_name', 'must be a string']]],
    ['a number', { agent_name: 7 }, [['/agent_name', 'must be a string']]],
    ['a list', { agent_name: ['a'] }, [['/agent_name', 'must be a string']]],
    ['an object', { agent_name: { toString: 'a' } }, [['/agent_name', 'must be a string']]],
    ['a platform that is no text', { agent_name: 'a', platform: false }, [['/platform', 'must be a string']]],
    ['scopes that are a text', { agent_name: 'a', scopes: 'read' }, [['/scopes', 'must be a list']]],
    [
      'two faults at once',
      { contact: 1 },
      [
        ['/agent_name', 'is missing'],
        ['/contact', 'must be a string'],
      ],
    ],
  ])('with %s, every fault is pointed at', async (_name, body, faults) => {
    expect(faultsOf(await expectProblem(await gateway.post(REGISTER, body), 'invalid_request'))).toEqual(faults);
  });

  test.each<[string, unknown, string]>([
    ['an empty name', { agent_name: '' }, '/agent_name'],
    ['a name of white space', { agent_name: ' \t\n\u00a0\u3000' }, '/agent_name'],
    ['a name that is too long', { agent_name: 'n'.repeat(LIMITS.agentNameMaxLength + 1) }, '/agent_name'],
    ['a platform that is too long', { agent_name: 'a', platform: 'p'.repeat(LIMITS.shortTextMaxLength + 1) }, '/platform'],
    ['an empty contact', { agent_name: 'a', contact: '' }, '/contact'],
    ['a scope that is not known', { agent_name: 'a', scopes: ['read', 'admin'] }, '/scopes/1'],
    ['too many scopes', { agent_name: 'a', scopes: ['read', 'read', 'read', 'read', 'read'] }, '/scopes'],
    ['a type that is too long', { agent_name: 'a', type: 't'.repeat(201) }, '/type'],
    ['a credential type that is no text', { agent_name: 'a', requested_credential_type: {} }, '/requested_credential_type'],
  ])('%s is pointed at', async (_name, body, pointer) => {
    const problem = await expectProblem(await gateway.post(REGISTER, body), 'invalid_request');
    expect(faultsOf(problem).map(([place]) => place)).toEqual([pointer]);
  });

  test('what was sent is not repeated in the answer', async () => {
    const response = await gateway.post(REGISTER, { agent_name: 'a', platform: 'secret-words '.repeat(40) });
    expect(JSON.stringify(await expectProblem(response, 'invalid_request'))).not.toContain('secret-words');
  });
});

describe('registerAgent 400 invalid_json', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['a half object', '{"agent_name":"a"'],
    ['a trailing comma', '{"agent_name":"a",}'],
    ['two objects', '{"agent_name":"a"}{}'],
    ['a list', '[{"agent_name":"a"}]'],
    ['a text', '"agent"'],
    ['null', 'null'],
    ['a form', 'agent_name=a'],
    ['a member twice', '{"agent_name":"a","agent_name":"b"}'],
    ['a member twice, once in escapes', '{"agent_name":"a","agent_\\u006eame":"b"}'],
    ['a member twice, with much space before the colon', `{"agent_name":"a","agent_name"${' '.repeat(200)}:"b"}`],
    ['__proto__', '{"agent_name":"a","__proto__":{"scopes":["metrics"]}}'],
    ['half a surrogate pair', '{"agent_name":"\\ud83e"}'],
    ['deep lists', `{"agent_name":"a","x":${'['.repeat(LIMITS.jsonMaxDepth)}${']'.repeat(LIMITS.jsonMaxDepth)}}`],
    ['very many items', `{"agent_name":"a","x":[${'1,'.repeat(LIMITS.jsonMaxKeys)}1]}`],
    ['bytes that are not UTF-8', Uint8Array.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ['UTF-16', Uint8Array.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
  ])('%s is refused', async (_name, body) => {
    await expectProblem(
      await gateway.fetch(REGISTER, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }),
      'invalid_json',
    );
  });

  test('the duplicate is refused under an Idempotency-Key too, where a digest is made of the body', async () => {
    await expectProblem(await gateway.post(REGISTER, '{"agent_name":"\\udc00"}', IDEMPOTENT), 'invalid_json');
  });
});

describe('registerAgent 413 payload_too_large', () => {
  const tooLarge = JSON.stringify({ agent_name: 'a', filler: 'f'.repeat(LIMITS.bodyMaxBytes) });
  const stream = (text: string, chunk: number): ReadableStream<Uint8Array> => {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + chunk));
        at += chunk;
      },
    });
  };
  const send = (body: BodyInit): Promise<Response> =>
    gateway.fetch(REGISTER, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    } as RequestInit);

  test('one byte too many with a length is refused', async () => {
    const frame = JSON.stringify({ agent_name: 'a', filler: '' });
    const problem = await expectProblem(
      await send(JSON.stringify({ agent_name: 'a', filler: 'f'.repeat(LIMITS.bodyMaxBytes + 1 - frame.length) })),
      'payload_too_large',
    );
    expect(problem.detail).toContain(String(LIMITS.bodyMaxBytes));
  });

  test('too much in chunks, without a length, is refused', async () => {
    await expectProblem(await send(stream(tooLarge, 1_000)), 'payload_too_large');
  });

  test('a body that is far too large is refused, and the next request is answered', async () => {
    await expectProblem(await send('x'.repeat(40 * LIMITS.bodyMaxBytes)), 'payload_too_large');
    const streamed = await send(stream('x'.repeat(40 * LIMITS.bodyMaxBytes), 65_536)).catch(closedEarly);
    if (streamed) await expectProblem(streamed, 'payload_too_large');
    expect((await gateway.post(REGISTER, { agent_name: 'a' })).status).toBe(201);
  });

  test('size is counted in bytes, not in characters', async () => {
    await expectProblem(
      await send(JSON.stringify({ agent_name: 'a', filler: '\u20ac'.repeat(LIMITS.bodyMaxBytes / 2) })),
      'payload_too_large',
    );
  });
});

/** A stream cannot be sent again: that the connection was closed before all of it was read is an answer too. */
function closedEarly(error: unknown): undefined {
  const { code } = (error as { cause?: { code?: string } }).cause ?? {};
  if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
}

describe('registerAgent 415 unsupported_media_type', () => {
  test.each([
    ['no type', {}],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'Content-Type': 'text/plain' }],
    ['JSON of another kind', { 'Content-Type': 'application/problem+json' }],
    ['a type that begins alike', { 'Content-Type': 'application/jsonp' }],
    ['two types', { 'Content-Type': 'application/json, text/plain' }],
    ['another charset', { 'Content-Type': 'application/json; charset=iso-8859-1' }],
    ['a content coding', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }],
  ])('%s is refused', async (_name, headers) => {
    await expectProblem(
      await gateway.fetch(REGISTER, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: new TextEncoder().encode('{"agent_name":"a"}'),
      }),
      'unsupported_media_type',
    );
  });
});

describe('registerAgent 503 not_configured', () => {
  const without = useSharedGateway({ signingSecrets: undefined });
  const weak = useInProcessGateway({ signingSecrets: `1:${Buffer.from('a'.repeat(40)).toString('base64url')}` });
  const noDatabase = useSharedGateway({ state: 'unbound' });

  test('without a signing secret no key is issued', async () => {
    const problem = await expectProblem(await without.post(REGISTER, { agent_name: 'a' }), 'not_configured');
    expect(problem.detail).toContain('signing secret');
  });

  test('with a secret that is too weak no key is issued, and the secret is not shown', async () => {
    const problem = await expectProblem(await weak.post(REGISTER, { agent_name: 'a' }), 'not_configured');
    expect(JSON.stringify(problem)).not.toContain('YWFh');
  });

  test('without a database an Idempotency-Key is refused, and a request without one is answered', async () => {
    const problem = await expectProblem(await noDatabase.post(REGISTER, { agent_name: 'a' }, IDEMPOTENT), 'not_configured');
    expect(problem.detail).toContain('Omit it.');
    expect((await noDatabase.post(REGISTER, { agent_name: 'a' })).status).toBe(201);
  });
});

describe('registerAgent 503 state_unavailable', () => {
  const broken = useSharedGateway({ state: 'empty' });

  test('with a database that fails, the answer says when to come back, and a request without the header is answered', async () => {
    const problem = await expectProblem(await broken.post(REGISTER, { agent_name: 'a' }, IDEMPOTENT), 'state_unavailable');
    expect(problem.retry_after_seconds).toBeGreaterThan(0);
    expect((await broken.post(REGISTER, { agent_name: 'a' })).status).toBe(201);
  });
});

describe('registerAgent 429 rate_limited', () => {
  const { requests, windowSeconds } = RATE_LIMITS.register;
  const now = Date.UTC(2031, 0, 1);
  const from = (network: string, atMs: number): Record<string, string> => ({ 'CF-Connecting-IP': network, [NOW_HEADER]: String(atMs) });
  const register = (network: string, atMs = now): Promise<Response> => gateway.post(REGISTER, { agent_name: 'a' }, from(network, atMs));

  test('exactly the published number of registrations is let through, then a network waits', async () => {
    for (let left = requests - 1; left >= 0; left -= 1) {
      const response = await register(`198.51.100.${left + 1}`);
      expect(response.status).toBe(201);
      expect(response.headers.get('ratelimit')).toMatch(new RegExp(`"register";r=${left};t=\\d+`));
      expect(response.headers.get('ratelimit-policy')).toBe(
        `"network";q=${RATE_LIMITS.network.requests};w=${RATE_LIMITS.network.windowSeconds}, "register";q=${requests};w=${windowSeconds}`,
      );
    }
    const response = await register('198.51.100.200');
    const wait = windowSeconds / requests;
    expect(response.headers.get('ratelimit')).toContain(`"register";r=0;t=${wait}`);
    const problem = await expectProblem(response, 'rate_limited');
    expect(problem).toMatchObject({ retry_after_seconds: wait });
    expect(problem.detail).toContain('"register"');
    await expectProblem(await register('198.51.100.9', now + wait * 1_000 - 1), 'rate_limited');
    expect((await register('198.51.100.9', now + wait * 1_000)).status).toBe(201);
    expect((await register('198.51.101.1')).status).toBe(201);
  });

  test('refused requests count too, so that guessing is no cheaper, and an IPv6 network is a /64', async () => {
    for (let count = 0; count < requests; count += 1)
      await expectProblem(await gateway.post(REGISTER, '{}', from(`2001:db8:0:1::${count + 1}`, now)), 'invalid_request');
    await expectProblem(await register('2001:0db8:0000:0001:ffff::1'), 'rate_limited');
    expect((await register('2001:db8:0:2::1')).status).toBe(201);
  });
});
