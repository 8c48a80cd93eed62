import type { OperationExample, Publication } from '../../publication/publication.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { OUTPUT_MODES } from './agent-card.ts';
import { answerText } from './run-skill.ts';
import { writeMessage } from './write-message.ts';

/** Requests and responses of A2A, from the example of the keyless search; none for a corpus without a free capsule. */
export function a2aExamples({ examples }: Publication): [string, OperationExample][] {
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
