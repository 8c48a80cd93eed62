import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commercePackage } from '../support/commerce-kit.ts';
import { builtGenerated, type EdgeGateway, type Generated, startEdgeGateway } from '../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../support/function-routes.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { type StaticServer, serveResponses } from '../support/static-server.ts';

const PROGRAM = commercePackage('@shopify/ucp-cli/dist/bin.js') ?? '';
const isInstalled = PROGRAM !== '';
let server: StaticServer;
let gateway: EdgeGateway;
let home: string;
let business: string;

beforeAll(async () => {
  if (!isInstalled) return;
  server = await serveResponses((path, init) => gateway.fetch(path, init));
  business = server.origin;
  const { deployment, documents } = await builtGenerated();
  const generated = JSON.parse(JSON.stringify({ deployment, documents }).replaceAll(TEST_BASE_URL, business)) as Partial<Generated>;
  gateway = await startEdgeGateway({ generated });
  home = await mkdtemp(join(tmpdir(), 'ucp-'));
});
afterAll(async () => {
  if (!isInstalled) return;
  await server.stop();
  await gateway.stop();
  await rm(home, { recursive: true });
});

async function ucp(...args: readonly string[]): Promise<Record<string, unknown>> {
  const env = { ...process.env, UCP_HOME: home, UCP_TEST_ALLOW_INSECURE_LOCALHOST: 'true', UCP_STRICT_SCHEMA: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--business', business, '--format', 'json'], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.skipIf(!isInstalled)('the client of Shopify', () => {
  test('discovers what is offered', async () => expect(JSON.stringify(await ucp('discover'))).toContain('create_checkout'));

  test('searches the catalog', async () => {
    const { result } = (await ucp('catalog', 'search', '--set', '/query=evidence review')) as { result: { products: { id: string }[] } };
    expect(result.products[0]?.id).toBe(SAMPLE_OFFER.id);
  });

  test('opens a checkout, reads it, and is told that a person pays', async () => {
    const opened = await ucp(
      'checkout',
      'create',
      '--set',
      `/line_items/0/item/id=${SAMPLE_OFFER.id}`,
      '--set',
      '/line_items/0/quantity=1',
    );
    const { id } = opened['result'] as { id: string };
    expect(opened).toMatchObject({
      result: { status: 'requires_escalation', continue_url: expect.stringMatching(new RegExp(`/checkout/${id}$`)) },
    });
    expect(await ucp('checkout', 'get', id)).toMatchObject({ result: { id, status: 'requires_escalation' } });
    expect(await ucp('checkout', 'cancel', id)).toMatchObject({ result: { id, status: 'canceled' } });
  });
});
