import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { CorpusStats, StatusResponse } from '../../schemas/knowledge/corpus-lists.ts';
import type { GenerationManifest } from '../../schemas/knowledge/generation.ts';
import type { BudgetLevels } from '../limits/published-limits.ts';
import { ok } from '../result.ts';
import { isPaid } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { queryKnowledge } from './query-knowledge.ts';
import { findCapsule } from './read-capsule.ts';

/** Checks whether the database responds. */
export type DatabaseCheck = () => Promise<'ok' | 'unreachable' | 'not_bound'>;

/** What {@link reportStatus} needs besides the corpus. */
export interface StatusDependencies {
  readonly keysConfigured: boolean;
  readonly checkDatabase: DatabaseCheck;
  readonly budgets: Pick<BudgetLevels, 'read'>;
}

/** Checks the main operations: a query for the newest capsule's title, a capsule, keys and the database. */
export async function reportStatus(corpus: Corpus, baseUrl: string, deps: StatusDependencies): Promise<StatusResponse> {
  const [knowledge, state, budgets] = await Promise.all([
    checkKnowledge(corpus, baseUrl),
    checkState(deps.checkDatabase),
    deps.budgets.read(),
  ]);
  const checks = [...knowledge, checkKeys(deps.keysConfigured), state];
  return {
    status: checks.every(({ ok }) => ok) ? 'ok' : 'degraded',
    deployment: 'live',
    corpus: corpusStats(corpus.version, corpus.manifest),
    checks,
    budgets: budgets.map(({ name, level }) => ({ name, level })),
  };
}

/** Published statistics of a generation. */
export function corpusStats(version: string, manifest: GenerationManifest): CorpusStats {
  return {
    corpus_version: version,
    corpus_digest: manifest.corpus_digest,
    updated: manifest.updated,
    ...manifest.counts,
    generations: [version, ...manifest.previous],
  };
}

type Check = StatusResponse['checks'][number];

async function checkKnowledge(corpus: Corpus, baseUrl: string): Promise<Check[]> {
  const failed = (name: string, detail: string): Check => ({ name, ok: false, detail });
  // Fallbacks are reported below.
  const onFallback = (): void => undefined;
  const sample = await sampleCapsule(corpus, onFallback).catch(() => undefined);
  if (sample === undefined)
    return [failed('query', 'the capsules cannot be read'), failed('capsule', 'not checked'), failed('index', 'no generation can be read')];
  const answer = await queryKnowledge(
    { query: sample.title, filters: { status: sample.status }, max_results: 3, token_budget: 100_000 },
    corpus,
    baseUrl,
    onFallback,
  );
  const found = answer.ok && answer.value.results.some(({ capsule_id }) => capsule_id === sample.capsule_id);
  const capsule = await withCorpus(corpus, () => findCapsule(sample.capsule_id, undefined, corpus.newest));
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
    checkIndex(answer.ok ? answer.value.corpus_version : undefined, corpus),
  ];
}

/** Whether reads are served by the newest generation. */
function checkIndex(answering: string | undefined, corpus: Corpus): Check {
  if (answering === undefined) return { name: 'index', ok: false, detail: 'no generation can be read' };
  if (answering === corpus.version) return { name: 'index', ok: true, detail: 'the newest generation is served' };
  const broken = corpus.skippedGenerations.find(({ version }) => version === corpus.version);
  const part = partOf(broken?.block, corpus.manifest);
  const detail = `generation ${short(answering)} is served instead of the newest, ${short(corpus.version)}, which lacks ${part}`;
  return { name: 'index', ok: false, detail };
}

const PARTS: Readonly<Record<keyof GenerationManifest['blocks'], string>> = {
  index: 'a block of the index',
  documents: 'a page of capsules',
  history: 'a page of earlier versions',
  lineages: 'a page of lineages',
  relatives: 'a page of lineage graphs',
  changes: 'a page of the change log',
  texts: 'a page of paid texts',
  files: 'a file for delivery',
};

/** What a block contains, in words. */
function partOf(sha256: string | undefined, { blocks }: GenerationManifest): string {
  const parts = Object.entries(PARTS) as [keyof GenerationManifest['blocks'], string][];
  return parts.find(([part]) => blocks[part]?.some((reference) => reference.sha256 === sha256))?.[1] ?? 'a block';
}

/** A recognizable prefix of a version. */
function short(version: string): string {
  return version.slice(0, 12);
}

/** A free, current capsule of the first page, else a free one, else any. Read without the index. */
async function sampleCapsule(corpus: Corpus, onFallback: () => void): Promise<CapsuleSummary | undefined> {
  const sample = await corpus.read(
    undefined,
    async (generation) => {
      const length = generation.manifest.blocks.documents[0]?.documents ?? 0;
      const stored = await generation.capsules(Array.from({ length }, (_, number) => number));
      const free = stored.filter(({ metadata }) => !isPaid(metadata));
      return ok((free.find(({ metadata }) => metadata.status === 'current') ?? free[0] ?? stored[0])?.metadata);
    },
    onFallback,
  );
  return sample.ok ? sample.value : undefined;
}

function checkKeys(configured: boolean): Check {
  return {
    name: 'keys',
    ok: configured,
    detail: configured ? 'a signing secret is set' : 'no signing secret is set, so keys can be neither issued nor accepted',
  };
}

async function checkState(check: DatabaseCheck): Promise<Check> {
  const found = await check();
  const details = { ok: 'the database responded', unreachable: 'the database did not respond', not_bound: 'no database is bound' } as const;
  return { name: 'database', ok: found === 'ok', detail: details[found] };
}
