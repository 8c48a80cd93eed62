import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Requests } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';

export async function connectMcp({ fetch }: Pick<Requests, 'fetch'>): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  const fetchImpl = (input: string | URL, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(input);
    return fetch(pathname + search, init);
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${TEST_BASE_URL}/mcp`), { fetch: fetchImpl }));
  return client;
}
