import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpHeaders, acpSessionPath, openAcpSession } from '../support/acp.ts';
import { serveBuiltFiles } from '../support/built-files.ts';
import { beginCheckout, makeOrder } from '../support/carts.ts';
import { builtGenerated, type EdgeGateway, requestsTo, startEdgeGateway } from '../support/edge-gateway.ts';
import { NO_RECEIPT, SAMPLE_OFFER } from '../support/function-routes.ts';
import { TEST_BASE_URL } from '../support/paths.ts';
import { type StaticServer, serveResponses } from '../support/static-server.ts';
import { accessibilityFaults, CHROMIUM, follow, noteFaults, useBrowser, type View } from './browser.ts';

const VIEWS: readonly View[] = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 1280, rules: 'colours' },
];

const isFunction = (path: string): boolean => /^\/(api\/|orders\/|checkout(\/|\?|$)|invoice(\?|$)|contact$|buy\/)/.test(path);

/** Chooses a quantity of an offer, in the shop by the button before which it is folded. */
async function putIntoCart(page: Page, offer: string, quantity: string): Promise<void> {
  const add = page.locator(`#add-${offer}`);
  if (await add.isVisible()) await add.click();
  await page.fill(`main [name="quantity.${offer}"]`, quantity);
}

describe.skipIf(CHROMIUM === undefined)('pages on demand, in a browser', () => {
  const { usePage } = useBrowser();
  let gateway: EdgeGateway;
  let served: StaticServer;

  beforeAll(async () => {
    const { deployment } = await builtGenerated();
    const files = await serveBuiltFiles();
    gateway = await startEdgeGateway({
      files,
      generated: { deployment: { ...deployment, commerce: { ...deployment.commerce, processor: 'stripe' } } },
      stripe: { secretKey: 'sk_test_of_nobody', apiBase: 'http://127.0.0.1:1' },
    });
    // Addresses of the built site lead to this server.
    served = await serveResponses(async (path, init) => {
      const response = isFunction(path) ? await gateway.fetch(path, init) : await files(new Request(TEST_BASE_URL + path));
      const headers = new Headers(response.headers);
      const location = headers.get('location');
      if (location !== null) headers.set('location', location.replace(TEST_BASE_URL, ''));
      return new Response(response.body, { status: response.status, headers });
    });
  });
  afterAll(async () => {
    await served?.stop();
    await gateway?.stop();
  });

  it('have no accessibility violation, no overflow, and break no rule of their own policy', async () => {
    const { order, session } = await makeOrder(gateway);
    const seen: string[] = [];
    const page = await usePage();
    noteFaults(page, served.origin, seen);
    for (const path of [
      order,
      session,
      await beginCheckout(gateway, 'catalog-review:1'),
      `/orders/${NO_RECEIPT}`,
      `/checkout?items=${SAMPLE_OFFER.id}:2,office-hours:1`,
      '/checkout?items=nothing:1',
      `/invoice?items=${SAMPLE_OFFER.id}:2,nothing:1`,
    ]) {
      await page.goto(served.origin + path);
      // What is missing has the parts of other pages.
      const views = path.endsWith('=nothing:1') || path.endsWith(NO_RECEIPT) ? VIEWS.slice(0, 1) : VIEWS;
      seen.push(...(await accessibilityFaults(page, views)).map((fault) => `${path}: ${fault}`));
      // The publication's component stands on pages that functions render as well.
      expect(await page.locator('.greeting').count(), path).toBe(1);
    }
    expect(seen).toEqual([]);
  });

  it('take a form without scripts: what is wrong comes back as it was typed, what is right leads to its receipt', async () => {
    const page = await usePage({ javaScriptEnabled: false });
    const typed = 'A & B "<i>Ltd</i>"';
    await page.goto(`${served.origin}/invoice?items=${SAMPLE_OFFER.id}:2`);
    await page.fill('#company', typed);
    await page.fill('#note', 'one\ntwo');
    await page.fill('#name', 'Ada');
    // A browser takes it for an address, and the service does not.
    await page.fill('#email', 'ada@localhost');
    await follow(page.locator('main button[type=submit]'));
    expect(await page.locator('#email-fault').innerText()).toContain('valid e-mail address');
    expect(page.url()).toBe(`${served.origin}/invoice`);
    expect([await page.inputValue('#company'), await page.inputValue('#note'), await page.inputValue('#name')]).toEqual([
      typed,
      'one\ntwo',
      'Ada',
    ]);
    await page.fill('#email', 'ada@buyer.example');
    await follow(page.locator('main button[type=submit]'));
    await page.waitForURL(/\/orders\/inv_[0-9a-f]{32}$/);
    expect(await page.locator('h1').innerText()).toBe('Your invoice request');
    // A browser shows the refusal again, beside what was corrected.
    await page.goBack();
    expect(await page.locator('[role=alert]').innerText()).toContain('If you came back here from a confirmation, your form was sent.');
  });

  it('take a quantity from the page of an offer into the cart, without scripts', async () => {
    const page = await usePage({ javaScriptEnabled: false });
    await page.goto(`${served.origin}/buy/${SAMPLE_OFFER.id}`);
    expect(await page.locator('.counter noscript').innerText()).toMatch(/^Without JavaScript, this begins a new cart\..+ in the shop\.$/);
    expect(await page.locator('.counter noscript a').getAttribute('href')).toBe('/buy');
    await page.fill('.counter [type=number]', '3');
    await follow(page.getByRole('button', { name: 'Add to cart' }));
    expect(await page.locator('h1').innerText()).toBe('Your cart');
    expect(await page.locator(`[name="quantity.${SAMPLE_OFFER.id}"]`).inputValue()).toBe('3');
  });

  it('put an offer of the shop into the cart by one button, in whose place its quantity is', async () => {
    const page = await usePage();
    await page.goto(`${served.origin}/about`);
    await page.evaluate('localStorage.clear()');
    await page.goto(`${served.origin}/buy`);
    const name = `quantity.${SAMPLE_OFFER.id}`;
    const [add, field] = [page.locator(`#add-${SAMPLE_OFFER.id}`), page.locator(`[name="${name}"]`)];
    const shown = async (): Promise<readonly boolean[]> => [await add.isVisible(), await field.isVisible()];
    expect(await shown()).toEqual([true, false]);
    await page.getByRole('button', { name: 'Add to cart Evidence review of a page', exact: true }).press('Enter');
    expect([await shown(), await field.inputValue()]).toEqual([[false, true], '1']);
    expect(await page.evaluate('document.activeElement.name')).toBe(name);
    expect(await page.locator('.shop-bar output').innerText()).toBe('Total: $120');
    await page.reload();
    expect(await shown()).toEqual([false, true]);
    // It stays while another quantity is typed.
    await field.fill('');
    expect(await shown()).toEqual([false, true]);
    await field.blur();
    expect(await shown()).toEqual([true, false]);
  });

  it('take a message without scripts, and say that it has arrived', async () => {
    const page = await usePage({ javaScriptEnabled: false });
    await page.goto(`${served.origin}/contact`);
    expect(await page.locator('[role=status]').count()).toBe(0);
    await page.fill('#name', 'Ada');
    await page.fill('#email', 'ada@localhost');
    await page.fill('#message', 'Section 2 is wrong.');
    await follow(page.locator('main form button'));
    expect(await page.locator('#email-fault').innerText()).toContain('valid e-mail address');
    expect(await page.inputValue('#message')).toBe('Section 2 is wrong.');
    expect(page.url()).toBe(`${served.origin}/contact`);
    await page.fill('#email', 'ada@reader.example');
    await follow(page.locator('main form button'));
    expect(await page.locator('[role=status]').innerText()).toContain('Your message has arrived.');
    // Going back shows the form that was refused, with what was typed.
    await page.goBack();
    expect(await page.inputValue('#message')).toBe('Section 2 is wrong.');
    expect(await page.locator('#email-fault').count()).toBe(1);
  });

  it.each([false, true])('lead from the shop to a cart whose quantities change, with scripts: %s', async (javaScriptEnabled) => {
    const page = await usePage({ javaScriptEnabled });
    await page.goto(`${served.origin}/buy`);
    await putIntoCart(page, 'evidence-review', '2');
    await putIntoCart(page, 'office-hours', '1');
    expect(await page.locator('.shop-bar output').innerText()).toBe(javaScriptEnabled ? 'Total: $380' : '');
    await follow(page.locator('.shop-bar button'));
    expect(await page.locator('.bill tfoot').innerText()).toContain('$380');
    if (javaScriptEnabled) expect(page.url()).toBe(`${served.origin}/checkout?quantity.evidence-review=2&quantity.office-hours=1`);
    await page.fill('.bill [name="quantity.evidence-review"]', '1');
    if (javaScriptEnabled) expect(await page.locator('.bill tfoot').innerText()).toContain('$260');
    await page.fill('.bill [name="quantity.office-hours"]', '0');
    await follow(page.locator('main form[method=get] button'));
    expect(await page.locator('.bill tbody').innerText()).not.toContain('Office hours');
    await follow(page.locator('main a[href^="/buy?"]'));
    expect(await page.inputValue('[name="quantity.evidence-review"]')).toBe(javaScriptEnabled ? '1' : '');
    await page.goBack();
    // What is typed counts, whether it was updated or not: on the page with scripts, and for every button.
    await page.fill('.bill [name="quantity.evidence-review"]', '5');
    const amounts = await page.locator('.bill output').allInnerTexts();
    expect(amounts).toEqual(javaScriptEnabled ? ['$600', '$600'] : ['$120', '$120']);
    // The shop has the cart again after other pages, until a checkout has it.
    const inShop = async (): Promise<string> => {
      await page.goto(`${served.origin}/about`);
      await page.goto(`${served.origin}/buy`);
      const value = await page.inputValue('[name="quantity.evidence-review"]');
      await page.goBack();
      await page.goBack();
      return value;
    };
    expect(await inShop()).toBe(javaScriptEnabled ? '5' : '');
    await page.fill('.bill [name="quantity.evidence-review"]', '5');
    expect(await page.locator('#ways, main button').allInnerTexts()).not.toContainEqual(expect.stringContaining('$'));
    await follow(page.locator('main button[formaction="/invoice"]'));
    expect(await page.inputValue('[name="quantity.evidence-review"]')).toBe('5');
    await page.goBack();
    await page.fill('.bill [name="quantity.evidence-review"]', '1');
    await follow(page.locator('main form[method=get] button'));
    await follow(page.locator('main button[name=go]'));
    expect(new URL(page.url()).pathname).toBe('/test-checkout/evidence-review');
    await follow(page.locator('main a.button'));
    expect(await page.locator('h1').innerText()).toBe('Sample receipt');
    expect(await inShop()).toBe('');
  });

  it('keep every price and total in sight on a phone whose text is twice the size', async () => {
    // 390 pixels of text of 32 pixels are 195 of 16.
    const page = await usePage({ viewport: { width: 195, height: 600 } });
    for (const end of ['', '&test', '&test=receipt']) {
      await page.goto(`${served.origin}/checkout?items=evidence-review:2,team-licence:1${end}`);
      const ends = await page.locator('.bill td').evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
      expect([end, ends.length >= 7, ends.filter((right) => right > 195)]).toEqual([end, true, []]);
    }
  });

  it.each([false, true])('remove an offer from a cart, and the last one, with scripts: %s', async (javaScriptEnabled) => {
    const page = await usePage({ javaScriptEnabled });
    await page.goto(`${served.origin}/checkout?items=evidence-review:2,office-hours:1&utm_source=x`);
    if (javaScriptEnabled) await page.fill('.bill [name="quantity.evidence-review"]', '3');
    await follow(page.getByRole('link', { name: 'Remove Office hours' }));
    expect(await page.locator('.bill tbody tr').count()).toBe(1);
    // What was typed counts.
    expect(await page.inputValue('[name="quantity.evidence-review"]')).toBe(javaScriptEnabled ? '3' : '2');
    await follow(page.getByRole('link', { name: 'Remove Evidence review' }));
    expect([await page.locator('[data-empty-cart]').isVisible(), new URL(page.url()).searchParams.get('utm_source')]).toEqual([true, 'x']);
  });

  it('are about one cart of all tabs, which offers are added to, and which the checkout and the invoice begin with', async () => {
    const page = await usePage();
    const quantities = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (
          await page
            .locator('main input[name^="quantity."]')
            .evaluateAll((fields) =>
              (fields as { name: string; value: string }[]).map(({ name, value }) => [name.slice('quantity.'.length), value]),
            )
        ).filter(([, value]) => value !== ''),
      ) as Record<string, string>;
    const add = async (id: string): Promise<void> => {
      await page.goto(`${served.origin}/buy/${id}`);
      await follow(page.getByRole('button', { name: 'Add to cart' }));
    };
    await page.goto(`${served.origin}/checkout?items=`);
    expect(await page.locator('[data-empty-cart]').isVisible()).toBe(true);
    expect(await page.locator('.to-cart').isVisible()).toBe(false);
    await add('evidence-review');
    await add('office-hours');
    const toCart = page.getByRole('banner').getByRole('link', { name: 'Cart' });
    expect(await quantities()).toEqual({ 'evidence-review': '1', 'office-hours': '1' });
    await add('evidence-review');
    const both = { 'evidence-review': '2', 'office-hours': '1' };
    expect(await quantities()).toEqual(both);
    // Every other page leads back to it.
    await page.goto(`${served.origin}/about`);
    expect(await toCart.innerText()).toBe('Cart 3');
    // It is there before pictures are.
    const picture = Promise.withResolvers<void>();
    await page.route('**/slow.png', async (route) => {
      await picture.promise;
      await route.abort();
    });
    await page.route('**/about', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('</body>', '<img src="/slow.png" alt=""></body>') });
    });
    await page.goto(`${served.origin}/about`, { waitUntil: 'domcontentloaded' });
    await expect.poll(() => toCart.innerText()).toBe('Cart 3');
    expect(await page.evaluate('document.readyState')).toBe('interactive');
    picture.resolve();
    await page.waitForLoadState('load');
    await page.unroute('**/about');
    await follow(toCart);
    expect(await quantities()).toEqual(both);
    // What is typed is in the address, too, and the shop and a checkout without items have it.
    await page.fill('.bill [name="quantity.evidence-review"]', '1');
    expect(await toCart.innerText()).toBe('Cart 2');
    await page.reload();
    const one = { 'evidence-review': '1', 'office-hours': '1' };
    expect(await quantities()).toEqual(one);
    for (const path of ['/buy', '/buy?quantity.evidence-review=1&quantity.office-hours=1', '/invoice']) {
      await page.goto(served.origin + path);
      expect([path, await quantities()]).toEqual([path, one]);
    }
    await page.goto(`${served.origin}/checkout?utm_source=x`);
    await page.waitForURL(/utm_source=x&quantity\.evidence-review=1&quantity\.office-hours=1$/);
    expect(await quantities()).toEqual(one);
    // A part of the page about the checkout stays what it is.
    await page.goto(`${served.origin}/checkout#offers`);
    expect([new URL(page.url()).search, await page.locator('[data-empty-cart]').isVisible()]).toEqual(['', false]);
    // Whoever comes back to a cart finds what was added since.
    await page.goto(`${served.origin}/buy`);
    await putIntoCart(page, 'office-hours', '');
    await follow(page.locator('.shop-bar button'));
    expect(await quantities()).toEqual({ 'evidence-review': '1' });
    await page.goto(`${served.origin}/buy`);
    await putIntoCart(page, 'office-hours', '3');
    await page.goBack();
    await expect.poll(quantities).toEqual({ 'evidence-review': '1', 'office-hours': '3' });
    // An offer that is added in another tab is in the cart that this one shows.
    const opened = page.waitForEvent('popup');
    await page.evaluate(`void open('/buy/team-licence', '', 'noopener')`);
    const other = await opened;
    await other.waitForLoadState();
    expect(await other.getByRole('banner').getByRole('link', { name: 'Cart' }).innerText()).toBe('Cart 4');
    await follow(other.getByRole('button', { name: 'Add to cart' }));
    await expect.poll(quantities).toEqual({ 'evidence-review': '1', 'office-hours': '3', 'team-licence': '1' });
    expect(await toCart.innerText()).toBe('Cart 5');
    await other.close();
  });

  it('request an invoice for exactly the items of its address, and take them out of the cart', async () => {
    const page = await usePage();
    const chosen = () =>
      page
        .locator('main input[name^="quantity."]')
        .evaluateAll((fields) =>
          (fields as { name: string; value: string }[]).filter(({ value }) => value !== '').map(({ name, value }) => `${name}=${value}`),
        );
    await page.goto(`${served.origin}/checkout?items=office-hours:2,evidence-review:1`);
    for (const [path, wanted] of [
      ['/invoice?items=team-licence:1', ['quantity.team-licence=1']],
      ['/invoice?items=nope:1', []],
      ['/invoice?items=evidence-review:3', ['quantity.evidence-review=3']],
    ] as const) {
      await page.goto(served.origin + path);
      expect([path, await chosen()]).toEqual([path, wanted]);
    }
    // A form that is refused is sent again as it was, without what is in the cart beside it.
    await page.fill('#name', 'Ada');
    await page.fill('#email', 'ada@localhost');
    await follow(page.locator('main button[type=submit]'));
    expect(await page.locator('#email-fault').isVisible()).toBe(true);
    expect(await chosen()).toEqual(['quantity.evidence-review=3']);
    await page.fill('#email', 'ada@buyer.example');
    await follow(page.locator('main button[type=submit]'));
    expect(await page.locator('.bill tbody tr').count()).toBe(1);
    await page.goto(`${served.origin}/buy`);
    expect(await chosen()).toEqual(['quantity.office-hours=2']);
  });

  it('keep in their address which offers of the shop are compared, and say what one tick alone lacks', async () => {
    const page = await usePage();
    await page.goto(`${served.origin}/buy`);
    const toggle = page.locator('.shop-bar a:visible');
    await page.check('.pick[value="evidence-review"]');
    expect(await page.locator('.tick-another').innerText()).toBe('Tick a second offer to compare.');
    expect(await toggle.count()).toBe(0);
    await page.check('.pick[value="office-hours"]');
    expect(await toggle.innerText()).toBe('Side by side');
    await toggle.click();
    await expect.poll(() => toggle.innerText()).toBe('Show all offers');
    const compared = '?compare=evidence-review%2Coffice-hours';
    expect(page.url()).toBe(`${served.origin}/buy${compared}#side-by-side`);
    await page.reload();
    expect(await page.locator('.offer:visible').count()).toBe(2);
    // So did the addresses of earlier versions.
    await page.goto(`${served.origin}/buy${compared}&view=side-by-side`);
    expect(await page.locator('.offer:visible').count()).toBe(2);
    await page.goto(`${served.origin}/buy${compared}#side-by-side`);
    // Links to other parts of the page, such as the one past the header, end nothing.
    await page.locator('.skip').press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#main');
    expect([await page.locator('.offer:visible').count(), await toggle.innerText()]).toEqual([2, 'Show all offers']);
    // A page learns of its new address after the click.
    await toggle.click();
    await expect.poll(() => toggle.innerText()).toBe('Side by side');
    expect(await page.locator('.offer:visible').count()).toBeGreaterThan(2);
    await toggle.click();
    await page.locator('.shop.compared').waitFor();
    await page.locator('.skip').press('Enter');
    await page.locator('.pick:visible').first().uncheck();
    await page.locator('.pick:visible').first().uncheck();
    await expect.poll(() => page.locator('.offer:visible').count()).toBeGreaterThan(2);
    expect(new URL(page.url()).search).toBe('');
    await page.check('.pick[value="evidence-review"]');
    expect(await page.locator('.offer:visible').count()).toBeGreaterThan(2);
  });

  it('say what no total can be made of, in place of a total', async () => {
    const page = await usePage();
    for (const [path, total] of [
      ['/buy', '.shop-bar output'],
      [`/checkout?items=${SAMPLE_OFFER.id}:1`, '.bill tfoot output'],
      ['/invoice', '.form-total output'],
    ] as const) {
      await page.goto(served.origin + path);
      for (const typed of ['1e9', '1.5', '-1', '1000']) {
        await putIntoCart(page, 'evidence-review', typed);
        expect(await page.locator(total).innerText(), `${path} ${typed}`).toBe('Enter whole numbers from 0 to 999.');
      }
    }
    await page.goto(`${served.origin}/buy`);
    // The cart has the quantity before those that cannot be bought.
    expect(await page.locator('.shop-bar output').innerText()).toBe('Total: $120');
    await putIntoCart(page, 'evidence-review', '');
    await putIntoCart(page, 'weekly-digest', '1');
    expect(await page.locator('.shop-bar output').innerText()).toBe('Total: Free');
  });

  it('end the test checkout of a session that an agent opened, which is then completed', async () => {
    const page = await usePage({ javaScriptEnabled: false });
    const id = await openAcpSession(requestsTo(gateway.fetch), {}, 'catalog-review');
    await page.goto(`${served.origin}/checkout/${id}`);
    expect(await page.locator('h1').innerText()).toBe('Test checkout');
    await follow(page.locator('main button'));
    await page.waitForURL(/\/orders\/rct_[0-9a-f]{32}$/);
    const session = await gateway.fetch(acpSessionPath(id), { headers: await acpHeaders() });
    expect(await session.json()).toMatchObject({ status: 'completed' });
  });

  it('lead a cart to its checkout by their button', async () => {
    const page = await usePage();
    const blocked: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('form-action')) blocked.push(message.text());
    });
    await page.goto(`${served.origin}/checkout?items=${SAMPLE_OFFER.id}:2`);
    await follow(page.locator('main button[formmethod=post]'));
    await page.waitForURL(/\/checkout\/cs_[0-9a-f]{32}$/);
    // The processor is away, which the page says.
    expect(await page.locator('h1').innerText()).toBe('The checkout is not available right now');
    expect(blocked).toEqual([]);
  });
});
