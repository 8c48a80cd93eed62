import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { duringTests } from '../support/during-tests.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { serveResponses } from '../support/static-server.ts';
import { accessibilityFaults, CHROMIUM, noteFaults, useBrowser, type View } from './browser.ts';

const VIEWS: readonly View[] = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 1280, rules: 'colours' },
];
const SAME_PARTS: readonly View[] = [{ colorScheme: 'light', width: 320, rules: 'all but colours' }];
/** Texts that differ in their length and letters alone. */
const OVERFLOW: readonly View[] = [{ colorScheme: 'light', width: 320, rules: 'none' }];
const HOSTILE = '"><script>document.title="run"</script><img src=x onerror=alert(1)>';
const firstHit = (page: Page): Promise<string> => page.locator('.search-hits .title a').first().innerText();

describe.skipIf(CHROMIUM === undefined)('the search in a browser', () => {
  const { usePage } = useBrowser();

  describe('with functions', () => {
    const gateway = useSharedGateway({ files: 'built' });
    const served = duringTests(() => serveResponses(gateway.fetch));

    it('leads from the header of a page to its results and on to the next ones, without scripts', async () => {
      const page = await usePage({ javaScriptEnabled: false });
      const faults: string[] = [];
      noteFaults(page, served().origin, faults);
      await page.goto(`${served().origin}/about`);
      await page.getByRole('searchbox', { name: 'Search this site' }).fill('agents');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search\?q=agents$/);
      const first = await firstHit(page);
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.waitForURL(/\/search\?q=agents&page=2$/);
      expect(await firstHit(page)).not.toBe(first);
      expect(await page.inputValue('#search-field')).toBe('agents');
      await page.getByRole('link', { name: 'Services and prices' }).click();
      await page.waitForURL(/kind=offer$/);
      expect(await page.locator('.chips [aria-current]').innerText()).toBe('Services and prices');
      expect(await page.locator('.search-hits .title a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(
        expect.arrayContaining([expect.stringMatching(/^\/buy\//)]),
      );
      expect(faults).toEqual([]);
    });

    it('finds while its reader types, by the keyboard alone, and asks no function', async () => {
      const page = await usePage();
      const faults: string[] = [];
      noteFaults(page, served().origin, faults);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${served().origin}/about`);
      await page.keyboard.press('/');
      await page.locator('#search-as-typed:focus').waitFor();
      await page.keyboard.type('how long may an idempotency k');
      const option = page.getByRole('option').first();
      await page.locator('dialog[aria-busy=false]').waitFor();
      await option.filter({ hasText: 'Idempotency-Key makes a POST safe' }).waitFor();
      expect(await page.getByRole('group', { name: 'Capsules' }).getByRole('option').count()).toBeGreaterThan(2);
      expect(await option.locator('mark').count()).toBeGreaterThan(0);
      const marked = (): Promise<string | null> => page.getByRole('combobox').getAttribute('aria-activedescendant');
      // What Enter opens is marked.
      expect(await marked()).toBe(await option.getAttribute('id'));
      await page.keyboard.press('ArrowDown');
      expect(await marked()).toBe(await page.getByRole('option').nth(1).getAttribute('id'));
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      expect(await marked()).toBe('');
      await page.keyboard.press('ArrowUp');
      expect(await marked()).toBe(await page.getByRole('option').last().getAttribute('id'));
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const target = await option.getAttribute('href');
      await page.keyboard.press('Enter');
      await page.waitForURL(served().origin + target);
      expect(target).toMatch(/^\/capsules\/idempotency-key-header#[a-z-]+:~:text=[^&]+/);
      expect(asked.filter((path) => path.startsWith('/api') || path === '/search')).toEqual([]);
      await page.keyboard.press('Control+K');
      await page.getByRole('group', { name: 'Recent searches' }).getByText('how long may an idempotency k').click();
      await option.filter({ hasText: 'Idempotency-Key makes a POST safe' }).waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('finds as typed what the page of the search finds, in the same order within each kind', async () => {
      const page = await usePage();
      await page.goto(`${served().origin}/about`);
      await page.keyboard.press('Control+k');
      for (const query of ['x402 quote', 'how do agents pay', 'refunds', 'wel-known uri', 'canonical json', 'which key rotates']) {
        // A blank ends the last word.
        await page.getByRole('combobox').fill(`${query} `);
        await page.getByRole('link', { name: `All results for “${query}”` }).waitFor();
        await page.locator('.search-dialog[aria-busy=false]').waitFor();
        const typed = await page.getByRole('option').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        const { results } = (await (
          await gateway.fetch(`/api/v1/agent-gateway/search?${new URLSearchParams({ q: query, max_results: '10' })}`)
        ).json()) as { results: { url: string; kind: string }[] };
        const order = ['capsule', 'guide', 'offer', 'operation error'];
        const groupOf = ({ kind }: { kind: string }): string => order.find((names) => names.split(' ').includes(kind)) ?? '';
        const groups = [...new Set(results.map(groupOf))];
        const expected = groups.flatMap((name) => results.filter((result) => groupOf(result) === name).map(({ url }) => url));
        expect(typed.map((href) => (href ?? '').replace(/#.*/, ''))).toEqual(expected.map((url) => url.slice(TEST_BASE_URL.length)));
      }
    });

    it.each([
      [1280, 0],
      [1280, 15],
      [1280, 90],
      [390, 15],
    ])('takes every key that is typed while it loads, in a window of %i pixels, one each %i ms', async (width, delay) => {
      const page = await usePage({ viewport: { width, height: 720 } });
      for (const begin of [() => page.getByRole('searchbox', { name: 'Search this site' }).focus(), () => page.keyboard.press('/')]) {
        await page.goto(`${served().origin}/about`);
        await begin();
        await page.keyboard.type('retry after ', { delay });
        await page.getByRole('option').filter({ hasText: 'Retry-After' }).first().waitFor();
        expect(await page.getByRole('combobox').inputValue()).toBe('retry after ');
      }
    });

    it('opens with Enter what the typed text finds, not what the list showed before', async () => {
      const page = await usePage();
      await page.goto(`${served().origin}/about`);
      await page.evaluate(() => localStorage.setItem('recent-searches', '["refunds"]'));
      await page.keyboard.press('/');
      await page.getByRole('option', { name: 'refunds' }).waitFor();
      await page.keyboard.type('retry after ');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/capsules\/retry-after/);
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('refunds ');
      await page.getByRole('option').first().waitFor();
      await page.getByRole('combobox').fill('zzzqqq');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search\?q=zzzqqq$/);
    });

    it('asks functions while its reader types where the index is not among the files', async () => {
      const page = await usePage();
      await page.route('**/data/search-index.json', (route) => route.fulfill({ status: 404 }));
      await page.goto(`${served().origin}/about`);
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('idempot');
      await page.getByRole('option').filter({ hasText: 'Idempotency-Key makes a POST safe' }).waitFor();
    });

    it('has a dialog without accessibility violations, on a phone and on a desk, and says that nothing was found', async () => {
      const page = await usePage({ viewport: { width: 375, height: 700 } });
      const faults: string[] = [];
      noteFaults(page, served().origin, faults);
      await page.goto(`${served().origin}/about`);
      await page.evaluate(() => localStorage.clear());
      await page.getByRole('button', { name: 'Search' }).click();
      // Before anything is typed, the pages that the header links to.
      await page.getByRole('option').first().waitFor();
      const showsPages = async (): Promise<void> =>
        expect(await page.getByRole('option').allInnerTexts()).toEqual(await page.locator('.site-header nav a').allInnerTexts());
      await showsPages();
      faults.push(...(await accessibilityFaults(page, VIEWS)));
      for (const [query, said] of [
        ['agents', /results/],
        ['zzzqqq', /^Nothing was found for “zzzqqq”\. Check .* words\. The texts are in English\.$/],
        [HOSTILE, /result|Nothing/],
      ] as const) {
        await page.getByRole('combobox').fill(query);
        await page.getByRole('dialog').getByRole('status').filter({ hasText: said }).waitFor();
        expect(await page.title()).not.toBe('run');
        if (query === 'zzzqqq') await showsPages();
        faults.push(...(await accessibilityFaults(page, query === HOSTILE ? OVERFLOW : VIEWS)).map((fault) => `${query}: ${fault}`));
      }
      expect(faults).toEqual([]);
    });

    it('has no accessibility violation and no overflow, and runs nothing of a query', async () => {
      const page = await usePage();
      const faults: string[] = [];
      noteFaults(page, served().origin, faults);
      for (const query of ['', 'how do agents pay', 'zzzqqq', HOSTILE, 'a'.repeat(1_100), `${'long'.repeat(100)} agents`]) {
        await page.goto(`${served().origin}/search?${new URLSearchParams({ q: query })}`);
        expect(await page.inputValue('#search-field')).toBe(query);
        if (query === 'zzzqqq') expect(await page.locator('main').innerText()).toContain(' words. The texts are in English.');
        const found = await accessibilityFaults(page, query.length > 30 ? OVERFLOW : VIEWS);
        faults.push(...found.map((fault) => `${query.slice(0, 20)}: ${fault}`));
      }
      // The browser reports that the query of 1,100 letters is refused.
      expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
    });
  });

  describe('without functions', () => {
    const host = duringTests(() => serveLikeHost(join(PUBLICATION, 'dist-static')));

    it('finds capsules, offers and pages by the words of their texts, under the policy of files', async () => {
      const page = await usePage();
      const faults: string[] = [];
      noteFaults(page, host().origin, faults);
      await page.goto(`${host().origin}/search`);
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
        // Only the text says so.
        ['Full refund until the outline is agreed', '/buy/capsule-to-order'],
      ]) {
        await page.goto(`${host().origin}/search?q=${query}`);
        await page.locator(`.search-hits a[href="${path}"]`).waitFor();
      }
      expect(faults).toEqual([]);
    });

    it('has pages of results', async () => {
      const page = await usePage();
      await page.goto(`${host().origin}/search?q=agent`);
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.waitForURL(/page=2$/);
      await page.locator('.search-hits li').first().waitFor();
      expect(await page.locator('.search-hits').getAttribute('start')).toBe('11');
      expect(await page.getByRole('link', { name: 'Previous page' }).getAttribute('href')).toBe('/search?q=agent');
      await page.goto(`${host().origin}/search?q=agent&page=99999`);
      await page.waitForURL(/page=\d{1,2}$/);
      await page.locator('.search-hits li').first().waitFor();
      expect(await page.getByRole('link', { name: 'Next page' }).isVisible()).toBe(false);
    });

    it('has no accessibility violation and no overflow, and runs nothing of a query', async () => {
      const page = await usePage();
      const faults: string[] = [];
      noteFaults(page, host().origin, faults);
      for (const query of ['', 'agent', 'zzzqqq', HOSTILE]) {
        await page.goto(`${host().origin}/search?${new URLSearchParams({ q: query })}`);
        if (query === '') await page.getByRole('heading', { name: 'Browse', exact: true }).waitFor();
        else
          await page
            .locator('[data-part=status]')
            .filter({ hasText: /result|Nothing was found/ })
            .waitFor();
        expect(await page.title()).not.toBe('run');
        // The parts of the page with functions, but for the list to browse.
        const found = await accessibilityFaults(page, query === '' ? VIEWS : query === 'agent' ? SAME_PARTS : OVERFLOW);
        faults.push(...found.map((fault) => `${query.slice(0, 20)}: ${fault}`));
      }
      expect(faults).toEqual([]);
    });

    it('says what to do if its list cannot be loaded, and without scripts', async () => {
      const page = await usePage();
      await page.route('**/data/search-index.json', (route) => route.abort());
      await page.goto(`${host().origin}/search?q=agent`);
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('link', { name: 'Subjects' }).isVisible()).toBe(true);
      const plain = await usePage({ javaScriptEnabled: false });
      await plain.goto(`${host().origin}/search?q=agent`);
      expect(await plain.locator('main').innerText()).toContain('needs JavaScript');
      expect(await plain.getByRole('link', { name: 'Subjects' }).isVisible()).toBe(true);
    });
  });
});
