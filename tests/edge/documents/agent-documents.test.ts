import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ERRORS } from '../../../src/gateway/errors.ts';
import { DOCUMENT_PATHS } from '../../../src/http/serve-file.ts';
import { ProtectedResource } from '../../../src/schemas/agents.ts';
import { Capabilities } from '../../../src/schemas/capabilities.ts';
import { GATEWAY_VERSION, LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { operationSlicePath, PATHS } from '../../../src/schemas/paths.ts';
import { makeKey } from '../../support/agent-keys.ts';
import { builtGenerated, builtOpenApi, type Requests, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { DESCRIBED } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });
const withoutFiles = useSharedGateway({ files: 'failing' });
const bare = useSharedGateway({ kv: 'unbound', state: 'unbound', signingSecrets: undefined });

/** A document without the levels of its budgets, which the database knows. */
const withoutLevels = (text: string): string => text.replaceAll(/"level":"\w+"/g, '');

/** The document at a path; it needs no store and no secret, so it is the same where there are none. */
async function documentAt(path: string, service: Requests = gateway): Promise<unknown> {
  const response = await service.fetch(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expectSharedHeaders(response.headers);
  const text = await response.text();
  for (const address of [path, `${path}?v=2&v=3&x`])
    expect(withoutLevels(await (await bare.fetch(address)).text())).toBe(withoutLevels(text));
  return JSON.parse(text);
}

async function expectAnswers(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    expect(address.startsWith(`${TEST_BASE_URL}/`)).toBe(true);
    const response = await gateway.fetch(address.slice(TEST_BASE_URL.length));
    if (response.status === 405) expect(response.headers.get('allow')).toContain('POST');
    else expect([address, response.status]).toEqual([address, 200]);
    await response.arrayBuffer();
  }
}

describe('getCapabilities 200 application/json', () => {
  test('it is of the published form and tells what the table, the limits and the corpus are', async () => {
    const capabilities = z.strictObject(Capabilities.shape).parse(await documentAt('/api/v1/agent-gateway/capabilities'));
    expect(capabilities).toMatchObject({ base_url: TEST_BASE_URL, deployment: 'live', gateway_version: GATEWAY_VERSION });
    expect(capabilities.operations.map(({ id, method, path }) => ({ id, method, path }))).toEqual(
      DESCRIBED.map(({ id, method, path }) => ({ id, method, path })),
    );
    expect(capabilities.operations.map(({ access, scope }) => scope ?? access)).toEqual(DESCRIBED.map(({ access }) => access));
    expect(Object.values(capabilities.limits)).toEqual(
      expect.arrayContaining([LIMITS.queryMaxLength, LIMITS.maxResultsMax, LIMITS.bodyMaxBytes, LIMITS.requestUrlMaxLength]),
    );
    expect(capabilities.rate_limits.policies.map(({ name, requests, window_seconds }) => [name, requests, window_seconds])).toEqual(
      Object.entries({ ...RATE_LIMITS, ...QUOTAS })
        .filter(([name]) => name !== 'pay' && name !== 'payer_claims')
        .map(([name, { requests, windowSeconds }]) => [name, requests, windowSeconds]),
    );
    expect(capabilities.rate_limits.enforcement).toBe('isolate');
  });

  test('its corpus is the one that the status and the queries tell', async () => {
    const { corpus } = Capabilities.parse(await documentAt('/api/v1/agent-gateway/capabilities'));
    expect(((await (await gateway.fetch('/api/v1/capsules/public/status')).json()) as { corpus: unknown }).corpus).toEqual(corpus);
  });

  test('every document that it names answers', async () => {
    const { documents, protocols, authentication } = Capabilities.parse(await documentAt('/api/v1/agent-gateway/capabilities'));
    expect(Object.keys(documents).length).toBeGreaterThan(10);
    await expectAnswers([
      ...Object.values(documents),
      ...protocols.map(({ document }) => document),
      ...(authentication.register === undefined ? [] : [authentication.register]),
    ]);
  });
});

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
}

test('getOpenApi 200 application/json: it is the description that the build made', async () => {
  expect(await documentAt(PATHS.openApi)).toEqual(JSON.parse(await builtOpenApi()));
});

describe('getOpenApiForAgents 200 application/json', () => {
  const read = async (path: string): Promise<OpenApi> => (await (await gateway.fetch(path)).json()) as OpenApi;
  const idsOf = ({ paths }: OpenApi): string[] =>
    Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));

  test('it describes what agents call, a part of the whole', async () => {
    const ids = idsOf(await read(PATHS.openApiAgent));
    expect(ids).toEqual(expect.arrayContaining(['queryKnowledge', 'searchKnowledge', 'getCapsule', 'registerAgent', 'submitProposal']));
    expect(DESCRIBED.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  test('each operation has a description of its own', async () => {
    for (const { id } of DESCRIBED) expect(idsOf(await read(operationSlicePath(id)))).toEqual([id]);
  });

  test('a refused request names the description of its operation', async () => {
    const response = await gateway.fetch('/api/v1/agent-gateway/search?max_results=many');
    const slice = TEST_BASE_URL + operationSlicePath('searchKnowledge');
    expect(response.headers.get('link')).toBe(`<${slice}>; rel="service-desc"`);
    expect(JSON.stringify(await response.json())).toContain(slice);
    await expectAnswers([slice]);
  });
});

describe('problem documents', () => {
  test.each(Object.keys(ERRORS))('the page that explains %s is on the site', async (code) => {
    const response = await gateway.fetch(`/problems/${code}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(code);
  });

  test('every next action of every error leads somewhere', async () => {
    const paths = Object.values(ERRORS).flatMap(({ nextActions }) =>
      nextActions.flatMap((action) => ('path' in action ? [TEST_BASE_URL + action.path] : [])),
    );
    await expectAnswers([...new Set(paths)]);
  });
});

describe('getOpenApi 503 file_unavailable', () => {
  test('where the files of the site cannot be read', async () => {
    await expectProblem(await withoutFiles.fetch(PATHS.openApi), 'file_unavailable');
  });

  test('but its entity tag is known without them', async () => {
    const etag = (await gateway.fetch(PATHS.openApi)).headers.get('etag') ?? '';
    const headers = { 'If-None-Match': etag };
    const [known, knownHead, head] = await Promise.all(
      [{ headers }, { headers, method: 'HEAD' }, { method: 'HEAD' }].map((init) => withoutFiles.fetch(PATHS.openApi, init)),
    );
    expect([known?.status, knownHead?.status, head?.status]).toEqual([304, 304, 200]);
    expect([known, knownHead, head].map((answer) => answer?.headers.get('etag'))).toEqual([etag, etag, etag]);
    await expectProblem(await withoutFiles.fetch(PATHS.openApi, { headers: { 'If-None-Match': '"x"' } }), 'file_unavailable');
  });
});

/** Addresses of this site with the media type that something says they have: links of headers and pages, and members of catalogs. */
async function declaredTypes(): Promise<[address: string, type: string][]> {
  const found: [string, string][] = [];
  const own = (href: string): string => (href.startsWith(TEST_BASE_URL) ? href.slice(TEST_BASE_URL.length) : href);
  for (const path of ['/', '/docs', '/capsules/bm25', '/buy']) {
    const response = await gateway.fetch(path, { headers: { Accept: 'text/html' } });
    for (const [, href = '', type = ''] of (response.headers.get('link') ?? '').matchAll(/<([^>]+)>[^,]*?; type="([^"]+)"/g))
      found.push([own(href), type]);
    for (const [tag] of (await response.text()).matchAll(/<link [^>]*>/g)) {
      const [, type] = / type="([^"]+)"/.exec(tag) ?? [];
      const [, href = ''] = / href="([^"]+)"/.exec(tag) ?? [];
      if (type !== undefined) found.push([own(href), type]);
    }
  }
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { href, url, type } = value as Record<string, unknown>;
    const address = href ?? url;
    if (typeof address === 'string' && typeof type === 'string' && type.includes('/')) found.push([own(address), type]);
    for (const member of Object.values(value)) walk(member);
  };
  for (const path of [PATHS.apiCatalog, PATHS.aiCatalog, PATHS.agentSkillsIndex]) walk(await (await gateway.fetch(path)).json());
  return found.filter(([href]) => href.startsWith('/'));
}

test('what is said about the media type of an address is what it has', async () => {
  const declared = await declaredTypes();
  expect(declared.length).toBeGreaterThan(20);
  const [essence] = [(type: string): string => type.split(';')[0]?.trim() ?? ''];
  for (const [address, type] of declared) {
    const response = await gateway.fetch(address.replace(/#.*/, ''), type.startsWith('text/html') ? { headers: { Accept: type } } : {});
    await response.arrayBuffer();
    expect([address, response.status, essence(response.headers.get('content-type') ?? '')]).toEqual([address, 200, essence(type)]);
  }
});

test('documents that are suggested where there is none exist', async () => {
  const list = (await builtGenerated()).documents[DOCUMENT_PATHS];
  const paths = JSON.parse(list !== undefined && 'body' in list ? list.body : '[]') as string[];
  expect(paths).toEqual(expect.arrayContaining([PATHS.agentsMd, PATHS.llmsTxt, PATHS.robots, PATHS.mcpServerCard]));
  for (const path of paths) expect([path, (await gateway.fetch(path)).status]).toEqual([path, 200]);
});

test.each([
  ['/agents.md', PATHS.agentsMd],
  ['/AGENT.md', PATHS.agentsMd],
  ['/.well-known/agent.json', PATHS.agentCard],
  ['/.well-known/llms.txt', PATHS.llmsTxt],
  ['/LLMS.txt', PATHS.llmsTxt],
  ['/llm.txt', PATHS.llmsTxt],
  ['/security.txt', PATHS.securityTxt],
  ['/.well-known/openapi.json', PATHS.openApi],
  ['/openapi.yaml', PATHS.openApi],
  ['/sitemap_index.xml', PATHS.sitemap],
  ['/rss.xml', PATHS.feed],
  ['/docs/index.md', '/docs.md'],
  ['/docs/index.html', '/docs'],
  ['/capsules/bm25/README.md', '/capsules/bm25.md'],
  ['/Docs/Quickstart.md', '/docs/quickstart.md'],
])('%s is not found, and the first step is %s', async (path, meant) => {
  const { next_actions } = await expectProblem(await gateway.fetch(path, { headers: { Accept: 'application/json' } }), 'route_not_found');
  expect(next_actions[0]).toEqual({ description: `Read ${meant}.`, method: 'GET', href: TEST_BASE_URL + meant });
});

test('getMcpResource 200 application/json: names the MCP server, at the address that clients form from its own and that a 401 of it names', async () => {
  const refused = await gateway.fetch(`${PATHS.mcp}?key=${await makeKey()}`, { method: 'POST' });
  const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const { origin, pathname } = new URL(TEST_BASE_URL + PATHS.mcp);
  expect(address).toBe(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const response = await gateway.fetch(new URL(address).pathname);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { resource, ...rest } = ProtectedResource.parse(await response.json());
  expect(resource).toBe(TEST_BASE_URL + PATHS.mcp);
  const ofSite = ProtectedResource.parse(await (await gateway.fetch(PATHS.protectedResource)).json());
  expect(ofSite).toEqual({ ...rest, resource: TEST_BASE_URL });
});
