import type { OperationExample } from '../publication/publication.ts';
import { agentExamples } from './agents/examples.ts';
import { orderExamples } from './commerce/examples.ts';
import { proposalExamples } from './intake/examples.ts';
import { type ExampleCorpus, knowledgeExamples } from './knowledge/examples.ts';

/**
 * Requests of the operations and the responses of the gateway to them, by operation id; none for a corpus without a free capsule. Those of
 * documents are the documents themselves, and protocols bring their own.
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
