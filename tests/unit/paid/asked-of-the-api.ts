import { Challenge } from '../../../src/schemas/agents.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { seededRandom } from '../../eval/random.ts';
import type { Generated } from '../../support/edge-gateway.ts';
import { CANARY_SENTENCE, CANARY_WORDS, PLANTED } from '../../support/paid-content.ts';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { simulatedGateway } from '../../support/simulated/gateway.ts';
import type { InMemoryBuild } from '../../support/simulated/in-memory-build.ts';
import { simulatedKeyValue } from '../../support/simulated/key-value.ts';
import { SimulatedTime, simulatedRuntime } from '../../support/simulated/time.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';

/** A request that was sent, and all that came back. */
export interface Asked {
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

/** Asks a build, in this process, for everything that could tell of the planted text. */
export async function askEverything({ generated, blocks }: InMemoryBuild): Promise<Asked[]> {
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
    'What a payment endpoint must never do with a stored answer',
    'points of this list in plain words',
    'whoever pays learns',
    'eleven checks before a deployment',
    'stored answer reused for another buyer',
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
  // The words themselves meet every option, and what resembles them every other one.
  for (const [at, query] of texts.entries())
    for (const [number, option] of options.entries()) if (!misspelt.includes(query) || (at + number) % 2 === 0) yield { query, ...option };
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
  ];
  const accepts = ['*/*', 'text/markdown', 'application/json', 'application/ld+json', 'text/html', 'image/png'];
  for (const path of paths)
    for (const Accept of accepts)
      for (const method of Accept === '*/*' ? ['GET', 'HEAD', 'OPTIONS', 'PUT'] : ['GET', 'HEAD'])
        yield { method, path, headers: { Accept } };
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
