import { describe, expect, test } from 'vitest';
import { protocolAt } from '../../../src/http/route-paths.ts';
import { routeTable } from '../../../src/routes/route-table.ts';

const settings = { baseUrl: 'https://signpost.example', checkoutHost: 'checkout.example' };
const table = routeTable({ ...settings, commerce: { acp: true, ucp: true } });
const nameAt = (path: string, routes = table): string | undefined => protocolAt(path, routes)?.name;

describe('protocolAt()', () => {
  test.each([
    ['/api/v1/acp', 'acp'],
    ['/api/v1/%61cp/nothing/here', 'acp'],
    ['/api/v1/acpx', undefined],
    ['/api/v1/acp%2Fnothing', undefined],
    ['/api/v1/acp/%zz', 'acp'],
    ['/api/v1/%61c%70/%ED%A0%80/x', 'acp'],
    ['/api/v1/ucp/nothing', 'ucp'],
    ['/api/v1/ucp/mcp/nothing', 'mcp'],
    ['/api/v1/ucp/mcpx', 'ucp'],
    ['/api/v1/nothing', undefined],
  ])('%s: %s', (path, name) => expect(nameAt(path)).toBe(name));

  test('below the prefix of a protocol every operation answers errors in its shape, so that no address there has another', () => {
    for (const { path, protocol } of table) expect([path, protocol?.errorSchema]).toEqual([path, protocolAt(path, table)?.errorSchema]);
  });

  test('a protocol that is switched off has no addresses', () => {
    expect(nameAt('/api/v1/ucp/checkout-sessions', routeTable({ ...settings, commerce: { acp: true, ucp: false } }))).toBeUndefined();
  });
});
