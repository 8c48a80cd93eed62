import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useEdgeGateway } from '../../support/use-edge-gateway.ts';

const PAGE = `/buy/${SAMPLE_OFFER.id}`;

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
