import { GATEWAY_VERSION } from '../../schemas/deployment.ts';
import { featuresOf } from '../../schemas/features.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Publication } from '../../text/publication-model.ts';
import { A2A_VERSION, AgentCard, OutputMode } from './a2a-schemas.ts';

/** Media type of the card in catalogs (Agentic Resource Discovery). */
export const AGENT_CARD_TYPE = 'application/a2a-agent-card+json';

export const INPUT_MODES = ['text/plain', 'text/markdown', 'application/json'] as const;
export const OUTPUT_MODES = OutputMode.exclude(['text/plain']).options;

export function agentCard({ deployment, publisher, offers, examples }: Publication): AgentCard {
  const { name, description, baseUrl } = deployment;
  const question = examples.get('searchKnowledge')?.parameters?.['q'];
  const capsule = examples.get('getCapsule')?.parameters?.['capsule_id'];
  return AgentCard.parse({
    name,
    description: `Answers questions from ${name} with quotations that can be verified. ${description}`,
    supportedInterfaces: [{ url: baseUrl + PATHS.a2a, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    provider: { organization: name, url: baseUrl },
    version: GATEWAY_VERSION,
    documentationUrl: baseUrl + PATHS.docs,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: [...INPUT_MODES],
    defaultOutputModes: [...OUTPUT_MODES],
    skills: [
      {
        id: 'ask',
        name: 'Ask a question',
        description:
          'Finds the passages that answer a question, quoted word for word with their addresses, versions and digests. No model writes the answer. Send the question as text, or data {"skill": "ask", "query": "…", "max_results": 5}.',
        tags: ['search', 'questions', 'quotations'],
        ...(question === undefined ? {} : { examples: [question] }),
      },
      {
        id: 'verify_quote',
        name: 'Verify a quotation',
        description:
          'Tells whether a capsule contains a quotation, and where. Send data {"skill": "verify_quote", "capsule_id": "…", "quote": "…"}, optionally with version.',
        tags: ['verification', 'quotations', 'provenance'],
        inputModes: ['application/json'],
        ...(capsule === undefined ? {} : { examples: [JSON.stringify({ skill: 'verify_quote', capsule_id: capsule, quote: '…' })] }),
      },
      ...(featuresOf(publisher, offers).shop
        ? [
            {
              id: 'find_offer',
              name: 'Find an offer',
              description:
                'Finds what is for sale, with current prices where they are fixed, and the pages that sell it. Send data {"skill": "find_offer", "query": "…"}.',
              tags: ['offers', 'prices'],
              inputModes: ['application/json'],
              ...(offers[0] === undefined ? {} : { examples: [JSON.stringify({ skill: 'find_offer', query: offers[0].name })] }),
            },
          ]
        : []),
    ],
  } satisfies AgentCard);
}
