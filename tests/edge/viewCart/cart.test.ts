import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { BROWSER, expectPage } from '../../support/carts.ts';
import { builtGenerated, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { words } from '../../support/words.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway({ files: 'built' });
const charging = useEdgeGateway(async () => ({
  files: await serveBuiltFiles(),
  generated: { deployment: { ...deployment, commerce: { ...deployment.commerce, processor: 'stripe' } } },
}));
const broken = useSharedGateway({ files: 'failing' });
const { id, alias } = SAMPLE_OFFER;

describe('viewCart 200 text/html', () => {
  test('without items it is the page about the checkout, as it was built', async () => {
    for (const path of ['/checkout', '/checkout?utm_source=x']) {
      const response = await gateway.fetch(path, { headers: BROWSER });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-robots-tag')).toBeNull();
      expect(await response.text()).toMatch(/<form class="shop-bar[^>]* action="\/checkout"/);
    }
  });

  test('shows prices of the catalog and the ways that are left, and makes nothing', async () => {
    const response = await gateway.fetch(`/checkout?items=${alias}:2,office-hours:1,${id}:1`, { headers: BROWSER });
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self';");
    const page = await expectPage(response, 200);
    for (const words of ['$120', '$360', '$140 a month', '$500', 'This is a demonstration.', `href="/buy/${id}?go"`])
      expect(page).toContain(words);
    expect(page).toContain(`href="/invoice?items=${id}:3,office-hours:1"`);
    expect(page).not.toContain('method="post"');
  });

  test('takes the quantities of a form, without the empty ones, and lets them be changed', async () => {
    const page = await expectPage(
      await gateway.fetch(`/checkout?quantity.${id}=2&quantity.office-hours=&quantity.team-licence=0`, { headers: BROWSER }),
      200,
    );
    expect(page).toMatch(new RegExp(`<input name="quantity.${id}"[^>]* value="2"`));
    expect(page).toContain('$240');
    expect(page).toContain(`href="/buy?quantity.${id}=2"`);
    expect(page).not.toContain('quantity.office-hours');
    await expectProblem(await gateway.fetch(`/checkout?quantity.${id}=1.5`), 'invalid_request');
    await expectProblem(await gateway.fetch('/checkout?quantity.nothing=1'), 'offer_not_found');
    const none = await gateway.fetch('/checkout?quantity.office-hours=', { headers: BROWSER });
    expect(await none.text()).toContain('class="shop"');
  });

  test('says free where nothing is to be paid, and an invoice is over everything in the cart', async () => {
    const free = await expectPage(await charging.fetch('/checkout?items=weekly-digest:2', { headers: BROWSER }), 200);
    expect(free).toContain('Go to checkout: free of charge');
    expect(free.slice(free.indexOf('<main'), free.indexOf('</main>'))).not.toMatch(/\$0|paid|by card|\/invoice\?/);
    const mixed = await expectPage(await gateway.fetch(`/checkout?items=weekly-digest:1,${id}:1`, { headers: BROWSER }), 200);
    expect(mixed).toContain(`href="/invoice?items=weekly-digest:1,${id}:1"`);
  });

  test('leads one piece to its own checkout', async () => {
    const page = await expectPage(await gateway.fetch(`/checkout?items=${id}:1`, { headers: BROWSER }), 200);
    expect(page).toContain(`href="/buy/${id}?go"`);
  });

  test('its ways take along what a permalink passes on, and nothing else', async () => {
    const permalink = await gateway.fetch(
      `/buy/${id}:2?utm_source=x&client_reference_id=abc&utm_term=%22%3E%3Cb%3E&utm_medium=a&utm_medium=b&price=0`,
    );
    const location = permalink.headers.get('location') ?? '';
    const passed = 'client_reference_id=abc&amp;utm_source=x';
    const page = await expectPage(await charging.fetch(location.slice(TEST_BASE_URL.length), { headers: BROWSER }), 200);
    for (const way of [`href="/buy/${id}?go&amp;${passed}"`, `action="/checkout?${passed}"`, `href="/invoice?items=${id}:2&amp;${passed}"`])
      expect(page).toContain(way);
    const hostile = `/checkout?items=${id}:2&utm_term=%22%3E%3Cb%3E&price=0&client_reference_id=cs_${'0'.repeat(32)}`;
    const plain = await expectPage(await charging.fetch(hostile, { headers: BROWSER }), 200);
    for (const way of [`href="/buy/${id}?go"`, 'action="/checkout"', `href="/invoice?items=${id}:2"`]) expect(plain).toContain(way);
  });

  test('has a button where the processor charges carts, and its form may go nowhere else', async () => {
    const response = await charging.fetch(`/checkout?items=${id}:2`, { headers: BROWSER });
    expect(response.headers.get('content-security-policy')).toContain(`form-action 'self' https://checkout.stripe.com ${TEST_BASE_URL};`);
    const page = await expectPage(response, 200);
    expect(page).toMatch(new RegExp(`<form method="post" action="/checkout"[^>]*>\\s*<input type="hidden" name="items" value="${id}:2"`));
    const mixed = await charging.fetch('/checkout?items=office-hours:1,team-licence:1', { headers: BROWSER });
    expect(await expectPage(mixed, 200)).not.toContain('method="post"');
  });
});

describe('viewCart 400 invalid_request', () => {
  test.each([
    ...words`${id}:0 ${id}:1000000000000000 ${id}:-1 ${id}:1e3 ${id}:1, ${id};2 %3Cscript%3E:1 ${id}:1%00 ${id}:٣`,
    '',
    id,
    Array.from({ length: LIMITS.cartItemsMax + 1 }, () => `${id}:1`).join(','),
    'a'.repeat(1_501),
  ])('items=%s', async (items) => {
    await expectProblem(await gateway.fetch(`/checkout?items=${items}`), 'invalid_request');
    const page = await expectPage(await gateway.fetch(`/checkout?items=${items}`, { headers: BROWSER }), 400);
    expect(page).toContain('This cart cannot be bought');
    expect(page).not.toMatch(/<script>/);
  });
});

test('viewCart refuses items that are named twice', async () => {
  const path = `/checkout?items=${id}:1&items=${alias}:1`;
  expect((await expectProblem(await gateway.fetch(path), 'invalid_request')).detail).toContain('appears twice');
  expect(await expectPage(await gateway.fetch(path, { headers: BROWSER }), 400)).toContain('appears twice');
});

describe('viewCart 404 offer_not_found', () => {
  test('names what is not sold', async () => {
    await expectProblem(await gateway.fetch(`/checkout?items=${id}:1,nothing:2`), 'offer_not_found');
    const page = await expectPage(await gateway.fetch(`/checkout?items=${id}:1,nothing:2`, { headers: BROWSER }), 404);
    expect(page).toContain('We don’t sell an offer called <code>nothing</code>.');
    expect(page).not.toContain(`<code>${id}</code>`);
  });
});

describe('viewCart 422 cart_refused', () => {
  test('more than can be bought at once', async () => {
    for (const items of [`${id}:999,${alias}:1`, `${id}:1000`]) {
      await expectProblem(await gateway.fetch(`/checkout?items=${items}`), 'cart_refused');
      expect(await expectPage(await gateway.fetch(`/checkout?items=${items}`, { headers: BROWSER }), 422)).toContain('At most 999');
    }
  });
});

describe('viewCart 503 file_unavailable', () => {
  test('the page about the checkout, while a cart needs no file', async () => {
    await expectProblem(await broken.fetch('/checkout'), 'file_unavailable');
    expect((await broken.fetch(`/checkout?items=${id}:2`)).status).toBe(200);
  });
});
