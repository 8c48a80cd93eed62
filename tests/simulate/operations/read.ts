import type * as z from 'zod';
import { confirmsByDatabase } from '../../../src/http/define-route.ts';
import type { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { capsuleApiPath, lineageApiPath, PATHS, relatedApiPath } from '../../../src/schemas/paths.ts';
import type { KnownKey } from '../knowledge.ts';
import type { Heard, Lifetime } from '../lifetime.ts';
import type { Isolate } from '../place.ts';
import type { Question } from '../question.ts';
import { hold } from '../violation.ts';

const QUERY = `${PATHS.gateway}/query`;

const QUERIES: readonly z.input<typeof QueryRequest>[] = [
  { query: 'How long may a cached answer be reused without asking?' },
  { query: 'stemming' },
  { query: 'term frequency saturation' },
  { query: 'a sentence that a revision added about stems' },
  { query: 'robots exclusion', facets: ['type', 'tags'] },
  { query: 'money in minor units', filters: { language: 'en' } },
  { query: 'cache validators etag', exclude_ids: ['http-freshness'] },
  { query: 'ndcg', explain: true },
  { query: 'zebrafish zirconium' },
  { query: 'HTTP', filters: { min_evidence: 'specified' } },
  { query: 'HTTP', sort: 'newest', passages: 2, quote_length: 200 },
  { queries: ['how long is a response fresh', 'stemming'], fields: ['title', 'passages'] },
];

const IDS = ['stemming', 'http-freshness', 'bm25', 'bm25f', 'ndcg', 'no-such-capsule'];

export async function query(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  await queryOn(life, life.isolate(), known);
}

/** A question with a key to one isolate, held against what the key and the corpus allow. */
export async function queryOn(life: Lifetime, isolate: Isolate, known: KnownKey): Promise<Heard | undefined> {
  const version = life.chance(0.3) ? life.pick(life.stage.builds).generated.generation.version : undefined;
  const body = { ...life.pick(QUERIES), max_results: life.pick([1, 2, 3, 60]), ...(version ? { corpus_version: version } : {}) };
  const heard = await askWithKey(life, isolate, { method: 'POST', path: QUERY, body }, known);
  if (heard !== undefined) holdGeneration(life, heard, { method: 'POST', path: QUERY, body, key: known.key }, version);
  return heard;
}

export async function nextPage(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (life.known.cursors.length === 0 || known === undefined) return;
  const { kind, question, cursor, version } = life.pick(life.known.cursors);
  const isolate = life.isolate();
  if (kind === 'query') {
    const asked: Question = { method: 'POST', path: QUERY, body: { ...question, cursor } };
    const heard = await askWithKey(life, isolate, asked, known);
    if (heard !== undefined) holdGeneration(life, heard, { ...asked, key: known.key }, version);
  } else {
    const asked: Question = { method: 'GET', path: `${PATHS.publicCapsules}/browse?${parametersOf(question)}&cursor=${cursor}` };
    const heard = await life.ask(isolate, asked);
    if (heard !== undefined) holdGeneration(life, heard, asked, version);
  }
}

function parametersOf(question: object): string {
  return new URLSearchParams(question as Record<string, string>).toString();
}

export async function browse(life: Lifetime): Promise<void> {
  const question = life.pick<Record<string, string>>([
    { limit: '3' },
    { limit: '100' },
    { limit: '2', tag: 'retrieval' },
    { limit: '1', language: 'en' },
  ]);
  const asked: Question = { method: 'GET', path: `${PATHS.publicCapsules}/browse?${parametersOf(question)}` };
  const heard = await life.ask(life.isolate(), asked);
  if (heard !== undefined) holdGeneration(life, heard, asked, undefined);
}

export async function readOpenly(life: Lifetime): Promise<void> {
  const id = life.pick(IDS);
  const asked = life.pick<Question>([
    { method: 'GET', path: capsuleApiPath(id) },
    { method: 'GET', path: `${capsuleApiPath(id)}?version=9.0.0` },
    { method: 'GET', path: lineageApiPath(id) },
    { method: 'GET', path: relatedApiPath(id) },
    { method: 'GET', path: `${PATHS.publicCapsules}/changes` },
    { method: 'POST', path: `${PATHS.capsulesApi}/fetch`, body: { ids: [id, 'ndcg'], token_budget: 3_000 } },
    { method: 'POST', path: `${PATHS.capsulesApi}/fetch`, body: { ids: IDS } },
    { method: 'GET', path: PATHS.openApi },
    { method: 'GET', path: PATHS.x402WellKnown },
  ]);
  const heard = await life.ask(life.isolate(), asked);
  if (heard !== undefined) holdGeneration(life, heard, asked, undefined);
}

export async function readStatus(life: Lifetime): Promise<void> {
  const path = life.pick([`${PATHS.publicCapsules}/status`, `${PATHS.publicCapsules}/intake`, `${PATHS.gateway}/capabilities`]);
  const heard = await life.ask(life.isolate(), { method: 'GET', path });
  hold('answered', heard === undefined || heard.status === 200 || heard.status === 429, () => `${heard?.status} ${heard?.body}`);
}

/** Some key that was answered at some time: mostly one of those that nobody has tried to end. */
export function someKey(life: Lifetime): KnownKey | undefined {
  const { keys } = life.known;
  const alive = keys.filter((key) => !key.mayBeRevoked && key.expiresAtMs > life.time.nowMs);
  const from = alive.length > 0 && life.chance(0.75) ? alive : keys;
  if (from.length === 0) return undefined;
  return life.chance(0.6) ? life.pick(from.slice(-4)) : life.pick(from);
}

/** A request with a key, held against what is known of the key. */
export async function askWithKey(
  life: Lifetime,
  isolate: Isolate,
  question: Question,
  known: KnownKey,
  access = 'read',
  isRepeated = false,
): Promise<Heard | undefined> {
  const asks = confirmsByDatabase({ access: access as 'key', method: question.method });
  const expected = known.expectation(isolate, life.time.nowMs, isolate.nowMs, asks);
  const heard = await life.ask(isolate, { address: known.network, ...question, key: known.key });
  // What a request under an Idempotency-Key did is told again, though it ended the key.
  if (heard !== undefined && !(isRepeated && heard.status === 201)) known.holdJudgement(expected, heard);
  return heard;
}

/**
 * Holds that an answer is that of one generation. Which one depends: a pinned request and a cursor name it; otherwise it is the newest of
 * the deploy, or, where the answer says that it was made without the newest index, one before it.
 */
function holdGeneration(life: Lifetime, heard: Heard, asked: Question, pinned: string | undefined): void {
  const { isolate, status, body, degraded } = heard;
  const { version: newest, manifest } = isolate.deployed.generated.generation;
  const listed = [newest, ...manifest.previous];
  if (pinned !== undefined && heard.code === 'corpus_superseded') {
    hold('one-generation', !listed.includes(pinned), () => `${isolate.name} lists ${pinned} and does not know it`);
    return;
  }
  if (heard.code !== undefined && heard.code !== 'capsule_not_found') return;
  if (pinned !== undefined) hold('one-generation', listed.includes(pinned), () => `${isolate.name} answers for ${pinned}`);
  const fallen = degraded.includes('index');
  hold('one-generation', pinned === undefined || !fallen, () => `${isolate.name} answers with another generation than ${pinned}`);
  const possible = pinned === undefined ? (fallen ? manifest.previous : [newest]) : [pinned];
  noteCursor(life, asked, body);
  life.later(async () => {
    const { reference } = life.stage;
    for (const version of possible) {
      const build = reference.buildOf(version);
      const expected = build === undefined ? undefined : await reference.answer(build, asked);
      if (expected?.status === status && expected.body === body) return;
    }
    const [first] = possible;
    const build = first === undefined ? undefined : reference.buildOf(first);
    const expected = build === undefined ? 'nothing' : (await reference.answer(build, asked)).body;
    hold(
      'one-generation',
      false,
      () => `${isolate.name} ${asked.path} ${JSON.stringify(asked.body)}\n  ${body}\n  instead of\n  ${expected}`,
    );
  });
}

function noteCursor(life: Lifetime, asked: Question, body: string): void {
  const isQuery = asked.path === QUERY;
  if (!isQuery && !asked.path.startsWith(`${PATHS.publicCapsules}/browse`)) return;
  const { page, corpus_version } = JSON.parse(body) as { page: { next_cursor: string | null }; corpus_version: string };
  if (page.next_cursor === null) return;
  const { cursor: _, ...question } = isQuery
    ? (asked.body as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(asked.path.split('?')[1]));
  life.known.cursors.push({ kind: isQuery ? 'query' : 'browse', question, cursor: page.next_cursor, version: corpus_version });
}
