import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { COMMERCE_FOLDER, commercePackage } from '../../support/commerce-kit.ts';
import { duringTests } from '../../support/during-tests.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { serveResponses } from '../../support/static-server.ts';
import { UCP_PROFILE } from '../../support/ucp.ts';

/** Releases of the official SDK that hosts still run, each against both servers behind a port of this machine. */
const SDKS = [
  { name: 'mcp-sdk-1-10', revision: '2024-11-05' },
  { name: 'mcp-sdk-1-12', revision: '2025-03-26' },
  { name: 'mcp-sdk-1-32', revision: '2025-11-25' },
] as const;

const folderOf = (name: string): string => join(COMMERCE_FOLDER, 'node_modules', name, 'dist/esm/client');
const isInstalled = SDKS.every(({ name }) => commercePackage(`${name}/dist/esm/client`) !== undefined);

/** What the tests use of an SDK. Its types depend on its release, and on packages that may be absent. */
interface SdkClient {
  readonly connect: (transport: SdkTransport) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string; readonly outputSchema?: object }[] }>;
  readonly callTool: (call: object) => Promise<{
    readonly isError?: boolean;
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: object;
  }>;
}
interface SdkTransport {
  readonly send: (messages: object) => Promise<void>;
  onmessage?: (message: Sent) => void;
}
interface Sent {
  readonly id?: number;
  readonly result?: { readonly protocolVersion?: string };
  readonly error?: { readonly code: number; readonly message: string };
}
type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];
const gateway = useSharedGateway({ files: 'built' });
const server = duringTests(() => serveResponses(gateway.fetch));

async function connected(name: string, path: string) {
  const { Client } = (await import(join(folderOf(name), 'index.js'))) as { Client: new (about: object) => SdkClient };
  const { StreamableHTTPClientTransport: Transport } = (await import(join(folderOf(name), 'streamableHttp.js'))) as {
    StreamableHTTPClientTransport: new (address: URL) => SdkTransport;
  };
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const transport = new Transport(new URL(path, server().origin));
  const sent: Sent[] = [];
  const connecting = client.connect(transport);
  const read = transport.onmessage;
  transport.onmessage = (message) => {
    sent.push(message);
    read?.(message);
  };
  await connecting;
  return { client, transport, sent };
}

async function refusalOf(client: SdkClient, [name, args]: Call): Promise<string> {
  try {
    const { isError, content } = await client.callTool({ name, arguments: args });
    expect([name, args, isError]).toEqual([name, args, true]);
    return content.map(({ text }) => text).join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

type FailingCall = readonly [...Call, RegExp];

const REFUSED_CALLS: readonly FailingCall[] = [
  ['nothing', {}, /Unknown tool .*nothing.*tools\/list/],
  ['mcp__site__search', { query: 'bm25' }, /Did you mean "search"\?/],
  ['verifyQuote', { query: 'bm25' }, /Did you mean "verify_quote"\?/],
  ['search', { qury: 'bm25' }, /Did you mean .*query|"did_you_mean":"query"/],
  ['fetch', { id: 'bm-25' }, /"bm25"/],
  ['fetch', { id: 'bm26@1.0' }, /"did_you_mean":"bm25@1.0.0"/],
  ['fetch', { id: 'capsule:bm25@v1.0.0' }, /"did_you_mean":"bm25@1.0.0"/],
  ['fetch', { id: 'bm26@9.9.9' }, /"did_you_mean":"bm25"/],
  ['fetch', { id: 'bm25', include: ['everything'] }, /details.*lineage.*related/],
  ['verify_quote', { id: 'nothing-like-this', quote: 'a quotation' }, /No text has this id/],
  ['query', { query: 'bm25', cursor: 'no cursor' }, /cursor/],
  ['browse', { limit: 100_000 }, /limit/],
  ['offers', { id: 'a' }, /id/],
];

const meta = { 'ucp-agent': { profile: UCP_PROFILE } };
const lineItems = (id: string) => ({ checkout: { line_items: [{ item: { id }, quantity: 1 }] } });
const UCP_REFUSED_CALLS: readonly FailingCall[] = [
  ['nothing', { meta }, /Unknown tool/],
  ['searchCatalog', { meta }, /Did you mean \\"search_catalog/],
  ['search_catalog', {}, /profile/],
  ['get_product', { meta, catalog: { id: 'no-such-offer' } }, /do not sell an offer with the id \\"no-such-offer/],
  ['create_checkout', { meta, checkout: { line_items: [] } }, /line_items/],
  ['get_checkout', { meta, id: `cs_${'0'.repeat(31)}a` }, /session|checkout/i],
];

describe.skipIf(!isInstalled).each(SDKS)('$name', ({ name, revision }) => {
  let knowledge: Awaited<ReturnType<typeof connected>>;
  let shop: Awaited<ReturnType<typeof connected>>;
  beforeAll(async () => {
    [knowledge, shop] = await Promise.all([connected(name, PATHS.mcp), connected(name, PATHS.ucpMcp)]);
  });
  afterAll(() => Promise.all([knowledge.client.close(), shop.client.close()]));

  test('initialises with its own revision', () => {
    for (const { sent } of [knowledge, shop]) expect(sent[0]?.result?.protocolVersion).toBe(revision);
  });

  test('lists the tools of both servers', async () => {
    const names = async ({ client }: typeof shop) => (await client.listTools()).tools.map((tool) => tool.name);
    expect(await names(knowledge)).toEqual(['search', 'fetch', 'verify_quote', 'query', 'browse', 'offers']);
    expect(await names(shop)).toEqual(expect.arrayContaining(['search_catalog', 'get_product', 'create_checkout', 'get_checkout']));
  });

  test('calls every tool of the site', async () => {
    const { client } = knowledge;
    const { tools } = await client.listTools();
    const calls: Readonly<Record<string, Call[1]>> = {
      search: { query: 'How long does a client wait after 429?' },
      fetch: { id: 'bm25' },
      verify_quote: { id: 'bm25', quote: 'not in this text' },
      query: { query: 'idempotency key', max_results: 2 },
      browse: { limit: 2 },
      offers: {},
    };
    expect(Object.keys(calls)).toEqual(tools.map((tool) => tool.name));
    for (const [tool, args] of Object.entries(calls)) {
      const { isError, content } = await client.callTool({ name: tool, arguments: args });
      expect([tool, isError, content.length]).toEqual([tool, false, 1]);
      expect(Object.keys(JSON.parse(content[0]?.text ?? '') as object)).not.toEqual([]);
    }
  });

  test('buys over the tools of UCP', async () => {
    const { client } = shop;
    // With the schemas of their outputs, by which an SDK checks every result.
    await client.listTools();
    const call = async <T>(tool: string, args: object): Promise<T> => {
      const result = await client.callTool({ name: tool, arguments: { meta, ...args } });
      expect([tool, result.isError]).toEqual([tool, false]);
      return JSON.parse(result.content[0]?.text ?? '') as T;
    };
    const { products } = await call<{ products: { id: string }[] }>('search_catalog', { catalog: { query: 'evidence review' } });
    expect(products[0]?.id).toBe(SAMPLE_OFFER.id);
    expect(await call('get_product', { catalog: { id: SAMPLE_OFFER.id } })).toMatchObject({ product: { id: SAMPLE_OFFER.id } });
    const { id } = await call<{ id: string }>('create_checkout', lineItems(SAMPLE_OFFER.id));
    expect(await call('get_checkout', { id })).toMatchObject({ id, status: 'requires_escalation' });
    expect(await call('cancel_checkout', { id })).toMatchObject({ id, status: 'canceled' });
  });

  test('reads the message of every call that fails', async () => {
    const lost: unknown[] = [];
    for (const [{ client }, calls] of [
      [knowledge, REFUSED_CALLS],
      [shop, UCP_REFUSED_CALLS],
    ] as const) {
      await client.listTools();
      for (const [tool, args, words] of calls) {
        const message = await refusalOf(client, [tool, args]);
        if (!words.test(message) || /output schema|structured content/i.test(message)) lost.push([tool, words, message]);
      }
    }
    expect(lost).toEqual([]);
  });

  test('is told that a request is one message', async () => {
    for (const { transport } of [knowledge, shop])
      await expect(transport.send([{ jsonrpc: '2.0', id: 901, method: 'ping' }])).rejects.toThrow(/must be a JSON object; it is a list/);
  });
});
