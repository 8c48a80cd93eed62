import type * as z from 'zod';
import { mintReceipt } from '../gateway/intake/receipt.ts';
import { proposalReceipt } from '../gateway/intake/submit-proposal.ts';
import { browseCapsules } from '../gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../gateway/knowledge/fetch-capsules.ts';
import { MARKDOWN_ANSWER } from '../gateway/knowledge/query-answer.ts';
import { queryKnowledge, queryKnowledgeText } from '../gateway/knowledge/query-knowledge.ts';
import { readCapsule, relatedCapsules } from '../gateway/knowledge/read-capsule.ts';
import { readChanges } from '../gateway/knowledge/read-changes.ts';
import { readLineage, readProvLineage } from '../gateway/knowledge/read-lineage.ts';
import { corpusStats } from '../gateway/knowledge/report-status.ts';
import { verifyQuote } from '../gateway/knowledge/verify-quote.ts';
import { publishedBudgets } from '../gateway/limits/report-limits.ts';
import { expectValue } from '../gateway/result.ts';
import { canonicalDigest } from '../provenance/digest.ts';
import type { OperationExample } from '../publication/publication.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { deployedFeatures } from '../schemas/features.ts';
import { type CapsuleProposal, IntakeRequest, type SubmissionStatus } from '../schemas/intake/intake.ts';
import type { CapsuleSummary } from '../schemas/knowledge/capsule.ts';
import type { CorpusManifest } from '../schemas/knowledge/changes.ts';
import type { StatusResponse } from '../schemas/knowledge/corpus-responses.ts';
import { FetchRequest } from '../schemas/knowledge/fetch.ts';
import { QueryRequest } from '../schemas/knowledge/query.ts';
import { queryOfSearch } from '../schemas/knowledge/search.ts';
import { agentExamples, EXAMPLE_TIME_MS, exampleSecrets } from './agents/agent-examples.ts';
import { orderExamples } from './commerce/order-examples.ts';

/**
 * Requests of the operations and the gateway's responses, by operation id; none for a corpus without a free capsule. Documents are their own
 * examples, and protocols have theirs.
 */
export async function routeExamples(published: ExampleCorpus): Promise<Map<string, OperationExample>> {
  const { capsules, deployment } = published;
  const capsule = capsules
    .filter(({ status, access }) => status === 'current' && access === 'public')
    .sort((a, b) => a.tokens - b.tokens)[0];
  if (capsule === undefined) return new Map();
  return new Map([
    ...(await agentExamples(deployment)),
    ...(await knowledgeExamples(published, capsule)),
    ...(deployment.mode === 'edge' ? await orderExamples(deployment) : []),
    ...(await proposalExamples(capsule, deployment.baseUrl)),
  ]);
}

/** The corpus that the build has just published. */
export interface ExampleCorpus {
  readonly corpus: Corpus;
  readonly capsules: readonly CapsuleSummary[];
  readonly deployment: Deployment;
  readonly manifest: CorpusManifest;
}

/** Real responses from the published corpus, for one of its capsules. */
async function knowledgeExamples(
  { corpus, deployment, manifest }: ExampleCorpus,
  { capsule_id, title }: CapsuleSummary,
): Promise<[string, OperationExample][]> {
  const { baseUrl } = deployment;
  const parameters = { capsule_id };
  const query = { query: title, max_results: 2, passages: 1 };
  const question = QueryRequest.parse(query);
  const inMarkdown = expectValue(await queryKnowledgeText(question, corpus, deployment, undefined, MARKDOWN_ANSWER));
  const several = { ids: [capsule_id, { capsule_id, version: '0.0.0' }], token_budget: 4_000 };
  const lineage = expectValue(await readLineage({ id: capsule_id, hasCursors: true }, corpus));
  const capsule = expectValue(await readCapsule(capsule_id, undefined, corpus, baseUrl));
  const quote = /^[^\n.]{1,200}/.exec(capsule.markdown)?.[0] ?? capsule.title;
  const prov = expectValue(await readProvLineage(capsule_id, corpus, baseUrl));
  return [
    [
      'queryKnowledge',
      {
        request: query,
        response: expectValue(await queryKnowledge(question, corpus, baseUrl)),
        otherForms: { 'text/markdown': inMarkdown },
      },
    ],
    [
      'searchKnowledge',
      {
        parameters: { q: title, max_results: '2' },
        response: JSON.parse(
          expectValue(await queryKnowledgeText(queryOfSearch({ q: title, max_results: '2' }), corpus, deployment)),
        ) as unknown,
      },
    ],
    ['getCapsule', { parameters, response: capsule }],
    [
      'verifyQuote',
      {
        parameters: { ...parameters, text: quote },
        response: expectValue(await verifyQuote({ capsuleId: capsule_id, quote }, corpus, baseUrl, () => undefined)),
      },
    ],
    [
      'getCapsuleLineage',
      { parameters, response: JSON.parse(lineage) as unknown, otherForms: { 'application/ld+json': JSON.parse(prov) as unknown } },
    ],
    ['getRelatedCapsules', { parameters, response: expectValue(await relatedCapsules(capsule_id, corpus, baseUrl)) }],
    ['fetchCapsules', { request: several, response: expectValue(await fetchCapsules(FetchRequest.parse(several), corpus, baseUrl)) }],
    [
      'listChanges',
      { parameters: { limit: '2' }, response: expectValue(await readChanges({ limit: '2' }, corpus, { manifest, baseUrl })) },
    ],
    ['browseCapsules', { parameters: { limit: '2' }, response: expectValue(await browseCapsules({ limit: '2' }, corpus, baseUrl)) }],
    ['getStatus', { response: statusExample(corpus, deployment, capsule_id) }],
  ];
}

/** The status of a service in which everything works. */
function statusExample(corpus: Corpus, deployment: Deployment, capsuleId: string): StatusResponse {
  return {
    status: 'ok',
    deployment: 'live',
    corpus: corpusStats(corpus.version, corpus.manifest),
    checks: [{ name: 'query', ok: true, detail: `the title of "${capsuleId}" found it among the first three` }],
    budgets: publishedBudgets(deployedFeatures(deployment)).map(({ name }) => ({ name, level: 'open' })),
  };
}

const EXAMPLE_AGENT_ID = '1122334455667788';
const DAY_MS = 86_400_000;

/** Examples of intake: a correction of a capsule, its receipt and its status. */
export async function proposalExamples(capsule: CapsuleSummary, baseUrl: string): Promise<[string, OperationExample][]> {
  const request = {
    kind: 'correction',
    capsule_id: capsule.capsule_id,
    version: capsule.version,
    quote: 'a passage, copied exactly from the text, where it occurs once',
    replacement: 'its replacement',
    reason: 'The newest edition of the source states this.',
  };
  const newCapsule = {
    kind: 'capsule',
    capsule_id: 'conditional-requests',
    metadata: {
      title: 'A conditional request avoids sending unchanged content',
      summary: 'A client that sends its entity tag in If-None-Match gets 304 without a body while the representation is the same.',
      type: 'protocol',
      tags: ['http', 'caching'],
      evidence: 'specified',
      license: capsule.license,
      sources: [
        {
          key: 'rfc9110',
          title: 'RFC 9110: HTTP Semantics',
          url: 'https://www.rfc-editor.org/rfc/rfc9110',
          publisher: 'IETF',
          kind: 'standard',
        },
      ],
    },
    markdown: 'The whole text goes here and refers to its source.[^rfc9110]',
  } satisfies z.input<typeof CapsuleProposal>;
  const sha256 = (await canonicalDigest(IntakeRequest.parse(request))).slice('sha256:'.length);
  const [secret] = await exampleSecrets();
  const receipt = await mintReceipt({ agent: EXAMPLE_AGENT_ID, sha256, receivedAtMs: EXAMPLE_TIME_MS }, secret);
  const taken = proposalReceipt(
    receipt,
    { sha256, state: 'pending', nowMs: EXAMPLE_TIME_MS, kind: 'correction' },
    EXAMPLE_AGENT_ID,
    baseUrl,
  );
  const status: SubmissionStatus = {
    receipt,
    kind: taken.kind,
    capsule_id: capsule.capsule_id,
    proposal_sha256: sha256,
    state: 'accepted',
    received_at: taken.received_at,
    decided_at: new Date(EXAMPLE_TIME_MS + DAY_MS).toISOString(),
  };
  return [
    ['submitProposal', { request, otherRequests: { capsule: newCapsule }, response: taken }],
    ['getProposal', { parameters: { receipt }, response: status }],
  ];
}
