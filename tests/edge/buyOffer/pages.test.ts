import { beforeEach, describe, expect, test } from 'vitest';
import { BROWSER, expectPage } from '../../support/carts.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { words } from '../../support/words.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway({ files: 'built' });
const stub = useSharedGateway();
const PAGE = `/buy/${SAMPLE_OFFER.id}`;

describe('buyOffer 200 text/html', () => {
  test('every offer has a page, with its checkout on it', async () => {
    for (const { id, checkoutUrl } of deployment.offers) {
      const response = await gateway.fetch(`/buy/${id}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expectSharedHeaders(response.headers);
      expect(await response.text()).toContain(checkoutUrl);
    }
  });

  test('the page about invoices answers under /buy too, and has no checkout', async () => {
    for (const search of ['', '?go', '?go=1']) expect((await gateway.fetch(`/buy/invoice${search}`)).status).toBe(200);
  });

  test('/buy itself reaches the functions, and is answered with its page', async () => {
    const response = await gateway.fetch('/buy');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<html');
  });

  test.each(words`
    /buy/no-such-offer /buy/no-such-offer?go /buy/no-such-offer:1 /buy/constructor /buy/a/b /buy/${deployment.offers[0]?.id}:1%00
    /buy/${deployment.offers[0]?.id}%00 /buy/%00:1 /buy/%0A%7F
  `)('%s is unknown: the site says so in its own page', async (path) => {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  });

  test('a file keeps its validators: 304 for its entity tag', async () => {
    const first = await gateway.fetch(`/buy/${deployment.offers[0]?.id}`);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await gateway.fetch(`/buy/${deployment.offers[0]?.id}`, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  });

  test('the file is asked for at the address of the request', async () => {
    expect(await (await stub.fetch('/buy/no-such-offer?x=1')).text()).toBe('file /buy/no-such-offer');
  });

  test.each([0, 1_000])('a quantity of %i has a page that says which ones are sold', async (quantity) => {
    const page = await expectPage(await gateway.fetch(`/buy/${deployment.offers[1]?.id}:${quantity}`, { headers: BROWSER }), 400);
    expect(page).toContain('This cart cannot be bought');
    expect(page).toContain(`“${quantity}” is not a whole number from 1 to 999.`);
    expect(page).toContain(`href="/checkout?items=${deployment.offers[1]?.id}:${quantity === 0 ? 1 : 999}"`);
  });
});

let status = 404;
const service = useInProcessGateway({ files: () => new Response('of the host', { status }) });
beforeEach(() => {
  status = 404;
});

test.each(['no-such-offer', 'no-such-offer:1', `${SAMPLE_OFFER.id}%20`, '%00', 'a'.repeat(1_000)])(
  'buyOffer 404 offer_not_found: a problem document for /buy/%s, where the caller prefers that to the page of the host',
  async (name) => {
    await expectProblem(await service.fetch(`/buy/${name}`, { headers: { Accept: 'application/json' } }), 'offer_not_found');
    const page = await service.fetch(`/buy/${name}`, { headers: { Accept: 'text/html, */*;q=0.8' } });
    expect([page.status, await page.text(), page.headers.get('vary')]).toEqual([404, 'of the host', 'Accept, User-Agent']);
  },
);

test('buyOffer names the unknown offer of a permalink', async () => {
  const json = { headers: { Accept: 'application/json' } };
  const { detail, errors } = await expectProblem(await service.fetch(`/buy/${SAMPLE_OFFER.id}:1,nothing:1`, json), 'offer_not_found');
  expect(detail).toBe('No offer is called "nothing".');
  expect(errors).toEqual([{ pointer: 'offer', message: 'names "nothing", which is not an offer of this catalog' }]);
});

describe('buyOffer 503 file_unavailable', () => {
  test.each([429, 500, 503, 404])(
    'a host of files that answers %i for the page of an offer, whose checkout needs no file',
    async (code) => {
      status = code;
      expect((await expectProblem(await service.fetch(PAGE), 'file_unavailable')).retry_after_seconds).toBe(30);
      expect((await service.fetch(`${PAGE}?go`)).headers.get('location')).toBe(SAMPLE_OFFER.checkout);
      expect((await service.fetch(`/buy/${SAMPLE_OFFER.alias}`)).status).toBe(302);
    },
  );

  test('a page that was never built is not found, and no fault', async () => {
    expect((await service.fetch('/buy/no-such-offer')).status).toBe(404);
  });
});
