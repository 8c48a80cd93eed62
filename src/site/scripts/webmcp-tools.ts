/** Tools of this site for an agent in the browser (WebMCP). They read public documents of this site; a browser without WebMCP gets none. */

interface PageTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations: object;
  readonly execute: (input: Readonly<Record<string, unknown>>) => Promise<{ content: { type: 'text'; text: string }[]; isError?: true }>;
}

declare global {
  interface Document {
    readonly modelContext?: { registerTool(tool: PageTool): unknown };
  }
  interface Navigator {
    /** Where browsers had it before. */
    readonly modelContext?: { registerTool(tool: PageTool): unknown };
  }
}

/** @param addressOf Address of the document that answers, on this site. */
function tool(
  name: string,
  description: string,
  parameters: Readonly<Record<string, string>>,
  addressOf: (value: string) => string,
): PageTool {
  const [required] = Object.keys(parameters);
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([parameter, meaning]) => [parameter, { type: 'string', minLength: 1, description: meaning }]),
  );
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(parameters), additionalProperties: false },
    annotations: { readOnlyHint: true, untrustedContentHint: true },
    execute: async (input) => {
      const value = required === undefined ? '' : encodeURIComponent(String(input[required] ?? ''));
      const response = await fetch(import.meta.env.BASE_PATH + addressOf(value), { headers: { accept: 'application/json' } }).catch(
        () => undefined,
      );
      const type = response?.headers.get('content-type') ?? '';
      // A page in place of a document says nothing to an agent.
      const text = response && type.includes('json') ? await response.text() : `No document: ${response?.status ?? 'no response'}`;
      return { content: [{ type: 'text', text }], ...(!response?.ok && { isError: true as const }) };
    },
  };
}

function register({ search, capsules, capsule, offers }: DOMStringMap): void {
  const tools = [
    search && tool('search', 'Searches this site and quotes what matches.', { q: 'Question or keywords.' }, (q) => `${search}?q=${q}`),
    capsules && tool('list_capsules', 'Lists the capsules of this site.', {}, () => capsules),
    capsule && tool('read_capsule', 'Reads a capsule as JSON.', { id: 'Id of the capsule.' }, (id) => capsule.replace('{id}', id)),
    offers && tool('list_offers', 'Lists offers and their prices.', {}, () => offers),
  ];
  for (const each of tools) {
    if (!each) continue;
    if (document.modelContext) document.modelContext.registerTool(each);
    else navigator.modelContext?.registerTool(each);
  }
}

const addresses = document.querySelector<HTMLTemplateElement>('[data-page-tools]');
if (addresses) register(addresses.dataset);

export {};
