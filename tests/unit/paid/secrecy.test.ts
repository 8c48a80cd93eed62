import { beforeAll, describe, expect, it } from 'vitest';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { BlockCache } from '../../../src/gateway/knowledge/load-block.ts';
import { RecordPage } from '../../../src/gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { Challenge } from '../../../src/schemas/api-keys.ts';
import type { PaidText } from '../../../src/schemas/knowledge/generation-manifest.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { PATHS, quoteApiPath } from '../../../src/schemas/paths.ts';
import type { Problem } from '../../../src/schemas/problem-details.ts';
import { SENTENCE_SCORE_WEIGHT } from '../../../src/search/ranking-parameters.ts';
import type { DocumentFile } from '../../../src/text/publication-model.ts';
import { seededRandom } from '../../eval/random.ts';
import { testRanking } from '../../support/compiled-kernel.ts';
import type { Generated } from '../../support/edge-gateway.ts';
import { CANARY_SENTENCE, CANARY_WORDS, canariesIn, leaksOf, PLANTED, PLANTED_PRICE, SOLD_HEADING } from '../../support/paid-content.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { makePublication } from '../../support/sample-content.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import { buildInTurn, type InMemoryBuild } from '../../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../../support/simulated/time.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';
import { plantedContent } from './planted-publication.ts';

const TITLE = 'What a payment endpoint must never do with a stored answer';

interface Asked {
  readonly request: string;
  readonly status: number;
  readonly answer: string;
}

interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function askEverything({ generated, blocks }: InMemoryBuild): Promise<Asked[]> {
  const time = new SimulatedTime(Date.UTC(2026, 10, 22));
  const database = simulatedDatabase(time);
  const keyValue = simulatedKeyValue(time);
  keyValue.fill([...blocks]);
  const lifted: Generated = { ...generated, deployment: { ...generated.deployment, rateLimits: 'bench', intake: 'open' } };
  const gateway = await simulatedGateway({
    generated: lifted,
    world: simulatedRuntime(time, seededRandom(7)),
    database: database.binding(),
    keyValue: keyValue.binding('here'),
  });
  const asked: Asked[] = [];
  const send = async ({ method = 'GET', path, body, headers = {} }: Ask): Promise<string> => {
    await time.advance(25);
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const request = new Request(lifted.deployment.baseUrl + path, { method, headers: { ...type, ...headers }, ...init });
    const background: Promise<unknown>[] = [];
    const response = await gateway(request, (work) => void background.push(work));
    const text = await response.text();
    await Promise.all(background);
    const told = [...response.headers].filter(([name]) => name !== 'x-request-id').map((header) => header.join(': '));
    asked.push({
      request: `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body)}`,
      status: response.status,
      answer: `${told.join('\n')}\n\n${text}`,
    });
    return text;
  };
  const challenge = Challenge.parse(JSON.parse(await send({ path: `${PATHS.gateway}/challenge` })));
  const registration = { agent_name: 'canary', scopes: ['read', 'submit'], challenge: await solveChallenge(challenge) };
  const { api_key: key } = JSON.parse(await send({ method: 'POST', path: `${PATHS.gateway}/register`, body: registration })) as {
    api_key: string;
  };
  asked.length = 0;
  const authorized = { Authorization: `Bearer ${key}` };
  for (const body of queries()) {
    const text = await send({ method: 'POST', path: `${PATHS.gateway}/query`, body, headers: authorized });
    const cursor = (JSON.parse(text) as { page?: { next_cursor: string | null } }).page?.next_cursor;
    if (cursor) await send({ method: 'POST', path: `${PATHS.gateway}/query`, body: { ...body, cursor }, headers: authorized });
  }
  for (const one of plainRequests()) await send(one);
  for (const [number, body] of [...proposals()].entries()) {
    const headers = { ...authorized, 'Idempotency-Key': `"proposal-number-${number}"` };
    await send({ method: 'POST', path: `${PATHS.publicCapsules}/intake`, body, headers });
  }
  for (const path of [`${PATHS.publicCapsules}/browse`, `${PATHS.publicCapsules}/changes`]) await followCursors(path, send);
  database.close();
  return asked;
}

async function followCursors(path: string, send: (ask: Ask) => Promise<string>): Promise<void> {
  let cursor: string | null | undefined;
  do {
    const text = await send({ path: `${path}?limit=20${cursor ? `&cursor=${cursor}` : ''}` });
    const answer = JSON.parse(text) as { page?: { next_cursor: string | null }; cursor?: string; has_more?: boolean };
    cursor = answer.page ? answer.page.next_cursor : answer.has_more ? answer.cursor : null;
  } while (cursor);
}

/** Words of the text as they are and misspelt, in parts and in runs, under every kind of option. */
function* queries(): Generator<Record<string, unknown>> {
  const [first, second, third, fourth, fifth] = CANARY_WORDS;
  const misspelt = CANARY_WORDS.flatMap((word) => [
    word.slice(0, -1),
    word.slice(1),
    `${word}s`,
    `${word[1]}${word[0]}${word.slice(2)}`,
    `${word.slice(0, 4)}x${word.slice(5)}`,
    word.slice(0, 5),
    word.toUpperCase(),
  ]);
  const texts = [
    ...CANARY_WORDS,
    ...misspelt,
    CANARY_SENTENCE,
    `"${CANARY_SENTENCE}"`,
    `${first} ${second}`,
    `${second} ${first} stored answer`,
    `${third} ${fourth} ${fifth}`,
    `stored answer of a payment endpoint ${fourth}`,
    TITLE,
    'points of this list in plain words',
    'whoever pays learns',
    'eleven checks before a deployment',
    'stored answer reused for another buyer',
    SOLD_HEADING.toLowerCase(),
  ];
  const options: Record<string, unknown>[] = [
    {},
    { explain: true },
    { max_results: 1 },
    { max_results: 20, token_budget: 3_000 },
    { token_budget: 256 },
    { filters: { type: 'practice' } },
    { filters: { tags: ['payments'] }, facets: ['type', 'tags', 'language', 'status'] },
    { filters: { tags: ['nothing-has-this'] } },
    { filters: { type: 'measurement', language: 'de' }, explain: true },
    { filters: { status: 'retracted' } },
    { exclude_ids: [PLANTED] },
    { filters: { updated_after: '2026-11-21', updated_before: '2026-11-23' }, explain: true },
  ];
  // The words themselves meet every option, and what resembles them every fourth one.
  for (const [at, query] of texts.entries())
    for (const [number, option] of options.entries()) if (!misspelt.includes(query) || (at + number) % 4 === 0) yield { query, ...option };
}

/** Everything else that names the capsule, its versions or its words. */
function* plainRequests(): Generator<Ask> {
  const api = `${PATHS.gateway}/capsule/${PLANTED}`;
  const paths = [
    api,
    `${api}?version=1.0.0`,
    `${api}?version=1.1.0`,
    `${api}?version=9.9.9`,
    `${api}?version=${CANARY_WORDS[0]}`,
    `${api}?q=${CANARY_WORDS[0]}`,
    `${api}/lineage`,
    `${api}/related`,
    `${PATHS.gateway}/capsule/http-freshness/related`,
    `${PATHS.gateway}/capsule/http-freshness/lineage`,
    `${PATHS.gateway}/capsule/x402-v2/lineage`,
    `${PATHS.gateway}/capsule/x402-v2/related`,
    `${PATHS.gateway}/capabilities`,
    `${PATHS.publicCapsules}/status`,
    `${PATHS.publicCapsules}/intake`,
    `${PATHS.publicCapsules}/changes`,
    `${PATHS.publicCapsules}/browse?tag=payments`,
    `${PATHS.publicCapsules}/browse?type=practice&limit=100`,
    `${PATHS.publicCapsules}/browse?updated_after=2026-11-21`,
    `${PATHS.publicCapsules}/browse?tag=${CANARY_WORDS[0]}`,
    PATHS.openApi,
    PATHS.openApiAgent,
    PATHS.mirrorManifest,
    PATHS.x402WellKnown,
    PATHS.acpWellKnown,
    `${PATHS.acp}/discover`,
    `/buy/${PLANTED}`,
    `/capsules/${PLANTED}.md`,
    `/capsules/${PLANTED}`,
    `/capsules/${PLANTED}/capsule.json`,
    ...[CANARY_SENTENCE, ...CANARY_WORDS, 'No text of this site says this.'].map(
      (text) => `${quoteApiPath(PLANTED)}?${new URLSearchParams({ text })}`,
    ),
    '/ask?query=stored+answer+of+a+payment+endpoint&query_id=q-1',
    `/ask?query=${CANARY_WORDS[0]}+payment+endpoint&query_id=q-1`,
  ];
  const accepts = ['*/*', 'text/markdown', 'application/json', 'application/ld+json', 'text/html', 'image/png'];
  for (const path of paths)
    for (const Accept of accepts)
      for (const method of Accept === '*/*' ? ['GET', 'HEAD', 'OPTIONS', 'PUT'] : ['GET']) yield { method, path, headers: { Accept } };
  const tool = (name: string, args: object): object => ({ method: 'tools/call', params: { name, arguments: args } });
  const calls = [
    tool('fetch', { id: PLANTED, include: ['details', 'related', 'lineage'] }),
    tool('search', { query: 'stored answer of a payment endpoint' }),
    tool('verify_quote', { id: PLANTED, quote: CANARY_SENTENCE }),
    { method: 'resources/read', params: { uri: `${TEST_BASE_URL}/capsules/${PLANTED}.md` } },
  ];
  const mcp = { Accept: 'application/json, text/event-stream' };
  for (const call of calls) yield { method: 'POST', path: PATHS.mcp, body: { jsonrpc: '2.0', id: 1, ...call }, headers: mcp };
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'stored answer of a payment endpoint' }] };
  yield { method: 'POST', path: PATHS.a2a, body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } } };
  const payments = [
    { 'PAYMENT-SIGNATURE': 'e30=' },
    { 'PAYMENT-SIGNATURE': 'not base64' },
    { Authorization: 'Payment e30' },
    { Authorization: 'Payment' },
    { Authorization: 'Bearer Payment' },
    { 'PAYMENT-SIGNATURE': 'e30=', Authorization: 'Payment e30' },
  ];
  for (const headers of payments)
    for (const query of ['', '?version=1.0.0', '?version=1.1.0'])
      for (const Accept of ['*/*', 'text/markdown']) yield { path: api + query, headers: { ...headers, Accept } };
  const entries: unknown[] = [
    PLANTED,
    ...['1.0.0', '1.1.0', '9.9.9'].map((version) => ({ capsule_id: PLANTED, version })),
    'http-freshness',
  ];
  for (const token_budget of [256, 2_000, 100_000])
    for (const entry of entries)
      yield { method: 'POST', path: `${PATHS.capsulesApi}/fetch`, body: { ids: [entry, 'http-freshness', PLANTED], token_budget } };
}

/** Proposals that would tell whether a passage is in the text. */
function* proposals(): Generator<unknown> {
  for (const quote of [CANARY_SENTENCE, ...CANARY_WORDS, 'no such passage', 'the'])
    for (const version of ['1.0.0', '1.1.0', '2.0.0'])
      yield { kind: 'correction', capsule_id: PLANTED, version, quote, replacement: 'Other words.', reason: 'It reads better like this.' };
}

/** Answers of two publications that differ in the text that is sold alone, and in nothing else. */
const asked: { sold: Asked[]; other: Asked[] } = { sold: [], other: [] };
let content: AuthoredContent;
let build: InMemoryBuild;
let files: DocumentFile[];

async function buildOf(authored: AuthoredContent): Promise<InMemoryBuild> {
  const [built] = await buildInTurn([authored]);
  if (built === undefined) throw new Error('nothing was built');
  return built;
}

beforeAll(async () => {
  content = await plantedContent({ withPayments: true });
  build = await buildOf(content);
  files = documentFiles(build.publication);
  const other = await buildOf(await plantedContent({ withPayments: true, withOtherWords: true }));
  asked.sold = await askEverything(build);
  asked.other = await askEverything(other);
}, 120_000);

describe('a text that is sold', () => {
  it('is in one block of KV, and in no other, nor in what functions are made of', () => {
    const texts = new Set(build.generated.generation.manifest.blocks.texts?.map(({ sha256 }) => `b/${sha256}`));
    const holding = [...build.blocks].filter(([, bytes]) => canariesIn(new TextDecoder().decode(bytes)).length > 0).map(([key]) => key);
    expect(holding).toEqual([...texts]);
    expect(holding).toHaveLength(1);
    expect(canariesIn(JSON.stringify(build.generated))).toEqual([]);
  });

  it('has no sentence of it, nor of the paid capsule of the sample, in a block, a document or a file', async () => {
    const sold = content.capsules.filter(({ frontMatter }) => frontMatter.access === 'paid');
    expect(sold.map(({ id }) => id)).toEqual(['payment-endpoint-checklist', PLANTED]);
    const { generation } = build;
    const texts = new Set(generation.manifest.blocks.texts?.map(({ sha256 }) => sha256));
    const published: [string, string][] = [
      ...[...generation.blocks].flatMap(([sha256, bytes]): [string, string][] =>
        texts.has(sha256) ? [] : [[sha256, new TextDecoder().decode(bytes)]],
      ),
      ...files.map(({ path, body }): [string, string] => [path, `${path} ${body}`]),
      ['functions', JSON.stringify(build.generated)],
    ];
    for (const { markdown, frontMatter } of sold) {
      expect(leaksOf(markdown, frontMatter.summary, published)).toEqual([]);
      expect(leaksOf(markdown, '', [['itself', markdown]]).length).toBeGreaterThan(5);
    }
    // Names of keys say nothing, and nobody outside learns those of the texts: neither by a document or an answer, nor as the digest of a text.
    expect([...build.blocks.keys()].filter((key) => !/^b\/[0-9a-f]{64}$/.test(key))).toEqual([]);
    const told = [...files.map(({ path, body }) => path + body), ...asked.sold.map(({ answer }) => answer)];
    const digests = new Set(told.flatMap((text) => text.match(/[0-9a-f]{64}/g) ?? []));
    expect([digests.size > 100, [...texts].filter((sha256) => digests.has(sha256))]).toEqual([true, []]);
  });

  it('is found by a heading of what is sold, and quoted from its summary', async () => {
    const found = asked.sold.find(({ request }) => request.includes(SOLD_HEADING.toLowerCase()))?.answer ?? '';
    const [first] = bodyOf<QueryResponse>(found).results ?? [];
    expect([first?.capsule_id, first?.summary.includes(first.quote.text)]).toEqual([PLANTED, true]);
  });

  it('is never kept in the cache of a location, where everything else that is read is kept', async () => {
    const { generation } = build.generated;
    const near = new Map<string, Uint8Array>();
    const location = {
      read: async () => undefined,
      write: (sha256: string, bytes: Uint8Array) => void near.set(sha256, bytes),
      remove: async () => undefined,
    };
    const store = { read: async (sha256: string) => build.blocks.get(`b/${sha256}`) };
    const { newest } = new Corpus(generation, store, new BlockCache(2 ** 24), testRanking(), undefined, location);
    const version = (await newest.capsule(PLANTED))?.metadata.version ?? '';
    expect(canariesIn((await newest.paidText(PLANTED, version))?.markdown ?? '')).not.toEqual([]);
    for (const { sha256 } of generation.manifest.blocks.files ?? []) expect(await newest.deliveredFile(sha256)).toBeDefined();
    await newest.lineage(PLANTED, 0);
    const { documents, lineages, texts = [], files = [] } = generation.manifest.blocks;
    const sold = [...texts, ...files].map(({ sha256 }) => sha256);
    expect(sold.length).toBeGreaterThan(0);
    expect([...near.keys()].filter((sha256) => sold.includes(sha256))).toEqual([]);
    expect([...documents, ...lineages].some(({ sha256 }) => near.has(sha256))).toBe(true);
  });

  it('is in no file of the site, although the capsule is', async () => {
    expect(files.filter(({ body }) => canariesIn(body).length > 0).map(({ path }) => path)).toEqual([]);
    const naming = files.filter(({ body }) => body.includes(PLANTED)).map(({ path }) => path);
    for (const path of [
      '/llms.txt',
      '/feed.xml',
      '/sitemap.xml',
      '/sitemap.md',
      `/capsules/${PLANTED}/capsule.json`,
      `/capsules/${PLANTED}/lineage.json`,
    ])
      expect(naming).toContain(path);
    expect(files.map(({ path }) => path).filter((path) => path.startsWith(`/capsules/${PLANTED}`) && path.endsWith('.md'))).toEqual([]);
    expect(files.find(({ path }) => path === '/llms-full.txt')?.body).not.toContain(PLANTED);
  });

  it('is in no answer to hundreds of questions about it, but where a question is repeated', () => {
    expect(asked.sold.length).toBeGreaterThan(600);
    const told = asked.sold.filter(({ request, answer }) => {
      const own = canariesIn(request);
      return canariesIn(answer).some((canary) => !own.includes(canary));
    });
    expect(told.map(({ request }) => request)).toEqual([]);
  });

  it('changes no answer but in digests: neither order, score, suggestion nor correction tells of its words', () => {
    expect(asked.other.length).toBe(asked.sold.length);
    for (const [at, { request, answer, status }] of asked.sold.entries()) {
      const other = asked.other[at];
      expect([status, withoutDigests(answer)], request).toEqual([other?.status, withoutDigests(other?.answer ?? '')]);
    }
  });

  it('is found by its title and summary, with a quote of the summary and its price', () => {
    const answers = asked.sold.filter(({ request }) => request.includes('/query ')).map(({ answer }) => bodyOf<QueryResponse>(answer));
    const found = answers.flatMap(({ results = [] }) => results.filter(({ capsule_id }) => capsule_id === PLANTED));
    expect(found.length).toBeGreaterThan(20);
    for (const { summary, quote, price, markdown_url, paid_url } of found) {
      expect(summary.slice(quote.start, quote.end)).toBe(quote.text);
      expect(price).toEqual(PLANTED_PRICE);
      expect(markdown_url).toBeUndefined();
      expect(paid_url).toMatch(new RegExp(`/capsule/${PLANTED}$`));
    }
    // The title is all of the query, and gives all points that a sentence can.
    const byTitle = asked.sold.find(({ request }) => request.includes(TITLE) && request.includes('"explain":true'));
    const { results: [first] = [] } = bodyOf<QueryResponse>(byTitle?.answer ?? '{}');
    const { points = 0 } = first?.explanation?.parts.find(({ kind }) => kind === 'sentence') ?? {};
    expect([first?.capsule_id, points]).toEqual([PLANTED, Math.round(((first?.score ?? 0) - points) * SENTENCE_SCORE_WEIGHT)]);
    expect(points).toBeGreaterThan(0);
  });

  it('is not compared with a quotation: whatever it is, the check says that the text is sold', () => {
    const checks = asked.sold.filter(({ request }) => request.startsWith(`GET ${quoteApiPath(PLANTED)}?`));
    expect(checks.length).toBeGreaterThan(10);
    const verdicts = checks.flatMap(({ status, answer }) => (status === 200 ? [/"verdict":"[^}]*?"ranges":[^,]*/.exec(answer)?.[0]] : []));
    expect(new Set(verdicts)).toEqual(new Set(['"verdict":"paid","ranges":[]']));
  });

  it.each(['GET /ask', `POST ${PATHS.a2a}`, `POST ${PATHS.mcp}`, `GET /capsules/${PLANTED}.md`])(
    'has its price wherever %s names it',
    (start) => {
      const named = asked.sold.filter(({ request, answer }) => request.startsWith(start) && answer.includes(`/capsules/${PLANTED}`));
      expect(named.length).toBeGreaterThan(0);
      const unpriced = named.filter(({ request, answer }) => !answer.includes('0.05') && !request.includes('verify_quote'));
      expect(unpriced.map(({ request, answer }) => [request, answer])).toEqual([]);
    },
  );

  it('is refused with its price in every version, and as one of several', () => {
    const direct = asked.sold.filter(({ request }) => new RegExp(`^GET \\S+/capsule/${PLANTED}(\\?version=1\\.[01]\\.0)? `).test(request));
    expect(direct.length).toBeGreaterThan(10);
    const unreadable = direct.filter(({ request }) => request.includes('not base64'));
    expect(new Set(unreadable.map(({ status }) => status))).toEqual(new Set([400]));
    expect(new Set(direct.filter((each) => !unreadable.includes(each)).map(({ status }) => status))).toEqual(new Set([402]));
    expect(asked.sold.filter(({ answer }) => answer.includes('"outcome":"payment_required"')).length).toBeGreaterThan(10);
  });

  it('cannot be probed by a proposal to correct it: no passage is said to stand in it or not to', () => {
    const probes = asked.sold.filter(({ request }) => request.includes('"correction"') && request.includes('"version":"1.1.0"'));
    expect(probes.length).toBeGreaterThan(5);
    const told = probes.map(({ status, answer }) => [status, bodyOf<Problem>(answer).code, bodyOf<Problem>(answer).errors]);
    for (const one of told) expect(one).toEqual(told[0]);
    expect(told[0]?.[0]).toBe(422);
  });

  it('has the digest that the free records state', async () => {
    const [block] = build.generated.generation.manifest.blocks.texts ?? [];
    const texts = new RecordPage<PaidText[]>(build.blocks.get(`b/${block?.sha256}`) ?? new Uint8Array()).find(PLANTED) ?? [];
    const browse = asked.sold.find(({ answer }) => answer.includes(`"capsule_id":"${PLANTED}"`))?.answer ?? '';
    expect(texts.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    expect(browse).toContain(await sha256Hex(texts.at(-1)?.markdown ?? ''));
  });
});

it.each([
  ['payments are off', 'edge', false],
  ['there are no functions', 'static', true],
] as const)('where nothing can be paid because %s, there is no paid capsule', async (_, mode, withPayments) => {
  const authored = await plantedContent({ withPayments });
  const { publication, generation } = await makePublication(authored, { mode, rateLimits: undefined });
  const published = [
    ...documentFiles(publication).map(({ body }) => body),
    JSON.stringify(publication),
    JSON.stringify(generation.manifest),
  ];
  const blocks = [...generation.blocks].map(([, bytes]) => new TextDecoder().decode(bytes));
  for (const text of [...published, ...blocks]) {
    expect(text.includes(PLANTED)).toBe(false);
    expect(canariesIn(text)).toEqual([]);
  }
  expect(publication.capsules).toHaveLength(authored.capsules.filter(({ frontMatter }) => frontMatter.access === 'public').length);
});

function bodyOf<T>(answer: string): Partial<T> {
  return JSON.parse(answer.slice(answer.indexOf('\n\n'))) as Partial<T>;
}

/** An answer without what follows from the digest of the text alone: digests, and tags and cursors made of them. */
function withoutDigests(answer: string): string {
  return (
    answer
      .replace(/[0-9a-f]{64}/g, 'digest')
      .replace(/^etag: .*$/gm, 'etag')
      // A cursor is in JSON, or in JSON that is a string of JSON.
      .replace(/(\\*")next_cursor\1:\1[\w-]*\1/g, '"next_cursor"')
      .replace(/the cursor `[^`]*`/g, 'the cursor')
  );
}
