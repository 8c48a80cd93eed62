import { expect, test } from 'vitest';
import { ACP_SESSIONS, acpCart, acpHeaders } from '../../support/acp.ts';
import { uncountedGenerated } from '../../support/edge-gateway.ts';
import { FUNCTION_ROUTES, SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { jsonRequest } from '../../support/storing-requests.ts';

const gateway = useInProcessGateway(async () => ({ generated: await uncountedGenerated() }));

async function changes(path: string, init: RequestInit = {}): Promise<{ readonly status: number; readonly changed: number }> {
  const count = async (): Promise<number> =>
    (await gateway.state().prepare('SELECT total_changes() AS n').first<number>('n')) ?? Number.NaN;
  const before = await count();
  const response = await gateway.fetch(path, init);
  await response.arrayBuffer();
  return { status: response.status, changed: (await count()) - before };
}

const READS = FUNCTION_ROUTES.filter(({ route }) => route.method === 'GET');

test.each(READS)('$id writes nothing, by GET and by HEAD', async ({ path, init }) => {
  for (const method of ['GET', 'HEAD']) expect(await changes(path, { ...init, method })).toMatchObject({ changed: 0 });
});

test.each([
  `/buy/${SAMPLE_OFFER.id}?go`,
  `/buy/${SAMPLE_OFFER.alias}?go`,
  `/buy/${SAMPLE_OFFER.id}:1`,
  `/buy/${SAMPLE_OFFER.id}:2,team-licence:1`,
  `/checkout?items=${SAMPLE_OFFER.id}:2`,
  `/invoice?items=${SAMPLE_OFFER.id}:2`,
])('%s leads on and writes nothing', async (path) => {
  const { status, changed } = await changes(path);
  expect([200, 303]).toContain(status);
  expect(changed).toBe(0);
});

test('a write is seen, so that none of the tests before has passed in vain', async () => {
  const { init } = jsonRequest(ACP_SESSIONS, acpCart(SAMPLE_OFFER.id), await acpHeaders());
  const { status, changed } = await changes(ACP_SESSIONS, init);
  expect(status).toBe(201);
  expect(changed).toBeGreaterThan(3);
});
