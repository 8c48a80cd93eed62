import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../../gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../../gateway/knowledge/fetch-capsules.ts';
import { queryKnowledge } from '../../gateway/knowledge/query-knowledge.ts';
import { readCapsule, relatedCapsules } from '../../gateway/knowledge/read-capsule.ts';
import { readChanges } from '../../gateway/knowledge/read-changes.ts';
import { readLineage, readProvLineage } from '../../gateway/knowledge/read-lineage.ts';
import { corpusStats } from '../../gateway/knowledge/report-status.ts';
import { publishedBudgets } from '../../gateway/limits/published-limits.ts';
import { expectValue } from '../../gateway/result.ts';
import type { OperationExample } from '../../publication/publication.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { CorpusManifest } from '../../schemas/knowledge/changes.ts';
import type { StatusResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { FetchRequest } from '../../schemas/knowledge/fetch.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';

/** What the build has just published. */
export interface ExampleCorpus {
  readonly corpus: Corpus;
  readonly capsules: readonly CapsuleSummary[];
  readonly deployment: Deployment;
  readonly manifest: CorpusManifest;
}

/** Real responses over the published corpus, about one of its capsules. */
export async function knowledgeExamples(
  { corpus, deployment, manifest }: ExampleCorpus,
  { capsule_id, title }: CapsuleSummary,
): Promise<[string, OperationExample][]> {
  const { baseUrl } = deployment;
  const parameters = { capsule_id };
  const query = { query: title, max_results: 2 };
  const several = { ids: [capsule_id, { capsule_id, version: '0.0.0' }], token_budget: 4_000 };
  const lineage = expectValue(await readLineage({ id: capsule_id, hasCursors: true }, corpus));
  const prov = expectValue(await readProvLineage(capsule_id, corpus, baseUrl));
  return [
    ['queryKnowledge', { request: query, answer: expectValue(await queryKnowledge(QueryRequest.parse(query), corpus, baseUrl)) }],
    ['getCapsule', { parameters, answer: expectValue(await readCapsule(capsule_id, undefined, corpus, baseUrl)) }],
    [
      'getCapsuleLineage',
      { parameters, answer: JSON.parse(lineage) as unknown, otherForms: { 'application/ld+json': JSON.parse(prov) as unknown } },
    ],
    ['getRelatedCapsules', { parameters, answer: expectValue(await relatedCapsules(capsule_id, corpus, baseUrl)) }],
    ['fetchCapsules', { request: several, answer: expectValue(await fetchCapsules(FetchRequest.parse(several), corpus, baseUrl)) }],
    ['listChanges', { parameters: { limit: '2' }, answer: expectValue(await readChanges({ limit: '2' }, corpus, { manifest, baseUrl })) }],
    ['browseCapsules', { parameters: { limit: '2' }, answer: expectValue(await browseCapsules({ limit: '2' }, corpus, baseUrl)) }],
    ['getStatus', { answer: statusExample(corpus, capsule_id) }],
  ];
}

/** The status of a service in which everything works. */
function statusExample(corpus: Corpus, capsuleId: string): StatusResponse {
  return {
    status: 'ok',
    deployment: 'live',
    corpus: corpusStats(corpus.version, corpus.manifest),
    checks: [{ name: 'query', ok: true, detail: `the title of "${capsuleId}" found it among the first three` }],
    budgets: publishedBudgets().map(({ name }) => ({ name, level: 'open' })),
  };
}
