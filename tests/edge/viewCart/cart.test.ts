import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { BROWSER, beginCheckout, expectPage, pay } from '../../support/carts.ts';
import { builtGenerated, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { soldOffer } from '../../support/sold-offer.ts';
import { words } from '../../support/words.ts';

const { deployment } = await builtGenerated();
const gateway = useSharedGateway({ files: 'built' });
const NOTES = { kind: 'text', name: 'notes', title: 'Notes', text: 'Loosen the screw.' } as const;
const charging = useEdgeGateway(async () => ({
  files: await serveBuiltFiles(),
  generated: {
    deployment: {
      ...deployment,
      offers: [...deployment.offers, soldOffer({ id: 'notes', demo: false, delivers: [NOTES] })],
      commerce: { ...deployment.commerce, processor: 'stripe' },
    },
  },
}));
const linked = useEdgeGateway(async () => ({
  files: await serveBuiltFiles(),
  generated: {
    deployment: {
      ...deployment,
      checkoutHost: 'https://pay.example',
      offers: deployment.offers.map((offer) => ({ ...offer, demo: false, checkoutUrl: `https://pay.example/${offer.id}` })),
    },
  },
}));
const broken = useSharedGateway({ files: 'failing' });
const { id, alias } = SAMPLE_OFFER;

describe('viewCart 200 text/html', () => {
  test('without items it is the page about the checkout, as it was built, and leads to the offers', async () => {
    for (const path of ['/checkout', '/checkout?utm_source=x']) {
      const response = await gateway.fetch(path, { headers: BROWSER });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-robots-tag')).toBeNull();
      expect(await response.text()).toMatch(new RegExp(`Your cart is empty\\.[\\s\\S]*<a href="/buy">[\\s\\S]*<a href="/buy/${id}">`));
    }
    for (const query of ['items=', 'quantity.office-hours=', `quantity.${id}=0&quantity.office-hours=`])
      expect(await (await gateway.fetch(`/checkout?${query}`, { headers: BROWSER })).text(), query).toContain('Your cart is empty.');
  });

  test('shows prices of the catalog and the ways that are left, and makes nothing', async () => {
    const response = await gateway.fetch(`/checkout?items=${alias}:2,office-hours:1,${id}:1`, { headers: BROWSER });
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self';");
    const page = await expectPage(response, 200);
    for (const words of ['$120', '$360', '$140 a month', '$500', 'This is a demonstration.', 'Try the checkout'])
      expect(page).toContain(words);
    expect(page).toContain('formaction="/invoice"');
    expect(page).not.toContain('method="post"');
  });

  test('says before the checkout what each offer promises, and that nothing is added to the price', async () => {
    const cart = async (items: string): Promise<string> =>
      expectPage(await gateway.fetch(`/checkout?items=${items}`, { headers: BROWSER }), 200);
    const page = await cart(`${id}:1,office-hours:1`);
    for (const words of ['Terms of sale', 'within 4 working days', 'Refund: Full refund until work starts', 'within 10 working days'])
      expect(page).toContain(words);
    expect(page).toContain('The checkout adds no tax and no fee to the price.');
    expect(page).toContain('the total has the first month or year of a subscription');
    expect(await cart('weekly-digest:1')).not.toContain('The checkout adds');
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
  });

  test('the test checkout and its receipt have every quantity and what each offer promises', async () => {
    const items = `${id}:5,office-hours:2`;
    const test = await expectPage(await gateway.fetch(`/checkout?items=${items}&test&utm_source=x`, { headers: BROWSER }), 200);
    expect(test).toContain(`href="/checkout?items=${items}&amp;utm_source=x&amp;test=receipt"`);
    const receipt = await expectPage(await gateway.fetch(`/checkout?items=${items}&test=receipt`, { headers: BROWSER }), 200);
    for (const page of [test, receipt])
      expect(page).toMatch(/<td>\s*5\s*<\/td>[\s\S]*\$600[\s\S]*<td>\s*2\s*<\/td>[\s\S]*\$280[\s\S]*\$880/);
    expect(receipt).toContain('A real checkout would have charged $880.');
    expect(receipt).toContain('working days');
  });

  test('says free where nothing is to be paid, and an invoice is over everything in the cart', async () => {
    const free = await expectPage(await charging.fetch('/checkout?items=weekly-digest:2', { headers: BROWSER }), 200);
    expect(free).toContain('Go to checkout: free of charge');
    expect(free.slice(free.indexOf('<main'), free.indexOf('</main>'))).not.toMatch(/\$0|paid|by card|\/invoice\?/);
    const mixed = await expectPage(await gateway.fetch(`/checkout?items=weekly-digest:1,${id}:1`, { headers: BROWSER }), 200);
    expect(mixed).toContain('formaction="/invoice"');
  });

  test('its ways take along what a permalink passes on, and nothing else', async () => {
    const permalink = await gateway.fetch(
      `/buy/${id}:2?utm_source=x&client_reference_id=abc&utm_term=%22%3E%3Cb%3E&utm_medium=a&utm_medium=b&price=0`,
    );
    const location = permalink.headers.get('location') ?? '';
    const page = await expectPage(await charging.fetch(location.slice(TEST_BASE_URL.length), { headers: BROWSER }), 200);
    expect(page).toContain('formaction="/checkout?client_reference_id=abc&amp;utm_source=x"');
    for (const field of ['name="client_reference_id" value="abc"', 'name="utm_source" value="x"'])
      expect(page).toContain(`<input type="hidden" ${field}>`);
    const hostile = `/checkout?items=${id}:2&utm_term=%22%3E%3Cb%3E&price=0&client_reference_id=cs_${'0'.repeat(32)}`;
    const plain = await expectPage(await charging.fetch(hostile, { headers: BROWSER }), 200);
    expect(plain).toContain('formaction="/checkout"');
    expect(plain.slice(plain.indexOf('<main'), plain.indexOf('</main>'))).not.toContain('type="hidden"');
  });

  test('has a button where the processor charges carts, and its form may go nowhere else', async () => {
    const response = await charging.fetch(`/checkout?items=${id}:2`, { headers: BROWSER });
    expect(response.headers.get('content-security-policy')).toContain(`form-action 'self' https://checkout.stripe.com ${TEST_BASE_URL};`);
    expect(await expectPage(response, 200)).toContain('formmethod="post" formaction="/checkout"');
    const mixed = await charging.fetch('/checkout?items=office-hours:1,team-licence:1', { headers: BROWSER });
    expect(await expectPage(mixed, 200)).not.toContain('method="post"');
  });
});

describe('viewCart 303', () => {
  test('its button leads one item to its own checkout, and several to one test checkout with every quantity', async () => {
    const go = async (query: string) => (await gateway.fetch(`/checkout?${query}&go=`)).headers.get('location');
    expect(await go(`quantity.${id}=1&utm_source=x`)).toBe(`${TEST_BASE_URL}/buy/${id}?go&utm_source=x`);
    expect(await go(`quantity.${id}=5&quantity.office-hours=1`)).toBe(`${TEST_BASE_URL}/checkout?items=${id}:5,office-hours:1&test`);
  });

  test('a payment link cannot carry a quantity, which the page of the cart says', async () => {
    const ofTwo = await linked.fetch('/checkout?quantity.readiness-review=2&go=', { headers: BROWSER });
    expect(ofTwo.headers.get('content-security-policy')).toContain("form-action 'self' https://pay.example;");
    const page = await expectPage(ofTwo, 200);
    expect(page).toContain('A payment link cannot carry a quantity');
    expect(page).toContain('href="/buy/readiness-review?go"');
    const ofOne = await linked.fetch('/checkout?quantity.readiness-review=1&go=');
    expect([ofOne.status, ofOne.headers.get('location')]).toEqual([303, `${TEST_BASE_URL}/buy/readiness-review?go`]);
    expect(await expectPage(await linked.fetch(`/checkout?items=${id}:2&test`, { headers: BROWSER }), 200)).not.toContain('Test checkout');
  });
});

describe('an offer that delivers at once', () => {
  test('is paid by a session, so that the payment of its hosted link becomes an order', async () => {
    const go = await linked.fetch(`/buy/${id}?go`);
    expect([go.status, go.headers.get('location')]).toEqual([303, `${TEST_BASE_URL}/checkout?items=${id}:1`]);
    for (const query of [`items=${id}:1`, `quantity.${id}=1&go=`]) {
      const cart = await linked.fetch(`/checkout?${query}`, { headers: BROWSER });
      expect(cart.headers.get('content-security-policy')).toContain("form-action 'self' https://pay.example;");
      const page = await expectPage(cart, 200);
      expect(page).toContain('formmethod="post" formaction="/checkout"');
      expect(page).not.toMatch(/name="go"|href="https:\/\/pay\.example/);
    }
    const session = await beginCheckout(linked);
    const left = await linked.fetch(session);
    const paidLink = `https://pay.example/${id}?client_reference_id=${session.slice('/checkout/'.length)}`;
    expect([left.status, left.headers.get('location')]).toEqual([303, paidLink]);
    await pay(linked, session);
    expect(await expectPage(await linked.fetch(session, { headers: BROWSER }), 200)).toContain('href="/orders/rct_');
  });

  test('is sold to agents by the address that leads there', async () => {
    const response = await linked.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'offers', arguments: {} } });
    const text = await response.text();
    expect(text).toContain(`\\"checkout_url\\":\\"${TEST_BASE_URL}/buy/${id}?go\\"`);
    expect(text).toContain('\\"checkout_url\\":\\"https://pay.example/readiness-review\\"');
  });
});

describe('viewCart 400 invalid_request', () => {
  test.each([
    [`quantity.${id}=-1`, `quantity.${id}`, '"-1"', '“-1”'],
    [`quantity.${id}=1.5`, `quantity.${id}`, '"1.5"', '“1.5”'],
    [`quantity.${id}=1e9`, `quantity.${id}`, '"1e9"', '“1e9”'],
    [`items=${id}:-1`, 'items', `"${id}:-1"`, '“-1”'],
    [`items=${id}:0`, 'items', `"${id}:0"`, '“0”'],
    [`items=${id}:1000`, 'items', `"${id}:1000"`, '“1000”'],
    [`items=${id}`, 'items', `"${id}" has no quantity`, '“”'],
  ])('%s names the field, the offer and the value', async (query, pointer, inDetail, onPage) => {
    const { detail, errors } = await expectProblem(await gateway.fetch(`/checkout?${query}`), 'invalid_request');
    expect(errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(detail).toContain(inDetail);
    const page = await expectPage(await gateway.fetch(`/checkout?${query}`, { headers: BROWSER }), 400);
    expect(page).toContain(`Quantity of Evidence review of a page: ${onPage} is not a whole number from 1 to 999.`);
  });

  test('an item that is missing beside a comma is named as that', async () => {
    const { detail } = await expectProblem(await gateway.fetch(`/checkout?items=${id}:1,`), 'invalid_request');
    expect(detail).toContain('a comma has no item on one side');
  });

  test.each([
    `items=${id}:1&quantity.${id}=2`,
    `items=${id}:1&quantity.office-hours=2`,
    `quantity.${id}=1&quantity.${id}=2`,
    `items=${id}:1&items=${alias}:1`,
  ])('%s is ambiguous, so nothing of it is dropped in silence', async (query) => {
    const { detail } = await expectProblem(await gateway.fetch(`/checkout?${query}`), 'invalid_request');
    expect(detail).toMatch(/is sent beside "items"|appears twice/);
  });

  test.each([
    ...words`${id}:0 ${id}:1000000000000000 ${id}:-1 ${id}:1e3 ${id}:1, ${id};2 %3Cscript%3E:1 ${id}:1%00 ${id}:٣`,
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

test('viewCart refuses a test checkout of another name than the documented ones', async () => {
  const path = `/checkout?items=${id}:1&test=zzz`;
  expect(faultsOf(await expectProblem(await gateway.fetch(path), 'invalid_request'))).toEqual([['test', 'must be empty or "receipt"']]);
  expect(await expectPage(await gateway.fetch(path, { headers: BROWSER }), 400)).not.toContain('Test checkout');
});

test('viewCart 404 offer_not_found: names what is not sold', async () => {
  const { detail, errors } = await expectProblem(await gateway.fetch(`/checkout?items=${id}:1,nothing:2,nil:1`), 'offer_not_found');
  expect(detail).toBe('No offer is called "nothing" or "nil".');
  expect(errors).toEqual([
    { pointer: 'items', message: 'names "nothing", which is not an offer of this catalog' },
    { pointer: 'items', message: 'names "nil", which is not an offer of this catalog' },
  ]);
  const page = await expectPage(await gateway.fetch(`/checkout?items=${id}:1,nothing:2`, { headers: BROWSER }), 404);
  expect(page).toContain('We don’t sell an offer called “nothing”.');
  expect(page).not.toContain(`“${id}”`);
  expect(page).toContain(`href="/checkout?items=${id}:1"`);
});

describe('viewCart 422 cart_refused', () => {
  test.each([
    [`items=${id}:999,${alias}:1`, 422, `items=${id}:999`],
    [`quantity.${id}=1000&quantity.office-hours=2`, 400, `items=office-hours:2,${id}:999`],
    [`items=${id}:1e3`, 400, `items=${id}:1`],
    [`items=nothing:2`, 404, undefined],
    [`items=${id}:1&test=zzz`, 400, undefined],
    [`items=${id}:1&currency=euros`, 400, `items=${id}:1`],
    [`/buy/${id}:2?currency=EUR`, 400, `items=${id}:2`],
  ])('%s leads to what can be bought of it', async (sent, status, kept) => {
    const page = await expectPage(await gateway.fetch(sent.startsWith('/') ? sent : `/checkout?${sent}`, { headers: BROWSER }), status);
    expect(/href="\/checkout\?([^"]*)"/.exec(page)?.[1]).toBe(kept);
  });
});

test('viewCart 503 file_unavailable: the page about the checkout, while a cart needs no file', async () => {
  await expectProblem(await broken.fetch('/checkout'), 'file_unavailable');
  expect((await broken.fetch(`/checkout?items=${id}:2`)).status).toBe(200);
});

test.each(['/checkout', '/buy', '/about'])('a browser gets a page for an address below %s that is too long', async (path) => {
  const long = `${path}?${'x'.repeat(LIMITS.requestUrlMaxLength)}`;
  const page = await expectPage(await gateway.fetch(long, { headers: BROWSER }), 414);
  expect(page).toContain('The address is too long. Shorten it.');
  await expectProblem(await gateway.fetch(long), 'uri_too_long');
});
