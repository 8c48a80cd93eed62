import { browseCapsules } from '../gateway/capsules/browse-capsules.ts';
import { readCapsule, readLineage } from '../gateway/capsules/read-capsule.ts';
import { publishedRateLimits } from '../gateway/agents/register-agent.ts';
import { BlockCache } from '../gateway/knowledge/block-cache.ts';
import { Corpus } from '../gateway/knowledge/corpus.ts';
import { corpusFacts } from '../gateway/knowledge/corpus-facts.ts';
import { queryKnowledge } from '../gateway/knowledge/query-knowledge.ts';
import type { Result } from '../gateway/result.ts';
import type { OperationExample } from '../documents/publication.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { QueryRequest } from '../schemas/query.ts';
import type { Registration } from '../schemas/registration.ts';
import type { BuiltGeneration } from './generation.ts';

/** Real requests and answers for the documents, made by running the gateway on the blocks that were just built. */
export async function makeExamples(generation: BuiltGeneration, deployment: Deployment): Promise<Map<string, OperationExample>> {
  const corpus = new Corpus(generation, { read: async (sha256) => generation.blocks.get(sha256) }, new BlockCache(Number.MAX_SAFE_INTEGER));
  const { baseUrl } = deployment;
  const summaries = await corpus.newest.summaries();
  const sample = summaries.filter(({ status }) => status === 'current').sort((a, b) => a.tokens - b.tokens)[0];
  if (sample === undefined) return new Map();
  const parameters = { capsule_id: sample.capsule_id };
  const request = { query: sample.title, max_results: 2 };
  return new Map<string, OperationExample>([
    [
      'registerAgent',
      {
        request: { agent_name: 'Example research agent', platform: 'example.org', contact: 'https://example.org/agent' },
        answer: exampleRegistration(deployment),
      },
    ],
    ['queryKnowledge', { request, answer: expectValue(await queryKnowledge(QueryRequest.parse(request), corpus, baseUrl)) }],
    ['getCapsule', { parameters, answer: expectValue(await readCapsule(sample.capsule_id, undefined, corpus, baseUrl)) }],
    ['getCapsuleLineage', { parameters, answer: JSON.parse(expectValue(await readLineage(sample.capsule_id, corpus))) as unknown }],
    ['browseCapsules', { parameters: { limit: '2' }, answer: expectValue(await browseCapsules({ limit: '2' }, corpus, baseUrl)) }],
    [
      'getStatus',
      {
        answer: {
          status: 'ok',
          deployment: deployment.mode === 'edge' ? 'live' : 'static',
          corpus: corpusFacts(generation.version, generation.manifest),
          checks:
            deployment.mode === 'edge'
              ? [{ name: 'query', ok: true, detail: `the title of "${sample.capsule_id}" found it among the first three` }]
              : [],
        },
      },
    ],
  ]);
}

/** A registration with a key that has the right form and opens nothing: its checksum is wrong. */
function exampleRegistration({ baseUrl, keyPrefix }: Deployment): Registration {
  const key = `${keyPrefix}${'0'.repeat(60)}`;
  const agentId = 'agt_0123456789abcdef';
  const issuedAtMs = Date.UTC(2026, 10, 21, 9, 30);
  const iso = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
  return {
    agent_id: agentId,
    registration_id: agentId,
    api_key: key,
    credential_type: 'api_key',
    credential: key,
    scopes: ['read'],
    issued_at: iso(issuedAtMs),
    expires_at: iso(issuedAtMs + LIMITS.keyTtlDays * 86_400_000),
    rate_limits: publishedRateLimits(),
    links: {
      query: `${baseUrl}${PATHS.gateway}/query`,
      capabilities: `${baseUrl}${PATHS.gateway}/capabilities`,
      openapi: `${baseUrl}${PATHS.openApi}`,
    },
  };
}

function expectValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`an example could not be made: ${result.refusal.detail}`);
  return result.value;
}
