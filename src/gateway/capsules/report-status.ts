import type { CapsuleSummary } from '../../schemas/capsule.ts';
import type { StatusAnswer } from '../../schemas/public-capsules.ts';
import type { Corpus } from '../knowledge/corpus.ts';
import { corpusFacts } from '../knowledge/corpus-facts.ts';
import { queryKnowledge } from '../knowledge/query-knowledge.ts';
import { readCapsule } from './read-capsule.ts';

/** What a database check found: reachable, or not bound at all. */
export type DatabaseCheck = () => Promise<'ok' | 'unreachable' | 'not_bound'>;

/** What {@link reportStatus} looks at besides the corpus. */
export interface StatusDependencies {
  readonly keysConfigured: boolean;
  readonly checkDatabase: DatabaseCheck;
}

/** Tries the main operations while answering: a query for the newest capsule's title, a capsule, keys and the database. */
export async function reportStatus(corpus: Corpus, baseUrl: string, deps: StatusDependencies): Promise<StatusAnswer> {
  const checks = [...(await checkKnowledge(corpus, baseUrl)), checkKeys(deps.keysConfigured), await checkState(deps.checkDatabase)];
  return {
    status: checks.every(({ ok }) => ok) ? 'ok' : 'degraded',
    deployment: 'live',
    corpus: corpusFacts(corpus.version, corpus.manifest),
    checks,
  };
}

type Check = StatusAnswer['checks'][number];

async function checkKnowledge(corpus: Corpus, baseUrl: string): Promise<Check[]> {
  const failed = (name: string, detail: string): Check => ({ name, ok: false, detail });
  const sample = await sampleCapsule(corpus).catch(() => undefined);
  if (sample === undefined) return [failed('query', 'the capsules cannot be read'), failed('capsule', 'not tried')];
  const answer = await queryKnowledge(
    { query: sample.title, filters: { status: sample.status }, max_results: 3, token_budget: 100_000 },
    corpus,
    baseUrl,
  );
  const found = answer.ok && answer.value.results.some(({ capsule_id }) => capsule_id === sample.capsule_id);
  const capsule = await readCapsule(sample.capsule_id, undefined, corpus, baseUrl);
  return [
    {
      name: 'query',
      ok: found,
      detail: found
        ? `the title of "${sample.capsule_id}" found it among the first three`
        : `the title of "${sample.capsule_id}" did not find it`,
    },
    {
      name: 'capsule',
      ok: capsule.ok,
      detail: capsule.ok ? `"${sample.capsule_id}" was read` : `"${sample.capsule_id}" could not be read`,
    },
  ];
}

/** The first capsule of the first page that is current, or the first of all. It is read without the index. */
async function sampleCapsule(corpus: Corpus): Promise<CapsuleSummary | undefined> {
  const length = corpus.manifest.blocks.documents[0]?.documents ?? 0;
  const stored = await corpus.newest.capsules(Array.from({ length }, (_, number) => number));
  return (stored.find(({ metadata }) => metadata.status === 'current') ?? stored[0])?.metadata;
}

function checkKeys(configured: boolean): Check {
  return {
    name: 'keys',
    ok: configured,
    detail: configured ? 'a signing secret is set' : 'no signing secret is set, so no key can be issued or accepted',
  };
}

async function checkState(check: DatabaseCheck): Promise<Check> {
  const found = await check();
  const details = { ok: 'the database answered', unreachable: 'the database did not answer', not_bound: 'no database is bound' } as const;
  return { name: 'database', ok: found === 'ok', detail: details[found] };
}
