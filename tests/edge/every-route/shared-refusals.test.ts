import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { confirmsByDatabase } from '../../../src/http/define-route.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER, type Requests, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, type FunctionRoute, refusing } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { revokeElsewhere } from '../../support/revoke-elsewhere.ts';
import { signatureOf } from '../../support/stripe-messages.ts';
import { words } from '../../support/words.ts';

const gateway = useEdgeGateway();
const withoutTables = useSharedGateway({ state: 'empty' });
const withoutDatabase = useSharedGateway({ state: 'unbound' });
const withoutSecret = useSharedGateway({ signingSecrets: undefined });

interface Changes {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly search?: string;
  readonly by?: Requests;
}

async function send({ id, path, init }: FunctionRoute, { headers = {}, body, search = '', by = gateway }: Changes = {}): Promise<Response> {
  const all = new Headers({ ...(init.headers as Record<string, string>), 'Idempotency-Key': crypto.randomUUID(), ...headers });
  // A probe has a clock of its own, which a shared service does not take.
  if (by !== gateway) all.delete(NOW_HEADER);
  if (body !== undefined && !('Content-Type' in headers)) all.set('Content-Type', 'application/json');
  if (body !== undefined && id === 'takeProcessorMessage') all.set('Stripe-Signature', signatureOf(body));
  return by.fetch(path + search, { ...init, headers: all, ...(body === undefined ? {} : { body }) });
}
const withKey = (each: FunctionRoute, Authorization: string, changes: Changes = {}): Promise<Response> =>
  send(each, { ...changes, headers: { ...changes.headers, Authorization } });

/** Some of the cases, so that each route meets a part of them and each case several routes. */
function partOf<T>(cases: readonly T[], { id }: FunctionRoute, parts: number): T[] {
  const turn = FUNCTION_ROUTES.findIndex((each) => each.id === id) % parts;
  return cases.filter((_, at) => at % parts === turn);
}

describe.each(refusing('invalid_json'))('$id invalid_json', (each) => {
  const deep = `{"a":${'['.repeat(LIMITS.jsonMaxDepth)}${']'.repeat(LIMITS.jsonMaxDepth)}}`;
  const objects = ['{', '{"a":1,"a":2}', '{"__proto__":{}}', '{"a":"\\ud800"}', deep, new Uint8Array([0x7b, 0xff, 0x7d])];
  // JSON-RPC has a code of its own for JSON that is no request.
  const others = each.route.protocol?.nonObjectCode !== undefined ? [] : ['[]', 'null', '"x"'];
  const bodies = each.id === 'takeProcessorMessage' ? ['{', '[]'] : [...objects, ...others];

  // tests/unit/http/parse-json.test.ts has every form.
  test.each(partOf(bodies, each, Math.min(4, bodies.length)))('%s', async (body) => {
    await expectRefusal(await send(each, { body }), 'invalid_json', each.route);
  });
});

describe.each(refusing('payload_too_large'))('$id payload_too_large', (each) => {
  const { bodyLimits, acceptsBytes } = each.route;
  const maxBytes = acceptsBytes ? LIMITS.processorEventMaxBytes : (bodyLimits?.maxBytes ?? LIMITS.bodyMaxBytes);

  test('a body of one byte too many', async () => {
    await expectRefusal(await send(each, { body: `"${'x'.repeat(maxBytes - 1)}"` }), 'payload_too_large', each.route);
  });
});

describe.each(refusing('unsupported_media_type'))('$id unsupported_media_type', (each) => {
  const { bodyTypes = ['application/json'] } = each.route;
  const form = 'application/x-www-form-urlencoded';
  const types = ['text/plain', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16', `${form}x`, form];
  const refused = types.filter((type) => !bodyTypes.some((taken) => taken === type));
  test.each(partOf(refused, each, 3))('%s', async (type) => {
    await expectRefusal(await send(each, { headers: { 'Content-Type': type }, body: '{}' }), 'unsupported_media_type', each.route);
  });

  test('a content coding', async () => {
    await expectRefusal(await send(each, { headers: { 'Content-Encoding': 'gzip' }, body: '{}' }), 'unsupported_media_type', each.route);
  });
});

describe.each(refusing('cross_site_form', 'callMcp', 'callUcpTool'))('$id cross_site_form', (each) => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  test.each<[string, Record<string, string>]>([
    ['another site', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['another site, by its metadata', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('a form of %s', async (_name, headers) => {
    await expectRefusal(await send(each, { headers: { ...form, ...headers }, body: 'items=a' }), 'cross_site_form', each.route);
  });

  test.each<[string, Record<string, string>]>([
    ['this site', { Origin: TEST_BASE_URL, 'Sec-Fetch-Site': 'same-origin' }],
    ['this site, in a browser without metadata', { Origin: TEST_BASE_URL }],
    ['no browser', {}],
  ])('not a form of %s', async (_name, headers) => {
    const response = await send(each, { headers: { ...form, ...headers }, body: 'items=a' });
    expect(await response.text()).not.toContain('cross_site_form');
  });
});

describe.each(refusing('invalid_idempotency_key'))('$id invalid_idempotency_key', (each) => {
  const keys = ['""', 'a b'.repeat(10), 'x'.repeat(LIMITS.idempotencyKeyMaxLength + 1)];
  const isAgentsOwn = each.route.access === 'buy' || each.route.access === 'submit';

  test.each(isAgentsOwn ? keys : [...keys, 'x'])('%s', async (key) => {
    await expectRefusal(await send(each, { headers: { 'Idempotency-Key': key } }), 'invalid_idempotency_key', each.route);
  });
});

describe.each(refusing('api_key_missing'))('$id api_key_missing', (each) => {
  test.each(['', ' '])('an Authorization of "%s"', async (header) => {
    const response = await withKey(each, header);
    expect(response.headers.get('www-authenticate')).not.toContain('error=');
    await expectRefusal(response, 'api_key_missing', each.route);
  });
});

describe.each(refusing('api_key_invalid'))('$id api_key_invalid', (each) => {
  test('another scheme, a character too many, and a key of another deployment', async () => {
    const key = await makeKey();
    for (const header of [`Basic ${key}`, `Bearer ${key}0`, `Bearer ${await makeKey({}, { prefix: 'akg_live_' })}`])
      await expectRefusal(await withKey(each, header), 'api_key_invalid', each.route);
  });
});

describe.each(refusing('api_key_expired'))('$id api_key_expired', (each) => {
  test('in the moment in which the life of the key ends', async () => {
    const issuedMinute = minuteOf(Date.now());
    const headers = { [NOW_HEADER]: String(issuedMinute * 60_000 + LIMITS.keyTtlDays * 86_400_000) };
    const { Authorization = '' } = bearer(await makeKey({ issuedMinute }));
    await expectRefusal(await withKey(each, Authorization, { headers }), 'api_key_expired', each.route);
  });
});

describe.each(refusing('api_key_in_url'))('$id api_key_in_url', (each) => {
  test('beside the same key in the header', async () => {
    const key = await makeKey();
    await expectRefusal(await withKey(each, `Bearer ${key}`, { search: `?api_key=${key}` }), 'api_key_in_url', each.route);
  });

  test('anywhere in the URL, however it is encoded, and it is neither repeated nor kept', async () => {
    const key = await makeKey();
    const encoded = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const [path = '', search] = each.path.split('?');
    const parameters = [...new URLSearchParams(search).keys(), 'client_reference_id', 'x'];
    for (const text of [key, ...partOf([encoded, encoded.replaceAll('%', '%25')], each, 2)]) {
      const beside = `${search === undefined ? '?' : `?${search}&`}y=a${text}`;
      const searches = text === key ? [...parameters.map((name) => `?${name}=${text}`), `?${text}`, beside] : [beside];
      for (const sent of searches) {
        const response = await send({ ...each, path }, { search: sent });
        expect(JSON.stringify([...response.headers])).not.toContain(key.slice(12));
        const { text: said } = await expectRefusal(response, 'api_key_in_url', each.route);
        expect(said).toContain('treat this key as compromised');
        expect(said).not.toContain(key.slice(12));
      }
      if (!each.route.path.includes('{')) continue;
      const address = each.route.path.replace(/\{[^{}]+\}/g, text);
      const response = await send({ ...each, path: address });
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect([response.status, (await response.text()).includes(key.slice(12))]).toEqual([401, false]);
    }
  });
});

describe('a key in the URL of a page or a file', () => {
  const site = useSharedGateway({ files: 'built' });

  test('is refused at every address of the site that functions answer', async () => {
    const key = await makeKey();
    for (const path of [...words`/ /capsules /capsules/bm25 /capsules/bm25.md /docs/quickstart /AGENTS.md /nothing /docs/ /buy/x`]) {
      const response = await site.fetch(`${path}?x=${key}`);
      expect(JSON.stringify([...response.headers])).not.toContain(key.slice(12));
      expect((await expectProblem(response, 'api_key_in_url')).instance).toBe(path);
    }
    for (const path of [`/capsules/${key}`, `/${key}.md`, `/docs/${key}/x`])
      expect((await expectProblem(await site.fetch(path), 'api_key_in_url')).instance).not.toContain(key.slice(12));
  });

  test('is refused with a page where a browser asks for one, without the key in its form', async () => {
    const key = await makeKey();
    for (const path of ['/search?q=', '/checkout?items=', '/invoice?items=']) {
      const response = await site.fetch(path + key, { headers: { Accept: 'text/html' } });
      const { status, headers } = response;
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([401, 'text/html; charset=utf-8', 'no-store']);
      const text = await response.text();
      expect(text).toContain('treat this key as compromised');
      expect(text).not.toContain(key.slice(12));
    }
  });
});

function withText(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    withText(member, text).map((changed) => (Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed })),
  );
}

describe.each(FUNCTION_ROUTES.filter(({ route, init }) => route.body !== undefined && init.body !== undefined))(
  '$id with a key',
  (each) => {
    test('in a text of its body is refused, and the key is not repeated', async () => {
      const key = await makeKey();
      for (const body of withText(JSON.parse(String(each.init.body)), `my key is ${key}`)) {
        const response = await send(each, { body: JSON.stringify(body) });
        expect([response.ok, (await response.text()).includes(key.slice(12))]).toEqual([false, false]);
      }
    });
  },
);

describe.each(refusing('api_key_revoked'))('$id api_key_revoked', (each) => {
  test('at once: by its agent, and in another isolate where the database confirms keys', async () => {
    const agent = `0000000000${(refusing('api_key_revoked').indexOf(each) + 16).toString(16)}0bad`;
    const issuedMinute = minuteOf(Date.now());
    const key = await makeKey({ agent, issuedMinute, scopes: ['read', 'submit', 'buy'] });
    if (confirmsByDatabase(each.route)) await revokeElsewhere(gateway, { agent, serial: null, issuedMinute });
    else expect((await gateway.post(`${PATHS.agentKeys}/revoke`, {}, bearer(key))).status).toBe(200);
    await expectRefusal(await withKey(each, `Bearer ${key}`), 'api_key_revoked', each.route);
  });
});

describe.each(refusing('insufficient_scope', 'rotateKey'))('$id insufficient_scope', (each) => {
  test('a key with every scope but the one that is needed', async () => {
    const scopes = (['read', 'submit', 'buy', 'metrics'] as const).filter((scope) => scope !== each.route.access);
    await expectRefusal(await withKey(each, `Bearer ${await makeKey({ scopes })}`), 'insufficient_scope', each.route);
  });
});

// The payment processor signs its messages, a checkout page needs a secret for it alone, some tools need none, and over MCP only a key does.
describe.each(refusing('not_configured', 'takeProcessorMessage', 'openCheckout', 'callUcpTool', 'callMcp'))(
  '$id not_configured',
  (each) => {
    test('without a signing secret', async () => {
      await expectRefusal(await send(each, { by: withoutSecret }), 'not_configured', each.route);
    });
  },
);

describe.each(refusing('state_unavailable', 'callUcpTool'))('$id state_unavailable', (each) => {
  test('while the database does not answer, the caller is told to come back', async () => {
    const { retryAfterSeconds } = await expectRefusal(await send(each, { by: withoutTables }), 'state_unavailable', each.route);
    expect(retryAfterSeconds).toBeGreaterThan(0);
  });

  test('without a database nothing can be confirmed or stored', async () => {
    const isOpenShop =
      (each.route.capability === 'commerce' && each.route.access === 'open') || ['sendMessage', 'getHealth'].includes(each.id);
    await expectRefusal(await send(each, { by: withoutDatabase }), isOpenShop ? 'state_unavailable' : 'not_configured', each.route);
  });
});
