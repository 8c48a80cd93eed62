import { documentRoute } from '../../http/document-route.ts';
import type { OperationExample, Publication } from '../../publication/publication.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';
import { A2A_VERSIONS, jsonDocument, type ProtocolModule, type ProtocolSettings } from '../protocol-module.ts';
import { AGENT_CARD_TYPE, agentCard, OUTPUT_MODES } from './agent-card.ts';
import { answerText, sendA2aMessageRoute, writeMessage } from './routes.ts';
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

/** Requests and responses of A2A, from the example of the keyless search; none for a corpus without a free capsule. */
function a2aExamples({ examples }: Publication): [string, OperationExample][] {
  const search = examples.get('searchKnowledge');
  const query = search?.parameters?.['q'];
  if (search === undefined || query === undefined) return [];
  const data = search.response as SearchResponse;
  const message = writeMessage(
    { text: answerText(data), data },
    { messageId: 'm-2', contextId: 'c-1', outputModes: OUTPUT_MODES, version: '1.0' },
  );
  const response = { jsonrpc: '2.0', id: 1, result: { message } };
  return [
    [
      'sendA2aMessage',
      {
        request: {
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: {
            message: { messageId: 'm-1', contextId: 'c-1', role: 'ROLE_USER', parts: [{ data: { skill: 'ask', query, max_results: 2 } }] },
          },
        },
        response,
        otherForms: { 'text/event-stream': `data: ${JSON.stringify(response)}\n\n` },
      },
    ],
  ];
}
