import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

/** The client of the protocol's own project against the running service, in both of its eras. */
const gateway = useSharedGateway({ files: 'built' });
const fetchImpl = (input: string | URL, init?: RequestInit): Promise<Response> => {
  const { pathname, search } = new URL(input);
  return gateway.fetch(pathname + search, init);
};

interface Found {
  readonly results: readonly (Readonly<Record<'id' | 'title' | 'url' | 'kind' | 'quote', string>> & {
    readonly answer?: string;
    readonly table_header?: string;
  })[];
}
interface ToolProblem {
  readonly code: string;
  readonly detail: string;
  readonly next_actions: readonly { readonly description: string; readonly tool?: string; readonly arguments?: { readonly id?: string } }[];
}
const textOf = (result: { readonly content: readonly unknown[] }): string => {
  const [only, ...others] = result.content as { readonly text: string }[];
  expect(others).toEqual([]);
  return only?.text ?? '';
};

describe.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)('MCP %s', (revision, mode) => {
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const call = async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    const result = await client.callTool({ name, arguments: args });
    // Text alone: results are not sent twice.
    expect([result.isError, result.structuredContent]).toEqual([false, undefined]);
    return JSON.parse(textOf(result)) as T;
  };
  const refusal = async (name: string, args: Record<string, unknown>): Promise<ToolProblem> => {
    const result = await client.callTool({ name, arguments: args });
    expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
    return JSON.parse(textOf(result)) as ToolProblem;
  };
  beforeAll(() => client.connect(new StreamableHTTPClientTransport(new URL(`${TEST_BASE_URL}/mcp`), { fetch: fetchImpl })));
  afterAll(() => client.close());

  test('is the negotiated revision', () => expect(client.getNegotiatedProtocolVersion()).toBe(revision));

  test('lists few tools, which fit in 2,500 tokens of four bytes', async () => {
    const { tools } = await client.listTools();
    // Everything in the sample shop is a demonstration, so nothing can be paid.
    expect(tools.map(({ name }) => name)).toEqual(['search', 'fetch', 'verify_quote', 'query', 'browse', 'offers']);
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema['type']).toBe('object');
      expect([outputSchema, annotations?.readOnlyHint]).toEqual([undefined, true]);
    }
    expect(JSON.stringify(tools).length / 4).toBeLessThan(2_500);
  });

  test('a journey of five results, a capsule and a verified quotation costs at most 2,500 tokens of four bytes', async () => {
    const tokensOf = (result: object): number => Math.ceil(Buffer.byteLength(JSON.stringify(result)) / 4);
    const read = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      return { tokens: tokensOf(result), value: JSON.parse(textOf(result)) as unknown };
    };
    const search = await read('search', { query: 'How long does a client wait after 429?' });
    const { results } = search.value as Found;
    expect(results).toHaveLength(5);
    const [{ id, quote } = { id: '', quote: '' }] = results;
    const [text, check] = [await read('fetch', { id }), await read('verify_quote', { id, quote })];
    const tokens = { search: search.tokens, fetch: text.tokens, verify_quote: check.tokens };
    console.info(
      `tokens of a journey over MCP ${revision}: ${JSON.stringify({ 'tools/list': tokensOf(await client.listTools()), ...tokens })}`,
    );
    expect(Object.values(tokens).reduce((sum, cost) => sum + cost)).toBeLessThan(2_500);
    // The text is sent once, and no digest with a verdict.
    expect(JSON.stringify(text.value).split(quote.slice(0, 40)).length).toBeLessThanOrEqual(2);
    expect(check.value).toMatchObject({ verdict: 'exact' });
    expect(JSON.stringify(check.value)).not.toMatch(/[0-9a-f]{64}/);
  });

  test('search has the first row of a table beside rows of it', async () => {
    const query = 'media type of an MCP server card';
    const { results } = JSON.parse(textOf(await client.callTool({ name: 'search', arguments: { query } }))) as Found;
    const { answer, table_header: header } = results.find(({ id }) => id === 'mcp-server-cards') ?? {};
    expect([answer, header]).toEqual(['| Media type | `application/mcp-server-card+json` |', expect.stringMatching(/^\| .* \|$/)]);
  });

  test('search and fetch have the members that research agents read, and what says whether to rely on a result', async () => {
    const { results } = await call<Found>('search', { query: 'How long does a client wait after 429?' });
    expect(results.length).toBeGreaterThan(0);
    for (const result of results)
      expect(result).toMatchObject({
        ...{ id: expect.any(String) as unknown, title: expect.any(String) as unknown, url: expect.stringMatching(/^http/) as unknown },
        ...{ level: expect.stringMatching(/^(strong|partial|weak)$/) as unknown, quote: expect.stringMatching(/\S/) as unknown },
        ...(result.kind === 'capsule' ? { status: expect.any(String) as unknown } : {}),
      });
    for (const { id, kind, title, url, quote } of results.slice(0, 4)) {
      const text = await call<Record<string, unknown>>('fetch', { id });
      expect([text['id'], text['url']]).toEqual([id, url]);
      expect(await call('verify_quote', { id, quote })).toMatchObject({ verdict: 'exact' });
      if (kind === 'capsule') expect(text).toMatchObject({ title, metadata: { content_sha256: expect.any(String) as unknown } });
    }
  });

  test('fetch takes every id that query, browse and offers give', async () => {
    const found = await call<{ results: readonly { kind: string; id?: string; capsule_id?: string; version?: string }[] }>('query', {
      query: 'price of an evidence review after a rate limit',
      kind: ['capsule', 'guide', 'offer', 'error'],
      max_results: 20,
    });
    expect(new Set(found.results.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    const ids = found.results.map(({ id, capsule_id, version }) => id ?? `${capsule_id}@${version}`);
    const { items } = await call<{ items: readonly { capsule_id: string }[] }>('browse', { limit: 2 });
    const { offers } = await call<{ offers: readonly { id: string; url: string }[] }>('offers', {});
    expect(offers.length).toBeGreaterThan(0);
    const ofOthers = [
      'rate_limited',
      'docs/searching',
      '/docs/api/registerAgent',
      `${TEST_BASE_URL}/llms.txt`,
      '/capsules/bm25/1.0.0.md',
      '/capsules/bm25/lineage.json#x',
    ];
    for (const id of [...ids, ...items.map(({ capsule_id }) => capsule_id), ...offers.flatMap(({ id, url }) => [id, url]), ...ofOthers])
      expect([id, await call('fetch', { id })]).toEqual([id, expect.objectContaining({ text: expect.stringMatching(/\S/) as unknown })]);
  });

  test('fetch also takes the address of a page', async () => {
    for (const [id, path] of [
      ['/buy/evidence-review', '/buy/evidence-review'],
      [`${TEST_BASE_URL}/docs/quickstart`, '/docs/quickstart'],
      [`${TEST_BASE_URL}/capsules/bm25`, '/capsules/bm25'],
    ] as const)
      expect(await call('fetch', { id })).toMatchObject({ id, url: TEST_BASE_URL + path, text: expect.stringMatching(/\w/) as unknown });
    for (const id of ['/no/such-page', '/../wrangler', '/.dev', 'https://evil.example/', '/capsules/', 'bm25@9.9.9', 'a b'])
      expect(await refusal('fetch', { id })).toMatchObject({ code: 'capsule_not_found' });
  });

  test('fetch includes what a capsule is made of, its lineage and its neighbours', async () => {
    const path = '/api/v1/agent-gateway/capsule/bm25';
    const json = async (address: string): Promise<object> => (await gateway.fetch(address)).json() as Promise<object>;
    const { markdown: _text, ...details } = (await json(path)) as { readonly markdown: string };
    const { items } = (await json(`${path}/related`)) as { readonly items: readonly { readonly capsule_id: string }[] };
    const whole = await call<{ related: readonly { id: string }[] }>('fetch', { id: 'bm25', include: ['details', 'lineage', 'related'] });
    expect(whole).toMatchObject({ details, lineage: await json(`${path}/lineage`) });
    expect(whole.related.map(({ id }) => id)).toEqual(items.map(({ capsule_id }) => capsule_id));
  });

  test('a refusal names what was meant, and tools instead of addresses', async () => {
    expect(await refusal('query', { qery: 'x' })).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('tool call') as unknown,
    });
    const missing = await refusal('fetch', { id: 'bm-25' });
    expect(missing).toMatchObject({ code: 'capsule_not_found', detail: expect.stringContaining('"bm25"') as unknown });
    expect(missing.next_actions).toContainEqual({ description: 'Fetch "bm25".', tool: 'fetch', arguments: { id: 'bm25' } });
    for (const args of [{}, { id: 'x@9' }, { id: 'nothing-like-this' }]) {
      const { next_actions: steps } = await refusal('fetch', args);
      expect(JSON.stringify(steps)).not.toMatch(/https?:|\/api\//);
      for (const { tool, arguments: of } of steps)
        if (tool === 'fetch' && of?.id !== undefined) expect(await call('fetch', { id: of.id })).toMatchObject({ id: of.id });
    }
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.callTool({ name: 'create_checkout', arguments: {} })).rejects.toThrow('/api/v1/ucp/mcp');
    expect((await refusal('search', { query: 'x'.repeat(LIMITS.queryMaxLength + 1) })).code).toBe('invalid_request');
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
    const complete = async (value: string): Promise<readonly string[]> =>
      (await client.complete({ ref: { type: 'ref/resource', uri: uriTemplate }, argument: { name: 'capsule_id', value } })).completion
        .values;
    const all = await complete('');
    expect(all.length).toBeGreaterThan(20);
    for (const beginning of ['b', 'bm', 'bm25', 'x402-v', 'zzz', 'B'])
      expect([beginning, await complete(beginning)]).toEqual([beginning, all.filter((known) => known.startsWith(beginning))]);
    const { resources } = await client.listResources();
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
    const { skills } = (await (await gateway.fetch('/.well-known/agent-skills/index.json')).json()) as { skills: { url: string }[] };
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

test('callMcp 200 application/json: is one JSON object, whatever the client accepts', async () => {
  for (const accept of ['application/json', 'text/event-stream', '*/*', 'text/html']) {
    const response = await post(message('tools/list'), { Accept: accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) as unknown } });
  }
});

describe('a call of a tool', () => {
  const call = async (name: string, args: unknown) => {
    const answer = await (await post(message('tools/call', { name, arguments: args } as object))).json();
    return (answer as { result: { isError: boolean; content: [{ text: string }] } }).result;
  };

  test('takes null for what is left out, as strict clients send it', async () => {
    const unset = { cursor: null, filters: { type: null }, kind: null };
    expect(await call('query', { query: 'bm25', ...unset })).toEqual(await call('query', { query: 'bm25' }));
    expect(await call('offers', null)).toMatchObject({ isError: false });
    expect((await call('search', { query: null })).content[0].text).toContain('/query is missing');
  });

  test('names the capsule of a quotation as the other interfaces do, too', async () => {
    const checked = await call('verify_quote', { capsule_id: 'bm25', quote: 'saturation' });
    expect(checked).toMatchObject({ isError: false });
    expect(checked).toEqual(await call('verify_quote', { id: 'bm25', quote: 'saturation' }));
  });

  test.each<readonly [name: string, args: object, pointer: string]>([
    ['verify_quote', { capsule_id: 'bm26', quote: 'a' }, '/capsule_id'],
    ['verify_quote', { capsule_id: 5, quote: 'a' }, '/capsule_id'],
    ['verify_quote', { id: 'bm26', quote: 'a' }, '/id'],
    ['verify_quote', { id: 'bm25', version: '9.9.9', quote: 'a' }, '/version'],
    ['verify_quote', { id: 'bm25@9.9.9', quote: 'a' }, '/id'],
    ['fetch', { id: 'bm25@9.9.9' }, '/id'],
    ['browse', { limit: '5' }, '/limit'],
    ['query', { query: 'a', max_results: '5' }, '/max_results'],
    ...['search', 'fetch', 'verify_quote', 'query', 'browse', 'offers'].map((name) => [name, { nothing: 1 }, '/nothing'] as const),
  ])('%s with %j is refused for the argument that was sent: %s', async (name, args, pointer) => {
    const { content, isError } = await call(name, args);
    const { detail, errors } = JSON.parse(content[0].text) as { detail: string; errors: { pointer: string }[] };
    expect([isError, errors.map((error) => error.pointer)]).toEqual([true, expect.arrayContaining([pointer])]);
    if (errors.length === 1 && detail.startsWith('The tool call')) expect(detail).toContain(` ${pointer} `);
  });

  test('search with arguments of query leads to query', async () => {
    const stepsOf = async (args: object) =>
      (JSON.parse((await call('search', args)).content[0].text) as { next_actions: { tool?: string }[] }).next_actions;
    expect((await stepsOf({ query: 'bm25', max_results: 2 }))[0]).toEqual({
      description: 'Call query, which takes "max_results".',
      tool: 'query',
    });
    // A name that query has under another one.
    expect((await stepsOf({ query: 'bm25', limit: 2 }))[0]?.tool).toBe('query');
    expect((await stepsOf({ query: 'bm25', colour: 'red' })).map(({ tool }) => tool)).not.toContain('query');
  });

  test('is refused without advice that only requests over HTTP can follow', async () => {
    expect((await call('query', { querry: 'bm25' })).content[0].text).not.toContain('Idempotency-Key');
  });
});

test.each(['2024-11-05', '2025-03-26'])('a client of an early revision that begins with %s keeps it', async (protocolVersion) => {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  expect(await (await post(message('initialize', params))).json()).toMatchObject({ result: { protocolVersion } });
});

test('callMcp 202: answers a notification', async () => {
  const response = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  expect([response.status, await response.text()]).toEqual([202, '']);
});

describe('callMcp 400 invalid_request', () => {
  test.each([
    ['no JSON', '{', -32_700],
    ['a batch', `[${message('ping')}]`, -32_600],
    ['no request', '{"id":7}', -32_600],
  ])('%s is an error of JSON-RPC', async (_name, body, code) => expect(await refused(post(body))).toEqual([400, code]));

  test('says in its message what is wrong', async () => {
    const { error } = (await (await post('{"jsonrpc":"1.0","id":7,"method":"ping"}')).json()) as { error: { message: string } };
    expect(error.message).toBe('The body is invalid: /jsonrpc must be "2.0".');
  });

  test('has the id of the request where the key is refused', async () => {
    const response = await post(message('ping'), bearer('akg_test_nonsense'));
    expect([response.status, await response.json()]).toEqual([401, expect.objectContaining({ id: 7 })]);
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

  test.each([{ name: 1 }, { name: 'search', arguments: 'x' }, { name: 'search', arguments: [] }, { arguments: {} }])(
    'tools/call with %j is told in plain words',
    async (params) => {
      const { error } = (await (await post(message('tools/call', params))).json()) as { error: { code: number; message: string } };
      expect(error.code).toBe(-32_602);
      expect(error.message).toMatch(/^The params of tools\/call are invalid: params\.\w+ (must be|is missing)[\w ]*\.$/);
    },
  );

  test.each([
    ['tools/list', { cursor: 'abc' }, 'The list of tools/list has one page. Send no cursor.'],
    ['resources/templates/list', { cursor: 'abc' }, 'The list of resources/templates/list has one page. Send no cursor.'],
  ])('%s with %j is told what to send instead', async (method, params, text) => {
    const { error } = (await (await post(message(method, params))).json()) as { error: { message: string } };
    expect(error.message).toBe(text);
  });

  test('headers that contradict the body are refused', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'prompts/list' };
    expect(await refused(post(message('tools/list', { _meta: meta }), headers))).toEqual([400, -32_020]);
  });
});

test('callMcp 400 version_unsupported: names a revision that nobody has', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2031-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
  const headers = { 'MCP-Protocol-Version': '2031-01-01', 'Mcp-Method': 'tools/list' };
  expect(await refused(post(message('tools/list', { _meta: meta }), headers))).toEqual([400, -32_022]);
});

test('callMcp 403 cross_site_form: refuses a page of another site where the service runs on the reader’s own machine', async () => {
  expect(await refused(post(message('tools/list'), { Origin: 'https://evil.example' }))).toEqual([403, -32_000]);
  expect((await post(message('tools/list'), { Origin: 'http://localhost:3000' })).status).toBe(200);
});

test.each(['logging/setLevel', 'tools/lists', 'constructor', 'subscriptions/listen'])(
  'callMcp 404 rpc_method_not_found: there is no method %s',
  async (method) => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method };
    expect(await refused(post(message(method, { _meta: meta }), headers))).toEqual([404, -32_601]);
  },
);

test.each(['/mcp/server-card', '/.well-known/mcp/server-card.json', '/.well-known/mcp.json'])(
  'the card at %s names the endpoint',
  async (path) => expect(await (await gateway.fetch(path)).text()).toContain('/mcp"'),
);

describe('a key', () => {
  const limited = useInProcessGateway();
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
    // One time for all, so that no new window begins meanwhile.
    const network = { 'CF-Connecting-IP': '203.0.113.78', [NOW_HEADER]: String(Date.now()) };
    for (let sent = 0; sent < RATE_LIMITS.search.requests; sent += 1) await search(network);
    expect(await (await search(network)).text()).toMatch(/rate_limited[\s\S]*retry_after_seconds/);
    expect(await (await search({ ...network, ...bearer(await makeKey({ agent: '00000000000000ad' })) })).json()).toMatchObject({
      result: { isError: false },
    });
  });
});

describe('callMcp 503 not_configured', () => {
  const withoutSecret = useInProcessGateway({ signingSecrets: undefined });

  test('a key cannot be verified without a secret; nothing else needs one', async () => {
    expect(await refused(post(message('ping'), bearer(await makeKey()), withoutSecret))).toEqual([503, -32_000]);
    expect((await post(message('ping'), {}, withoutSecret)).status).toBe(200);
  });
});
