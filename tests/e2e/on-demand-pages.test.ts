import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBuiltFiles } from '../support/built-files.ts';
import { makeOrder } from '../support/carts.ts';
import { builtGenerated, type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { NO_RECEIPT, SAMPLE_OFFER } from '../support/function-routes.ts';
import { CHROMIUM_FLAGS, findTool } from '../support/optional-tools.ts';
import { TEST_BASE_URL } from '../support/paths.ts';

const program = findTool('chromium');
const VIEWS = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 1280 },
] as const;

/** Serves what functions answer, and files for everything else, with addresses of its own. */
async function serve(gateway: EdgeGateway): Promise<{ server: Server; origin: string }> {
  const files = await serveBuiltFiles();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    const isFunction = /^\/(api\/|orders\/|checkout(\/|\?|$)|invoice(\?|$)|buy\/)/.test(path);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const init = { method: request.method ?? 'GET', headers, ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}) };
    const answer = isFunction ? await gateway.fetch(path, init) : await files(new Request(TEST_BASE_URL + path));
    const sent = Object.fromEntries(answer.headers);
    if (sent['location']) sent['location'] = sent['location'].replace(TEST_BASE_URL, '');
    response.writeHead(answer.status, sent).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(program === undefined)('pages on demand, in a browser', () => {
  let gateway: EdgeGateway;
  let browser: Browser;
  let served: Awaited<ReturnType<typeof serve>>;
  let axe: string;

  beforeAll(async () => {
    const { deployment } = await builtGenerated();
    gateway = await startEdgeGateway({
      files: await serveBuiltFiles(),
      generated: { deployment: { ...deployment, commerce: { ...deployment.commerce, processor: 'stripe' } } },
      stripe: { secretKey: 'sk_test_of_nobody', apiBase: 'http://127.0.0.1:1' },
    });
    served = await serve(gateway);
    browser = await chromium.launch({ executablePath: program ?? '', args: [...CHROMIUM_FLAGS] });
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  });
  afterAll(async () => {
    await browser?.close();
    served?.server.close();
    await gateway?.stop();
  });

  /** What is wrong with how a page looks that is loaded. */
  async function faultsOf(page: Page): Promise<string[]> {
    const faults: string[] = [];
    await page.evaluate(axe);
    for (const { colorScheme, width } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const found = await page.evaluate(async () => {
        const { axe: checker } = globalThis as unknown as {
          axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
        };
        return (await checker.run({ resultTypes: ['violations'] })).violations.map(
          ({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`,
        );
      });
      if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
        found.push('scrolls sideways');
      faults.push(...found.map((fault) => `${colorScheme} at ${width} px: ${fault}`));
    }
    return faults;
  }

  it('have no accessibility violation, no overflow, and break no rule of their own policy', async () => {
    const { order, session } = await makeOrder(gateway);
    const seen: string[] = [];
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) seen.push(`${page.url()}: ${message.text()}`);
    });
    for (const path of [
      order,
      session,
      `/orders/${NO_RECEIPT}`,
      `/checkout?items=${SAMPLE_OFFER.id}:2,office-hours:1`,
      '/checkout?items=nothing:1',
      `/invoice?items=${SAMPLE_OFFER.id}:2,nothing:1`,
    ]) {
      await page.goto(served.origin + path);
      seen.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(seen).toEqual([]);
  });

  it('take a form without scripts: what is wrong comes back as it was typed, what is right leads to its receipt', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const typed = 'A & B "<i>Ltd</i>"';
    await page.goto(`${served.origin}/invoice?items=${SAMPLE_OFFER.id}:2`);
    await page.fill('#company', typed);
    await page.fill('#note', 'one\ntwo');
    await page.fill('#name', 'Ada');
    // A browser takes it for an address, and the service does not.
    await page.fill('#email', 'ada@localhost');
    await page.click('button[type=submit]');
    expect(await page.locator('#email-fault').innerText()).toContain('must be an e-mail address');
    expect([await page.inputValue('#company'), await page.inputValue('#note'), await page.inputValue('#name')]).toEqual([
      typed,
      'one\ntwo',
      'Ada',
    ]);
    await page.fill('#email', 'ada@buyer.example');
    await page.click('button[type=submit]');
    await page.waitForURL(/\/orders\/inv_[0-9a-f]{32}$/);
    expect(await page.locator('h1').innerText()).toBe('Your invoice request');
    await context.close();
  });

  it('lead a cart to its checkout by their button', async () => {
    const page = await browser.newPage();
    const blocked: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('form-action')) blocked.push(message.text());
    });
    await page.goto(`${served.origin}/checkout?items=${SAMPLE_OFFER.id}:2`);
    await page.click('form button');
    await page.waitForURL(/\/checkout\/cs_[0-9a-f]{32}$/);
    // The processor is away, which the page says.
    expect(await page.locator('h1').innerText()).toBe('The checkout is not available right now');
    expect(blocked).toEqual([]);
  });
});
