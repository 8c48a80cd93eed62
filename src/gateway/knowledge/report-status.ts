import type { PublishedBudget } from '../../schemas/agents.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { isOpen } from '../../schemas/incidents.ts';
import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { CorpusStats, StatusResponse } from '../../schemas/knowledge/corpus-responses.ts';
import type { GenerationManifest } from '../../schemas/knowledge/generation-manifest.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import type { CachedRead } from '../memory-caches.ts';
import { ok } from '../result.ts';
import { isPaid } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { queryKnowledge } from './query-knowledge.ts';
import { findCapsule } from './read-capsule.ts';

export type DatabaseCheck = () => Promise<'ok' | 'unreachable' | 'not_bound'>;

/** Checks of a day in UTC, as the companion counted them. */
export interface StatusDay {
  readonly date: string;
  readonly checks: number;
  readonly failures: number;
}

/** The last `STATUS_DAYS` that have checks, oldest first; `undefined` if they cannot be read. */
export type StatusHistory = () => Promise<readonly StatusDay[] | undefined>;

export interface StatusDependencies {
  readonly deployment: Pick<Deployment, 'baseUrl' | 'incidents'>;
  readonly keysConfigured: boolean;
  /** Whether checkout sessions can be charged; `undefined` where no payment processor charges them. */
  readonly processorConfigured?: boolean | undefined;
  readonly checkDatabase: DatabaseCheck;
  readonly budgets: CachedRead<readonly PublishedBudget[]>;
}

/** Checks the main operations: a query for the newest capsule's title, a capsule, keys, the database and the settings of checkouts. */
export async function reportStatus(corpus: Corpus, deps: StatusDependencies): Promise<StatusResponse> {
  const { processorConfigured, deployment } = deps;
  const [knowledge, state, budgets] = await Promise.all([
    checkKnowledge(corpus, deployment.baseUrl),
    checkState(deps.checkDatabase),
    deps.budgets.read(),
  ]);
  const noSecret = 'no signing secret is set, so keys can be neither issued nor accepted';
  const checks = [...knowledge, check('keys', deps.keysConfigured, 'a signing secret is set', noSecret), state];
  if (processorConfigured !== undefined)
    checks.push(check('checkout', processorConfigured, 'a key of the payment processor is set', 'no key of the payment processor is set'));
  return {
    status: checks.every(({ ok }) => ok) ? 'ok' : 'degraded',
    deployment: 'live',
    corpus: corpusStats(corpus.version, corpus.manifest),
    checks,
    budgets: budgets.map(({ name, level }) => ({ name, level })),
    ...openIncidents(deployment),
  };
}

export function openIncidents({ incidents = [] }: Pick<Deployment, 'incidents'>): Pick<StatusResponse, 'incidents'> {
  const open = incidents.filter(isOpen);
  return open.length === 0 ? {} : { incidents: open };
}

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

const failed = (name: Check['name'], detail: string): Check => ({ name, ok: false, detail });

function check(name: Check['name'], isPassed: boolean, passed: string, otherwise: string): Check {
  return isPassed ? { name, ok: true, detail: passed } : failed(name, otherwise);
}

async function checkKnowledge(corpus: Corpus, baseUrl: string): Promise<Check[]> {
  // Fallbacks are reported below.
  const onFallback = (): void => undefined;
  const sample = await sampleCapsule(corpus, onFallback).catch(() => undefined);
  if (sample === 'no_capsules') return checkEmpty(corpus, baseUrl);
  if (sample === undefined)
    return [failed('query', 'the capsules cannot be read'), failed('capsule', 'not checked'), failed('index', 'no generation can be read')];
  const { capsule_id: id, title, status } = sample;
  const request = QueryRequest.parse({ query: title, filters: { status }, max_results: 3 });
  const response = await queryKnowledge(request, corpus, baseUrl, onFallback);
  const isFound = response.ok && response.value.results.some(({ capsule_id }) => capsule_id === id);
  const capsule = await withCorpus(corpus, () => findCapsule(id, undefined, corpus.newest));
  return [
    check('query', isFound, `the title of "${id}" found it among the first three`, `the title of "${id}" did not find it`),
    check('capsule', capsule.ok, `"${id}" was read`, `"${id}" could not be read`),
    await checkIndex(response.ok ? response.value.corpus_version : undefined, corpus),
  ];
}

async function checkEmpty(corpus: Corpus, baseUrl: string): Promise<Check[]> {
  const request = QueryRequest.parse({ query: 'any word', max_results: 1 });
  const response = await queryKnowledge(request, corpus, baseUrl, () => undefined);
  return [
    check('query', response.ok, 'the corpus has no capsules, and a query found none', 'the empty corpus could not be queried'),
    { name: 'capsule', ok: true, detail: 'the corpus has no capsules' },
    await checkIndex(response.ok ? response.value.corpus_version : undefined, corpus),
  ];
}

async function checkIndex(served: string | undefined, corpus: Corpus): Promise<Check> {
  if (served === undefined) return failed('index', 'no generation can be read');
  const broken = corpus.skippedGenerations.find(({ version }) => version === corpus.version);
  const kind = broken?.block === undefined ? undefined : await corpus.newest.kindOf(broken.block);
  const part = kind === undefined ? 'a block' : PARTS[kind];
  const detail = `generation ${short(served)} is served instead of the newest, ${short(corpus.version)}, which lacks ${part}`;
  return check('index', served === corpus.version, 'the newest generation is served', detail);
}

const PARTS: Readonly<Record<keyof GenerationManifest['blocks'], string>> = {
  index: 'a block of the index',
  documents: 'a page of capsules',
  history: 'a page of earlier versions',
  lineages: 'a page of lineages',
  relatives: 'a page of lineage graphs',
  changes: 'a page of the change log',
  texts: 'a page of paid texts',
  articles: 'a page of articles',
  facets: 'facets of the lists of capsules',
  entries: 'a page of the lists of capsules',
  site_index: 'a block of the index of guides, offers and errors',
  site_texts: 'a page of guides, offers and errors',
  files: 'a file for delivery',
};

function short(version: string): string {
  return version.slice(0, 12);
}

async function sampleCapsule(corpus: Corpus, onFallback: () => void): Promise<CapsuleSummary | 'no_capsules' | undefined> {
  const sample = await corpus.read<CapsuleSummary | 'no_capsules' | undefined>(
    undefined,
    async (generation) => {
      if (generation.manifest.counts.capsules === 0) return ok('no_capsules');
      const stored = await generation.firstCapsules();
      const free = stored.filter(({ metadata }) => !isPaid(metadata));
      return ok((free.find(({ metadata }) => metadata.status === 'current') ?? free[0] ?? stored[0])?.metadata);
    },
    onFallback,
  );
  return sample.ok ? sample.value : undefined;
}

async function checkState(checkDatabase: DatabaseCheck): Promise<Check> {
  const state = await checkDatabase();
  const details = { ok: 'the database responded', unreachable: 'the database did not respond', not_bound: 'no database is bound' } as const;
  return { name: 'database', ok: state === 'ok', detail: details[state] };
}
