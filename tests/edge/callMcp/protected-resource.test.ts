import { describe, expect, test } from 'vitest';
import { ProtectedResource } from '../../../src/schemas/agents.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { makeKey } from '../../support/agent-keys.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });

describe('getMcpResource 200 application/json', () => {
  test('names the MCP server, at the address that clients form from its own and that a 401 of it names', async () => {
    const refused = await gateway.fetch(`${PATHS.mcp}?key=${await makeKey()}`, { method: 'POST' });
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const { origin, pathname } = new URL(TEST_BASE_URL + PATHS.mcp);
    expect(address).toBe(`${origin}/.well-known/oauth-protected-resource${pathname}`);
    const response = await gateway.fetch(new URL(address).pathname);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const { resource, ...rest } = ProtectedResource.parse(await response.json());
    expect(resource).toBe(TEST_BASE_URL + PATHS.mcp);
    const ofSite = ProtectedResource.parse(await (await gateway.fetch(PATHS.protectedResource)).json());
    expect(ofSite).toEqual({ ...rest, resource: TEST_BASE_URL });
  });
});
