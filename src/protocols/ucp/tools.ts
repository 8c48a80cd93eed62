import { UCP_TOOL_ARGUMENTS, type UcpToolName, UcpToolMeta } from './schemas/tools.ts';
import { inlineSchema, type JsonObject } from '../../schemas/json-schema.ts';

/** Title, description, and whether the tool only reads. */
const TOOLS: Readonly<Record<UcpToolName, readonly [title: string, description: string, isReading: boolean]>> = {
  search_catalog: ['Search the offers', 'Offers in which words of the query stand, the best first, with filters and pages.', true],
  lookup_catalog: ['Look offers up', 'Offers by their ids or aliases.', true],
  get_product: ['Read one offer', 'One offer with its price.', true],
  create_checkout: [
    'Open a checkout',
    'Opens a session at the prices of the catalog. A person pays it at its continue_url; nothing is charged by this tool.',
    false,
  ],
  get_checkout: ['Read a checkout', 'A session as it is now, with its order once it is paid.', true],
  update_checkout: ['Change a checkout', 'Puts another content in the place of all that a session held.', false],
  complete_checkout: ['Ask to complete a checkout', 'No instrument of payment is taken: the answer names where a person pays.', false],
  cancel_checkout: ['Cancel a checkout', 'Gives a session up that is not paid.', false],
};

/** Tools of UCP as `tools/list` of MCP names them. */
export function ucpTools(): JsonObject[] {
  const meta = inlineSchema(UcpToolMeta, 'request');
  return Object.entries(TOOLS).map(([name, [title, description, isReading]]) => {
    const schema = inlineSchema(UCP_TOOL_ARGUMENTS[name as UcpToolName], 'request');
    return {
      name,
      title,
      description,
      inputSchema: {
        ...schema,
        properties: { meta, ...(schema['properties'] as JsonObject) },
        required: ['meta', ...((schema['required'] ?? []) as string[])],
      },
      outputSchema: {
        type: 'object',
        description: 'Answer of UCP: what was asked for, or messages that say why not.',
        properties: { ucp: { type: 'object', required: ['version', 'status'] } },
        required: ['ucp'],
      },
      annotations: { title, readOnlyHint: isReading, destructiveHint: name === 'cancel_checkout', openWorldHint: false },
    };
  });
}
