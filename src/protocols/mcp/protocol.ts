import type { OperationExample, Publication } from '../../publication/publication.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';
import { jsonDocument, type ProtocolDocument, type ProtocolModule, type ProtocolSettings } from '../protocol-module.ts';
import { MCP_VERSIONS } from '../versions.ts';
import { searchResults } from './knowledge-tools.ts';
import { formerServerCard, MCP_CAPABILITIES, SERVER_CARD_TYPE, serverCard } from './server-card.ts';

const isEdge = ({ mode }: ProtocolSettings): boolean => mode !== 'static';

const formerCard = (name: string, path: string): ProtocolDocument => ({
  name,
  path,
  isPublished: isEdge,
  make: (publication) => jsonDocument(formerServerCard(publication)),
});

/** The Model Context Protocol. Its operation needs the route table, which adds it; its documents are the cards of the server. */
export const mcpProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static'
      ? undefined
      : {
          name: 'Model Context Protocol',
          version: MCP_VERSIONS[0],
          document: baseUrl + PATHS.mcpServerCard,
          services: Object.keys(MCP_CAPABILITIES),
        },
  documents: [
    {
      name: 'mcp_server_card',
      path: PATHS.mcpServerCard,
      listing: { title: 'MCP server card', note: 'address and revisions of the MCP server, which needs no key' },
      kind: 'knowledge',
      isPublished: isEdge,
      make: (publication) => ({ ...jsonDocument(serverCard(publication)), contentType: SERVER_CARD_TYPE }),
    },
    formerCard('mcp_former_card', PATHS.mcpFormerCard),
    formerCard('mcp_json', PATHS.mcpJson),
  ],
  operations: () => [],
  examples: (publication) => [...mcpExamples(publication)],
  schemas: { requests: {}, responses: {} },
};

/** A call of the tool search, from the example of the search over HTTP; none for a corpus without a free capsule. */
function mcpExamples({ examples, deployment }: Publication): [string, OperationExample][] {
  const search = examples.get('searchKnowledge');
  const query = search?.parameters?.['q'];
  if (deployment.mode === 'static' || search === undefined || query === undefined) return [];
  const found = searchResults((search.response as SearchResponse).results);
  const content = [{ type: 'text', text: JSON.stringify(found) }];
  return [
    [
      'callMcp',
      {
        request: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query } } },
        response: { jsonrpc: '2.0', id: 1, result: { content, isError: false } },
      },
    ],
  ];
}
