import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBuiltFiles, serveLikeHost } from '../support/built-files.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { type StaticServer, serveResponses } from '../support/static-server.ts';
import { accessibilityFaults, CHROMIUM, launchBrowser, noteFaults, type View } from './browser.ts';

const VIEWS: readonly View[] = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 1280 },
];
const HOSTILE = '"><script>document.title="run"</script><img src=x onerror=alert(1)>';

const firstHit = (page: Page): Promise<string> => page.locator('.search-hits .title a').first().innerText();

describe.skipIf(CHROMIUM === undefined)('the search in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  describe('with functions', () => {
    let gateway: EdgeGateway;
    let served: StaticServer;
    beforeAll(async () => {
      const files = await serveBuiltFiles();
      gateway = await startEdgeGateway({ files });
      served = await serveResponses((path, init) =>
        path.startsWith('/search') ? gateway.fetch(path, init) : files(new Request(TEST_BASE_URL + path)),
      );
    });
    afterAll(async () => {
      await served?.stop();
      await gateway?.stop();
    });

    it('leads from the header of a page to its results and on to the next ones, without scripts', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      const faults: string[] = [];
      noteFaults(page, served.origin, faults);
      await page.goto(`${served.origin}/about`);
      await page.getByRole('searchbox', { name: 'Search this site' }).fill('agents');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search\?q=agents$/);
      const first = await firstHit(page);
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.waitForURL(/\/search\?q=agents&page=2$/);
      expect(await firstHit(page)).not.toBe(first);
      expect(await page.inputValue('#search-field')).toBe('agents');
      expect(faults).toEqual([]);
      await context.close();
    });

    it('is a button on a phone, which opens the page with the field ready to type', async () => {
      const page = await browser.newPage({ viewport: { width: 375, height: 700 } });
      await page.goto(`${served.origin}/about`);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(/\/search\?q=$/);
      expect(await page.evaluate('document.activeElement.id')).toBe('search-field');
      await page.close();
    });

    it('has no accessibility violation and no overflow, and runs nothing of a query', async () => {
      const page = await browser.newPage();
      const faults: string[] = [];
      noteFaults(page, served.origin, faults);
      for (const query of ['', 'how do agents pay', 'zzzqqq', HOSTILE, 'a'.repeat(1_100), `${'long'.repeat(100)} agents`]) {
        await page.goto(`${served.origin}/search?${new URLSearchParams({ q: query })}`);
        expect(await page.inputValue('#search-field')).toBe(query);
        const found = await accessibilityFaults(page, VIEWS);
        faults.push(...found.map((fault) => `${query.slice(0, 20)}: ${fault}`));
      }
      // The browser reports that the query of 1,100 letters is refused.
      expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
      await page.close();
    });
  });

  describe('without functions', () => {
    let host: StaticServer;
    beforeAll(async () => {
      host = await serveLikeHost(join(PUBLICATION, 'dist-static'));
    });
    afterAll(() => host?.stop());

    it('finds capsules, offers and pages by the words of their titles, under the policy of files', async () => {
      const page = await browser.newPage();
      const faults: string[] = [];
      noteFaults(page, host.origin, faults);
      await page.goto(`${host.origin}/`);
      await page.getByRole('searchbox', { name: 'Search this site' }).fill('workers kv');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search\?q=workers\+kv$/);
      await page.locator('.search-hits li').first().waitFor();
      expect(await firstHit(page)).toContain('Workers KV');
      expect(await page.locator('.search-hits mark').first().innerText()).toMatch(/workers|kv/i);
      expect(await page.title()).toMatch(/^Search: workers kv · /);
      expect(await page.inputValue('#search-field')).toBe('workers kv');
      for (const [query, path] of [
        ['readiness review', '/buy/readiness-review'],
        ['refunds', '/refunds'],
      ]) {
        await page.goto(`${host.origin}/search?q=${query}`);
        await page.locator(`.search-hits a[href="${path}"]`).waitFor();
      }
      expect(faults).toEqual([]);
      await page.close();
    });

    it('has pages of results', async () => {
      const page = await browser.newPage();
      await page.goto(`${host.origin}/search?q=agent`);
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.waitForURL(/page=2$/);
      await page.locator('.search-hits li').first().waitFor();
      expect(await page.locator('.search-hits').getAttribute('start')).toBe('11');
      expect(await page.getByRole('link', { name: 'Previous page' }).getAttribute('href')).toBe('/search?q=agent');
      await page.close();
    });

    it('has no accessibility violation and no overflow, and runs nothing of a query', async () => {
      const page = await browser.newPage();
      const faults: string[] = [];
      noteFaults(page, host.origin, faults);
      for (const query of ['', 'agent', 'zzzqqq', HOSTILE]) {
        await page.goto(`${host.origin}/search?${new URLSearchParams({ q: query })}`);
        if (query === '') await page.getByRole('heading', { name: 'Or browse' }).waitFor();
        else
          await page
            .locator('[data-part=status]')
            .filter({ hasText: /result|Nothing was found/ })
            .waitFor();
        expect(await page.title()).not.toBe('run');
        const found = await accessibilityFaults(page, VIEWS);
        faults.push(...found.map((fault) => `${query.slice(0, 20)}: ${fault}`));
      }
      expect(faults).toEqual([]);
      await page.close();
    });

    it('says what to do if its list cannot be loaded, and without scripts', async () => {
      const page = await browser.newPage();
      await page.route('**/data/search.json', (route) => route.abort());
      await page.goto(`${host.origin}/search?q=agent`);
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('link', { name: 'Subjects' }).isVisible()).toBe(true);
      await page.close();
      const context = await browser.newContext({ javaScriptEnabled: false });
      const plain = await context.newPage();
      await plain.goto(`${host.origin}/search?q=agent`);
      expect(await plain.locator('main').innerText()).toContain('needs JavaScript');
      expect(await plain.getByRole('link', { name: 'Subjects' }).isVisible()).toBe(true);
      await context.close();
    });
  });
});
