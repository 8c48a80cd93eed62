import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM_FLAGS, findTool } from '../support/optional-tools.ts';
import { ROOT } from '../support/paths.ts';
import { type StaticServer, serveFolder } from '../support/static-server.ts';

/** One page of every template; the capsules are a current, a superseded and a retracted one. */
const PAGES = [
  '/',
  '/capsules',
  '/capsules/x402-v2',
  '/capsules/x402-v1',
  '/capsules/mcp-initialize-required',
  '/capsules/ucp-permalink',
  '/buy',
  '/pricing',
  '/buy/readiness-review',
  '/buy/weekly-digest',
  '/checkout',
  '/invoice',
  '/contact',
  '/about',
  '/terms',
  '/docs',
  '/docs/quickstart',
  '/docs/api',
  '/docs/api/queryKnowledge',
  '/docs/api/getCapsule',
  '/problems',
  '/problems/rate_limited',
  '/status',
  '/no-such-page',
];
/** Ways to look at a page. Between the last two only colours differ, so of the last one only rules about colours have news. */
const VIEWS = [
  { colorScheme: 'light', width: 320, rules: undefined },
  { colorScheme: 'light', width: 1440, rules: undefined },
  { colorScheme: 'dark', width: 1440, rules: ['color-contrast', 'link-in-text-block'] },
] as const;

/** Pages of the browser that look at the site side by side. */
const AT_ONCE = 2;

const program = findTool('chromium');

describe.skipIf(program === undefined)('the pages in a browser', () => {
  let browser: Browser;
  let server: StaticServer;
  let checker: string;
  const seen: { readonly looks: string[]; readonly loads: string[] } = { looks: [], loads: [] };

  beforeAll(async () => {
    const [, policy = ''] = /Content-Security-Policy: (.+)/.exec(await readFile(join(ROOT, 'dist/_headers'), 'utf8')) ?? [];
    expect(policy).toContain("default-src 'none'");
    checker = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    server = await serveFolder(join(ROOT, 'dist'), { 'Content-Security-Policy': policy });
    browser = await chromium.launch({
      executablePath: program ?? '',
      args: [...CHROMIUM_FLAGS],
    });
    await openAll();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens every page once, and notes the faults of how it loads and of how it looks. */
  async function openAll(): Promise<void> {
    const waiting = [...PAGES];
    const look = async (): Promise<void> => {
      const page = await browser.newPage();
      page.on('request', (request) => {
        if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:')) seen.loads.push(`request to ${request.url()}`);
      });
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('404')) seen.loads.push(`${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => seen.loads.push(`${page.url()}: ${error.message}`));
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        await page.goto(server.origin + path);
        seen.looks.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
      }
      await page.close();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, look));
  }

  /** Faults of how a page looks that is loaded, in every view. */
  async function faultsOf(page: Page): Promise<string[]> {
    const faults: string[] = [];
    // As a tool of the browser, which the policy of the page does not bind.
    await page.evaluate(checker);
    for (const { colorScheme, width, rules } of VIEWS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const found = await page.evaluate(
        async (only) => {
          const { axe } = globalThis as unknown as {
            axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
          };
          // Without the lists of what passed, which nobody reads and which cost a fifth of the time.
          const { violations } = await axe.run({
            resultTypes: ['violations'],
            ...(only === undefined ? {} : { runOnly: { type: 'rule', values: only } }),
          });
          return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`);
        },
        rules && [...rules],
      );
      if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
        found.push('scrolls sideways');
      faults.push(...found.map((fault) => `${colorScheme} at ${width} px: ${fault}`));
    }
    return faults;
  }

  it('has no accessibility violation and no overflow, whether light or dark, at 320 and at 1440 px', () => {
    expect(seen.looks).toEqual([]);
  });

  it('loads nothing from elsewhere and breaks no rule of its own policy', () => {
    expect(seen.loads).toEqual([]);
  });

  it('can be read without scripts, and every part of a lineage map can be reached by keyboard', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${server.origin}/capsules/x402-v2`);
    expect((await page.locator('main').innerText()).length).toBeGreaterThan(3_000);
    const targets = await page
      .locator('svg a')
      .evaluateAll((links) =>
        links.filter((link) => link.closest('svg')?.checkVisibility() ?? false).map((link) => link.getAttribute('href')),
      );
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.every((href) => href?.startsWith('/capsules/') || href?.startsWith('#'))).toBe(true);
    await context.close();
  });
});
