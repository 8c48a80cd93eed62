import { documentRoute } from '../../http/document-route.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonDocument, type ProtocolModule, type ProtocolSettings } from '../protocol-module.ts';
import { A2A_VERSIONS } from '../versions.ts';
import { a2aExamples } from './a2a-examples.ts';
import { AGENT_CARD_TYPE, agentCard } from './agent-card.ts';
import { sendA2aMessageRoute } from './routes.ts';
import { A2aFailure, A2aMessage, A2aRequest, A2aResponse, AgentCard } from './schemas.ts';

/** How long clients may cache the card, in seconds (A2A 1.0, section 8.6.1). */
const CARD_SECONDS = 300;

/** The Agent2Agent Protocol: a card, and an agent that answers questions. It needs functions, and a static site has no card. */
export const a2aProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static'
      ? undefined
      : {
          name: 'Agent2Agent Protocol',
          version: A2A_VERSIONS[0],
          document: baseUrl + PATHS.agentCard,
          services: ['SendMessage', 'SendStreamingMessage'],
        },
  documents: [
    {
      name: 'agent_card',
      path: PATHS.agentCard,
      listing: { title: 'A2A agent card', note: 'skills and endpoint of the agent that answers questions, by the Agent2Agent Protocol' },
      kind: 'knowledge',
      isPublished: ({ mode }: ProtocolSettings) => mode !== 'static',
      make: (publication) => ({ ...jsonDocument(agentCard(publication)), contentType: AGENT_CARD_TYPE }),
      route: () =>
        documentRoute('agent_card', {
          id: 'getAgentCard',
          path: PATHS.agentCard,
          summary: 'Discover the agent (A2A)',
          description: 'Agent card of the Agent2Agent Protocol: skills, endpoint and supported versions.',
          capability: 'knowledge',
          edge: true,
          schema: AgentCard,
          type: AGENT_CARD_TYPE,
          cache: CARD_SECONDS,
        }),
    },
  ],
  operations: () => [sendA2aMessageRoute],
  examples: (publication) => [['getAgentCard', { response: agentCard(publication) }], ...a2aExamples(publication)],
  schemas: { requests: { A2aRequest }, responses: { AgentCard, A2aResponse, A2aMessage, A2aFailure } },
};
