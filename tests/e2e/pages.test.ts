import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTool } from '../support/optional-tools.ts';
import { ROOT } from '../support/paths.ts';
import { serveFolder, type StaticServer } from '../support/static-server.ts';

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
  '/decisions',
  '/decisions/0002-one-route-table',
  '/changelog',
  '/status',
  '/promises',
  '/no-such-page',
];
const VIEWS = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440 },
] as const;

const program = findTool('chromium');

describe.skipIf(program === undefined)('the pages in a browser', () => {
  let browser: Browser;
  let server: StaticServer;

  beforeAll(async () => {
    const [, policy = ''] = /Content-Security-Policy: (.+)/.exec(await readFile(join(ROOT, 'dist/_headers'), 'utf8')) ?? [];
    expect(policy).toContain("default-src 'none'");
    server = await serveFolder(join(ROOT, 'dist'), { 'Content-Security-Policy': policy });
    browser = await chromium.launch({
      executablePath: program ?? '',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  // Each view has pages of its own, so that they are looked at side by side.
  it.concurrent.each(VIEWS)('has no accessibility violation and no overflow, $colorScheme at $width px', async ({ colorScheme, width }) => {
    // The rules run as a script of the page, so the policy is lifted here; the next test keeps it.
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    const faults: string[] = [];
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    for (const path of PAGES) {
      await page.goto(server.origin + path);
      await page.addScriptTag({ path: axe });
      const violations = await page.evaluate(async () => {
        const { axe: rules } = globalThis as unknown as {
          axe: { run: () => Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
        };
        return (await rules.run()).violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`);
      });
      faults.push(...violations.map((violation) => `${path}: ${violation}`));
      if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'))
        faults.push(`${path}: scrolls sideways`);
    }
    await context.close();
    expect(faults).toEqual([]);
  });

  it('loads nothing from elsewhere and breaks no rule of its own policy', async () => {
    const faults: string[] = [];
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:')) faults.push(`request to ${request.url()}`);
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) faults.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    for (const path of PAGES) await page.goto(server.origin + path);
    await context.close();
    expect(faults).toEqual([]);
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
