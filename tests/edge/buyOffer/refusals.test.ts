import { describe, expect, test } from 'vitest';
import { useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';

const PAGE = `/buy/${SAMPLE_OFFER.id}`;

describe('buyOffer 404 offer_not_found', () => {
  const service = useEdgeGateway({ files: () => new Response('of the host', { status: 404 }) });

  test.each(['no-such-offer', 'no-such-offer:1', `${SAMPLE_OFFER.id}%20`, '%00', 'a'.repeat(1_000)])(
    'a problem document for /buy/%s, where the caller prefers that to the page of the host',
    async (name) => {
      await expectProblem(await service.fetch(`/buy/${name}`, { headers: { Accept: 'application/json' } }), 'offer_not_found');
      const page = await service.fetch(`/buy/${name}`, { headers: { Accept: 'text/html, */*;q=0.8' } });
      expect([page.status, await page.text(), page.headers.get('vary')]).toEqual([404, 'of the host', 'Accept']);
    },
  );
});

describe('buyOffer 503 file_unavailable', () => {
  const statuses = [429, 500, 503, 404] as const;
  const services = statuses.map((status) => [status, useEdgeGateway({ files: () => new Response('of the host', { status }) })] as const);

  test.each(services)('a host of files that answers %i for the page of an offer', async (_status, service) => {
    const problem = await expectProblem(await service.fetch(PAGE), 'file_unavailable');
    expect(problem.retry_after_seconds).toBe(30);
  });

  test('the way to the checkout needs no file', async () => {
    for (const [, service] of services) {
      expect((await service.fetch(`${PAGE}?go`)).headers.get('location')).toBe(SAMPLE_OFFER.checkout);
      expect((await service.fetch(`/buy/${SAMPLE_OFFER.alias}`)).status).toBe(302);
    }
  });

  test('a page that was never built is not found, and no fault', async () => {
    const [, service] = services.at(-1) ?? [];
    expect((await service?.fetch('/buy/no-such-offer'))?.status).toBe(404);
  });
});
