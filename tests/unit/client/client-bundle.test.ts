import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/client/operations.ts';
import { bundleClient } from '../../../src/package/bundle-client.ts';
import { routeTable } from '../../../src/routes/route-table.ts';

/** Most bytes of the client, compressed. */
const MOST_BYTES = 6_000;

describe('the bundle of the client', () => {
  it('is small, and loads nothing else', async () => {
    const bytes = await bundleClient();
    const compressed = gzipSync(bytes, { level: 9 }).length;
    console.log(`client: ${bytes.length} bytes, ${compressed} bytes gzip`);
    expect(compressed).toBeLessThanOrEqual(MOST_BYTES);
    expect(Buffer.from(bytes).toString()).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|\beval\b|\bzod\b/);
  });

  it('is the same bytes each time', async () => {
    expect(Buffer.from(await bundleClient()).equals(await bundleClient())).toBe(true);
  });

  it('calls operations of the route table only', async () => {
    const table = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' }).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(table).toEqual(expect.arrayContaining(Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`)));
    const text = Buffer.from(await bundleClient()).toString();
    for (const { path } of Object.values(OPERATIONS)) expect(text).toContain(`"${path}"`);
  });
});
