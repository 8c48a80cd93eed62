import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { CHROMIUM_FLAGS, findTool } from '../support/optional-tools.ts';

/**
 * Path of Chromium; `undefined`, after one line that says so, where tests in a browser are skipped. The build without windows, which is
 * a package of Debian, takes half of the CPU time.
 */
export const CHROMIUM = findTool('chromium', 'chromium-headless-shell');

/** Names of hosts lead nowhere, so that no page reaches another site. */
const NO_OTHER_HOST = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';

/** Most of what runs in a page runs for as long as it takes to compile it well, so optimizing compilers cost more than they save. */
const NO_OPTIMIZING_COMPILERS = '--js-flags=--no-maglev --no-turbofan';

/** Widths of letters are those of a screen, which the build without windows would round to whole pixels. */
const EXACT_WIDTHS = '--font-render-hinting=none';

/** Starts a browser. @param flags Besides those of all tests. */
export function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const args = [...CHROMIUM_FLAGS, NO_OTHER_HOST, NO_OPTIMIZING_COMPILERS, EXACT_WIDTHS, ...flags];
  return chromium.launch({ executablePath: CHROMIUM ?? '', args });
}

/** A page for one test: the same one for all tests with such scripts, because a new browsing context costs a second of CPU. */
export type UsePage = (options?: {
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
}) => Promise<Page>;

/** The browser that all files of tests in this process share, and its pages. It ends with the process. */
let started: Promise<Browser> | undefined;
const pages = new Map<boolean, Page>();

/** A browser for the tests of a block, and its pages. Whoever opens a page of its own closes it. */
export function useBrowser(): { readonly browser: () => Browser; readonly usePage: UsePage } {
  let browser: Browser | undefined;
  const running = (): Browser => {
    if (browser === undefined) throw new Error('the browser runs only inside of tests');
    return browser;
  };
  beforeAll(async () => {
    if (CHROMIUM === undefined) return;
    started ??= launchBrowser();
    browser = await started;
  });
  return {
    browser: running,
    usePage: async ({ javaScriptEnabled = true, viewport = { width: 1280, height: 720 } } = {}) => {
      const page = pages.get(javaScriptEnabled) ?? (await running().newPage({ javaScriptEnabled }));
      pages.set(javaScriptEnabled, page);
      for (const event of ['request', 'console', 'pageerror'] as const) page.removeAllListeners(event);
      await page.unrouteAll();
      await page.emulateMedia({ colorScheme: null, media: null, forcedColors: null });
      await page.setViewportSize(viewport);
      return page;
    },
  };
}

/** Clicks a link or a button of a loaded page that leads to another page, and waits until that one has loaded. */
export async function follow(target: Locator): Promise<void> {
  await Promise.all([target.page().waitForEvent('load'), target.click()]);
}

/** A way to look at a page: its colours, its width in pixels, and the rules of axe that it is checked by. */
export interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly rules?: 'all' | 'colours' | 'all but colours' | 'none';
}

const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const NO_COLOURS = Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }]));
const AXE_OPTIONS = { all: {}, colours: { runOnly: { type: 'rule', values: COLOUR_RULES } }, 'all but colours': { rules: NO_COLOURS } };

/** A loaded page is accessible by the rules of axe, and does not scroll sideways: what is wrong in any of the views. */
export async function accessibilityFaults(page: Page, views: readonly View[]): Promise<string[]> {
  const faults: string[] = [];
  // As a tool of the browser, which the policy of the page does not bind.
  if (views.some(({ rules }) => rules !== 'none'))
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  for (const { colorScheme, width, rules = 'all' } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const found =
      rules === 'none'
        ? []
        : await page.evaluate(async (options) => {
            const { axe } = globalThis as unknown as {
              axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
            };
            // Without the lists of what passed, which cost a fifth of the time.
            const { violations } = await axe.run({ resultTypes: ['violations'], ...options });
            return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`);
          }, AXE_OPTIONS[rules] as object);
    if (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')) found.push('scrolls sideways');
    faults.push(...found.map((fault) => `${colorScheme} at ${width} px: ${fault}`));
  }
  return faults;
}

/** Notes what a page does that no page of the site does: it asks another origin, breaks its policy, or throws. */
export function noteFaults(page: Page, origin: string, faults: string[]): void {
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`request to ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
}
