import { describe, expect, test } from 'vitest';
import { routesFile } from '../../../src/documents/headers-and-redirects.ts';
import { UcpProfile } from '../../../src/protocols/ucp/ucp.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { UCP_SCHEMAS } from '../../support/ucp.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway();
const off = useInProcessGateway({ generated: { deployment: { ...deployment, commerce: { ...deployment.commerce, ucp: false } } } });
const PATH = '/.well-known/ucp';

describe('getUcpProfile 200 application/json', () => {
  test('names both transports, four capabilities and no payment handler, at addresses that answer', async () => {
    const response = await gateway.fetch(PATH);
    const profile = UcpProfile.parse(await response.json());
    expect(UCP_SCHEMAS?.faults('profile.json#/$defs/business_schema', profile) ?? []).toEqual([]);
    expect(profile.ucp.payment_handlers).toEqual({});
    expect(profile.ucp.services['dev.ucp.shopping']?.map(({ transport, endpoint }) => [transport, endpoint])).toEqual([
      ['rest', `${TEST_BASE_URL}/api/v1/ucp`],
      ['mcp', `${TEST_BASE_URL}/api/v1/ucp/mcp`],
    ]);
    expect(Object.keys(profile.ucp.capabilities)).toEqual([
      'dev.ucp.shopping.catalog.search',
      'dev.ucp.shopping.catalog.lookup',
      'dev.ucp.shopping.checkout',
      'dev.ucp.shopping.permalink',
    ]);
    expect(profile.ucp.capabilities['dev.ucp.shopping.permalink']?.[0]?.config).toEqual({ endpoint: `${TEST_BASE_URL}/buy` });
  });

  test('where UCP is off, no function answers for it or for its operations', async () => {
    expect(await (await off.fetch(PATH)).text()).toBe(`file ${PATH}`);
    expect((await off.post('/api/v1/ucp/catalog/search', { query: 'review' })).status).toBe(404);
    expect(routesFile(routeTable({ ...deployment, commerce: { acp: true, ucp: false } }))).not.toContain('ucp');
    expect(routesFile(routeTable(deployment))).toContain(PATH);
  });
});
