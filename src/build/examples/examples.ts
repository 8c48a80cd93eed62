import { browseCapsules } from '../../gateway/knowledge/browse-capsules.ts';
import { fetchCapsules } from '../../gateway/knowledge/fetch-capsules.ts';
import { readChanges } from '../../gateway/knowledge/read-changes.ts';
import { readCapsule } from '../../gateway/knowledge/read-capsule.ts';
import { readLineage } from '../../gateway/knowledge/read-lineage.ts';
import { relatedCapsules } from '../../gateway/knowledge/related-capsules.ts';
import type { Corpus } from '../../gateway/knowledge/corpus.ts';
import { publishedBudgets } from '../../gateway/limits/published-limits.ts';
import { corpusStats } from '../../gateway/knowledge/report-status.ts';
import { queryKnowledge } from '../../gateway/knowledge/query-knowledge.ts';
import type { OperationExample } from '../../publication/publication.ts';
import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { CorpusManifest } from '../../schemas/knowledge/changes.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { FetchRequest } from '../../schemas/knowledge/fetch.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import { expectValue } from '../expect-value.ts';
import { EXAMPLE_TIME_MS, exampleSecrets, keyExamples } from './key-examples.ts';
import { orderExamples } from './order-examples.ts';
import { proposalExamples } from './proposal-examples.ts';

/** Real requests and answers for the documents, made by running the gateway on the blocks that were just built. */
export async function makeExamples(
  corpus: Corpus,
  capsules: readonly CapsuleSummary[],
  deployment: Deployment,
  manifest: CorpusManifest,
): Promise<Map<string, OperationExample>> {
  const { baseUrl } = deployment;
  const sample = capsules
    .filter(({ status, access }) => status === 'current' && access === 'public')
    .sort((a, b) => a.tokens - b.tokens)[0];
  if (sample === undefined) return new Map();
  const parameters = { capsule_id: sample.capsule_id };
  const request = { query: sample.title, max_results: 2 };
  const several = { ids: [sample.capsule_id, { capsule_id: sample.capsule_id, version: '0.0.0' }], token_budget: 4_000 };
  return new Map<string, OperationExample>([
    ...(await keyExamples(deployment)),
    ['queryKnowledge', { request, answer: expectValue(await queryKnowledge(QueryRequest.parse(request), corpus, baseUrl)) }],
    ['getCapsule', { parameters, answer: expectValue(await readCapsule(sample.capsule_id, undefined, corpus, baseUrl)) }],
    [
      'getCapsuleLineage',
      { parameters, answer: JSON.parse(expectValue(await readLineage({ id: sample.capsule_id, hasCursors: true }, corpus))) as unknown },
    ],
    ['getRelatedCapsules', { parameters, answer: expectValue(await relatedCapsules(sample.capsule_id, corpus, baseUrl)) }],
    ['fetchCapsules', { request: several, answer: expectValue(await fetchCapsules(FetchRequest.parse(several), corpus, baseUrl)) }],
    ['listChanges', { parameters: { limit: '2' }, answer: expectValue(await readChanges({ limit: '2' }, corpus, { manifest, baseUrl })) }],
    ['browseCapsules', { parameters: { limit: '2' }, answer: expectValue(await browseCapsules({ limit: '2' }, corpus, baseUrl)) }],
    ...(deployment.mode === 'edge' ? await orderExamples(deployment) : []),
    ...(await proposalExamples(sample, { secret: (await exampleSecrets())[0], timeMs: EXAMPLE_TIME_MS, baseUrl })),
    [
      'getStatus',
      {
        answer: {
          status: 'ok',
          deployment: deployment.mode === 'edge' ? 'live' : 'static',
          corpus: corpusStats(corpus.version, corpus.manifest),
          checks:
            deployment.mode === 'edge'
              ? [{ name: 'query', ok: true, detail: `the title of "${sample.capsule_id}" found it among the first three` }]
              : [],
          budgets: deployment.mode === 'edge' ? publishedBudgets().map(({ name }) => ({ name, level: 'open' })) : [],
        },
      },
    ],
  ]);
}
