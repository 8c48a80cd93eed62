import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { type Requests, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

/** The client of the protocol's own project against the running service, in both of its eras. */
const gateway = useSharedGateway({ files: 'built' });
const fetchImpl = (input: string | URL, init?: RequestInit): Promise<Response> => {
  const { pathname, search } = new URL(input);
  return gateway.fetch(pathname + search, init);
};

interface Found {
  readonly results: readonly { readonly id: string; readonly title: string; readonly url: string }[];
}
interface Answer {
  readonly results: readonly { readonly capsule_id: string; readonly version: string; readonly quote: { readonly text: string } }[];
}

describe.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)('MCP %s', (revision, mode) => {
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const call = async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
    expect({ isError, content }).toEqual({ isError: false, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] });
    return structuredContent as T;
  };
  beforeAll(() => client.connect(new StreamableHTTPClientTransport(new URL(`${TEST_BASE_URL}/mcp`), { fetch: fetchImpl })));
  afterAll(() => client.close());

  test('is the negotiated revision', () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  });

  test('lists tools with schemas and hints, of knowledge and of commerce', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['search', 'fetch', 'query', 'get_capsule', 'lineage', 'related', 'browse']));
    expect(names).toEqual(expect.arrayContaining(['verify_quote', 'offers', 'create_checkout']));
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema['type']).toBe('object');
      expect(outputSchema?.['type']).toBe('object');
      expect(annotations?.readOnlyHint).toEqual(expect.any(Boolean));
    }
  });

  test('search and fetch have exactly the members that research agents read', async () => {
    const { results } = await call<Found>('search', { query: 'How long does a client wait after 429?' });
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) expect(Object.keys(result)).toEqual(['id', 'title', 'url']);
    for (const { id, title, url } of results.slice(0, 4)) {
      const text = await call<Record<string, unknown>>('fetch', { id });
      expect([text['id'], text['url']]).toEqual([id, url]);
      expect(text['text']).toEqual(expect.stringMatching(/\S/));
      if (!id.startsWith('/')) expect(text).toMatchObject({ title, url, metadata: { content_sha256: expect.any(String) as unknown } });
    }
  });

  test('fetch also takes the address of a page', async () => {
    for (const [id, path] of [
      ['/buy/evidence-review', '/buy/evidence-review'],
      [`${TEST_BASE_URL}/docs/quickstart`, '/docs/quickstart'],
      [`${TEST_BASE_URL}/capsules/bm25`, '/capsules/bm25'],
    ] as const)
      expect(await call('fetch', { id })).toMatchObject({ id, url: TEST_BASE_URL + path, text: expect.stringMatching(/\w/) as unknown });
    for (const id of ['/no/such-page', '/../wrangler', '/.dev', 'https://evil.example/', `${TEST_BASE_URL}/`, '/capsules/'])
      expect(await client.callTool({ name: 'fetch', arguments: { id } })).toMatchObject({
        isError: true,
        structuredContent: { code: 'capsule_not_found' },
      });
  });

  test('a quote of a query is verified, and a changed one is not found', async () => {
    const { results } = await call<Answer>('query', { query: 'idempotency key', max_results: 2 });
    for (const { capsule_id, version, quote } of results) {
      expect(await call('verify_quote', { capsule_id, version, quote: quote.text })).toMatchObject({ verdict: 'exact' });
      expect(await call('verify_quote', { capsule_id, quote: `${quote.text}x!` })).toMatchObject({ verdict: 'not_found' });
    }
  });

  test('capsule, lineage, related capsules and lists are those of the interface', async () => {
    const { items } = await call<{ items: { capsule_id: string }[] }>('browse', { limit: 1 });
    const { capsule_id: id } = items[0] ?? { capsule_id: '' };
    const path = `/api/v1/agent-gateway/capsule/${id}`;
    expect(await call('get_capsule', { capsule_id: id })).toEqual(await (await gateway.fetch(path)).json());
    expect(await call('lineage', { capsule_id: id })).toEqual(await (await gateway.fetch(`${path}/lineage`)).json());
    expect(await call('related', { capsule_id: id })).toEqual(await (await gateway.fetch(`${path}/related`)).json());
  });

  test('a refusal is a problem that names what was meant', async () => {
    const unknown = await client.callTool({ name: 'query', arguments: { qery: 'x' } });
    expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'invalid_request', status: 400 } });
    const missing = await client.callTool({ name: 'get_capsule', arguments: { capsule_id: 'no-such-capsule-here' } });
    expect(missing).toMatchObject({ isError: true, structuredContent: { code: 'capsule_not_found' } });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    const long = await client.callTool({ name: 'search', arguments: { query: 'x'.repeat(LIMITS.queryMaxLength + 1) } });
    expect(long.isError).toBe(true);
  });

  test('capsules are resources with a template whose ids are completed', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    const uriTemplate = resourceTemplates[0]?.uriTemplate ?? '';
    const { items } = await call<{ items: { capsule_id: string }[] }>('browse', { limit: 1 });
    const id = items[0]?.capsule_id ?? '';
    const { contents } = await client.readResource({ uri: uriTemplate.replace('{capsule_id}', id) });
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.any(String) as unknown }]);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: uriTemplate },
      argument: { name: 'capsule_id', value: id },
    });
    expect(completion.values).toContain(id);
    const { resources } = await client.listResources();
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
    const { skills } = (await (await gateway.fetch('/.well-known/agent-skills/index.json')).json()) as {
      skills: { url: string }[];
    };
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(skills.map(({ url }) => url)));
    for (const uri of [`${TEST_BASE_URL}/.dev.vars`, `${TEST_BASE_URL}/capsules/../llms.txt`, 'file:///etc/passwd', 'x'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  test('skills are those of the index, and the client verifies each of their files', async () => {
    const skillsClient = new SkillsClient(client);
    expect(skillsClient.supported).toBe(true);
    const { skills } = await skillsClient.list();
    const index = (await (await gateway.fetch('/.well-known/agent-skills/index.json')).json()) as {
      skills: { url: string; digest: string }[];
    };
    expect(skills.map(({ uri, resources }) => [uri, resources])).toEqual(
      index.skills.map(({ url, digest }) => [url, [{ uri: url, digest, size: expect.any(Number) as unknown }]]),
    );
    for (const skill of skills) {
      expect(await skillsClient.read(skill)).toMatchObject({ verified: true, frontmatter: skill.frontmatter });
      expect((await skillsClient.get(skill.uri)).skill).toEqual(skill);
    }
    await expect(skillsClient.get(`${TEST_BASE_URL}/AGENTS.md`)).rejects.toMatchObject({ code: -32_602 });
  });

  test('a prompt holds what a person filled in', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['answer_with_quotes', 'check_quote']);
    const { messages } = await client.getPrompt({ name: 'answer_with_quotes', arguments: { question: 'Why?' } });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: expect.stringContaining('Why?') as unknown } }]);
    await expect(client.getPrompt({ name: 'answer_with_quotes', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });
});

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const post = (body: string, headers: Record<string, string> = {}, by: Requests = gateway): Promise<Response> =>
  by.fetch('/mcp', { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
const refused = async (response: Promise<Response>): Promise<[number, number]> => {
  const { status, ...answer } = await response.then(async (sent) => ({ status: sent.status, body: await sent.json() }));
  return [status, (answer.body as { error: { code: number } }).error.code];
};

describe('callMcp 200 application/json', () => {
  test('is one JSON object, whatever the client accepts', async () => {
    for (const accept of ['application/json', 'text/event-stream', '*/*', 'text/html']) {
      const response = await post(message('tools/list'), { Accept: accept });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) as unknown } });
    }
  });
});

describe('callMcp 202', () => {
  test('answers a notification', async () => {
    const response = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([response.status, await response.text()]).toEqual([202, '']);
  });
});

describe('callMcp 400 invalid_request', () => {
  test.each([
    ['no JSON', '{', -32_700],
    ['a batch', '[]', -32_600],
    ['no request', '{"id":7}', -32_600],
  ])('%s is an error of JSON-RPC', async (_name, body, code) => {
    expect(await refused(post(body))).toEqual([400, code]);
  });

  test.each([
    ['initialize', {}],
    ['resources/read', {}],
    ['prompts/get', {}],
    ['completion/complete', {}],
    ['skills/get', {}],
  ])('%s with the params %j is told what is missing, under its id', async (method, params) => {
    const { id, error } = (await (await post(message(method, params))).json()) as { id: number; error: { code: number; message: string } };
    expect([id, error.code]).toEqual([7, -32_602]);
    expect(error.message).toMatch(/params/);
    expect(error.message).not.toMatch(/[[{\n]/);
  });

  test('headers that contradict the body are refused', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'prompts/list' };
    expect(await refused(post(message('tools/list', { _meta: meta }), headers))).toEqual([400, -32_020]);
  });
});

describe('callMcp 400 version_unsupported', () => {
  test('names a revision that nobody has', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2031-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'MCP-Protocol-Version': '2031-01-01', 'Mcp-Method': 'tools/list' };
    expect(await refused(post(message('tools/list', { _meta: meta }), headers))).toEqual([400, -32_022]);
  });
});

describe('callMcp 403 cross_site_form', () => {
  test('refuses a page of another site where the service runs on the reader’s own machine', async () => {
    expect(await refused(post(message('tools/list'), { Origin: 'https://evil.example' }))).toEqual([403, -32_000]);
    expect((await post(message('tools/list'), { Origin: 'http://localhost:3000' })).status).toBe(200);
  });
});

describe('callMcp 404 rpc_method_not_found', () => {
  test.each(['logging/setLevel', 'tools/lists', 'constructor', 'subscriptions/listen'])('there is no method %s', async (method) => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method };
    expect(await refused(post(message(method, { _meta: meta }), headers))).toEqual([404, -32_601]);
  });
});

test.each(['GET', 'DELETE', 'PUT'])('%s is not a method of /mcp', async (method) => {
  expect((await gateway.fetch('/mcp', { method })).status).toBe(405);
});

describe('with the files of a build', () => {
  const built = useSharedGateway({ files: 'built' });
  const ask = async (method: string, params: object): Promise<unknown> => {
    const { result } = (await (await post(message(method, params), {}, built)).json()) as { readonly result: unknown };
    return result;
  };

  test('offers are the catalog', async () => {
    const catalog: unknown = await (await built.fetch('/offers.json')).json();
    expect(await ask('tools/call', { name: 'offers', arguments: {} })).toMatchObject({ isError: false, structuredContent: catalog });
  });

  test('the resource of a capsule is its markdown', async () => {
    const { resourceTemplates } = (await ask('resources/templates/list', {})) as {
      readonly resourceTemplates: readonly { readonly uriTemplate: string }[];
    };
    const uri = resourceTemplates[0]?.uriTemplate.replace('{capsule_id}', 'x402-v2') ?? '';
    const text = await (await built.fetch('/capsules/x402-v2.md')).text();
    expect(await ask('resources/read', { uri })).toMatchObject({ contents: [{ uri, mimeType: 'text/markdown', text }] });
  });

  test.each(['/mcp/server-card', '/.well-known/mcp/server-card.json', '/.well-known/mcp.json'])(
    'the card at %s names the endpoint',
    async (path) => {
      expect(await (await built.fetch(path)).text()).toContain('/mcp"');
    },
  );
});

describe('a key', () => {
  const limited = useEdgeGateway();
  const search = (headers: Record<string, string>): Promise<Response> =>
    post(message('tools/call', { name: 'search', arguments: { query: 'caching' } }), headers, limited);

  test('counts searches for its agent, with the limit of that', async () => {
    const { headers: ofNetwork } = await search({});
    expect(ofNetwork.get('RateLimit-Policy')).toContain(`"search";q=${RATE_LIMITS.search.requests}`);
    const { headers: ofKey } = await search(bearer(await makeKey({ agent: '00000000000000ab' })));
    expect(ofKey.get('RateLimit-Policy')).toContain(`"query";q=${RATE_LIMITS.query.requests}`);
    const { headers: ofRaised } = await search(bearer(await makeKey({ agent: '00000000000000ac', isRaised: true })));
    expect(ofRaised.get('RateLimit-Policy')).toContain(`"query_raised";q=${RATE_LIMITS.query_raised.requests}`);
    expect(ofRaised.get('RateLimit-Policy')).not.toContain('"search"');
  });

  test('lets an agent search after its network has used up the searches without one', async () => {
    const network = { 'CF-Connecting-IP': '203.0.113.78' };
    for (let sent = 0; sent < RATE_LIMITS.search.requests; sent += 1) await search(network);
    expect(await (await search(network)).text()).toContain('rate_limited');
    expect(await (await search({ ...network, ...bearer(await makeKey({ agent: '00000000000000ad' })) })).json()).toMatchObject({
      result: { isError: false },
    });
  });
});

describe('callMcp 503 not_configured', () => {
  const withoutSecret = useSharedGateway({ signingSecrets: undefined });

  test('a key cannot be verified without a secret; nothing else needs one', async () => {
    expect(await refused(post(message('ping'), bearer(await makeKey()), withoutSecret))).toEqual([503, -32_000]);
    expect((await post(message('ping'), {}, withoutSecret)).status).toBe(200);
  });
});

describe('the limit of searches without a key', () => {
  const limited = useEdgeGateway();

  test('counts searches over MCP, and says when to come back', async () => {
    const headers = { 'CF-Connecting-IP': '203.0.113.77' };
    let text = '';
    for (let sent = 0; sent <= RATE_LIMITS.search.requests && !text.includes('rate_limited'); sent += 1)
      text = await (await post(message('tools/call', { name: 'search', arguments: { query: 'caching' } }), headers, limited)).text();
    expect(text).toContain('retry_after_seconds');
  });
});
