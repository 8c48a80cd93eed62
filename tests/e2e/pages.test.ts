import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { duringTests } from '../support/during-tests.ts';
import { PUBLICATION } from '../support/paths.ts';
import { words } from '../support/words.ts';
import { accessibilityFaults, CHROMIUM, follow, noteFaults, useBrowser, type View } from './browser.ts';

const PAGES = words`
    / /capsules /capsules/x402-v2 /capsules/rate-limit-header-fields/1.0.0 /capsules/x402-v1 /capsules/mcp-initialize-required /capsules/ucp-permalink /buy /pricing
    /buy/readiness-review /test-checkout/evidence-review /test-checkout/evidence-review/receipt /checkout /contact /about /terms /docs /docs/quickstart /docs/verifying /docs/watch /docs/api /docs/api/queryKnowledge /problems
    /problems/rate_limited /status /connect /no-such-page
  `;
/** Colours do not depend on the width, nor does anything else on the colours; the rules about colours take most of the time. */
const VIEW: View = { colorScheme: 'light', width: 320 };
/** Pages with colours of their own in the dark; the others are made of the same parts. */
const DARK = words`
    / /capsules /capsules/x402-v2 /capsules/rate-limit-header-fields/1.0.0 /capsules/x402-v1 /capsules/mcp-initialize-required /buy
    /pricing /buy/readiness-review /test-checkout/evidence-review/receipt /about /docs/quickstart /docs/api/queryKnowledge /status
  `;
const DARK_VIEW: View = { colorScheme: 'dark', width: 1440, rules: 'colours' };
/** Pages that are laid out otherwise where there is room: one of each such layout. */
const WIDE = words`/ /capsules /capsules/x402-v2 /buy /checkout /docs/quickstart /docs/api/queryKnowledge`;
const WIDE_VIEW: View = { colorScheme: 'light', width: 1440, rules: 'all but colours' };

describe.skipIf(CHROMIUM === undefined)('the pages in a browser', () => {
  const { browser, usePage } = useBrowser();
  const server = duringTests(() => serveLikeHost(join(PUBLICATION, 'dist')));
  const seen: Record<'looks' | 'loads' | 'tabs', string[]> = { looks: [], loads: [], tabs: [] };

  beforeAll(openAll);

  async function openAll(): Promise<void> {
    const page = await usePage();
    noteFaults(page, server().origin, seen.loads);
    for (const path of PAGES) {
      const answer = await page.goto(server().origin + path);
      if (answer?.ok() !== (path !== '/no-such-page')) seen.looks.push(`${path}: ${answer?.status()}`);
      seen.tabs.push(...(await page.locator('.tabset summary').allInnerTexts()));
      const views = [VIEW, ...(DARK.includes(path) ? [DARK_VIEW] : []), ...(WIDE.includes(path) ? [WIDE_VIEW] : [])];
      seen.looks.push(...(await accessibilityFaults(page, views)).map((fault) => `${path}: ${fault}`));
    }
  }

  it('has no accessibility violation and no overflow, whether light or dark, at 320 and at 1440 px', () => {
    expect(seen.looks).toEqual([]);
    expect(seen.tabs).toEqual(['E-mail', 'API']);
  });

  it('leads from the test checkout of an offer to a sample receipt, without a script', async () => {
    const page = await usePage({ javaScriptEnabled: false });
    await page.goto(`${server().origin}/test-checkout/evidence-review`);
    expect(await page.locator('main').innerText()).toContain('No card is charged.');
    await follow(page.locator('main a.button'));
    expect(new URL(page.url()).pathname).toBe('/test-checkout/evidence-review/receipt');
    expect(await page.locator('main').innerText()).toMatch(
      /Sample receipt[\s\S]*Evidence review of a page[\s\S]*Nothing\. A real checkout/,
    );
  });

  it('opens a note about a source in place by keyboard, at every width and without a script, and Escape closes it', async () => {
    for (const width of [320, 1440]) {
      const page = await usePage({ javaScriptEnabled: false, viewport: { width, height: 700 } });
      await page.goto(`${server().origin}/capsules/x402-v2`);
      const [reference, note] = [page.locator('#ref-2'), page.locator('#source-note-2:popover-open')];
      await reference.focus();
      await page.keyboard.press('Enter');
      const [box, mark] = [await note.boundingBox(), await reference.boundingBox()];
      expect(box && mark && { left: box.x >= 0, right: box.x + box.width <= width, near: Math.abs(box.y - mark.y) < 160 }).toEqual({
        left: true,
        right: true,
        near: true,
      });
      await page.keyboard.press('Escape');
      await note.waitFor({ state: 'detached' });
    }
  });

  it('says what a link to a capsule leads to, and its state, when the link has the focus', async () => {
    const page = await usePage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server().origin}/capsules/x402-v2`);
    const link = page.locator('article a[href="/capsules/x402-v1"]').first();
    const shown = (): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('article a[href="/capsules/x402-v1"]'), '::after').content`);
    expect(await shown()).toBe('none');
    await page.keyboard.press('Tab');
    await link.focus();
    expect(await shown()).toMatch(/^"Superseded: x402 version 1 .+ Superseded on /);
  });

  it('shows an earlier version of a capsule, and what has changed since, word by word', async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/capsules/rate-limit-header-fields`);
    await page.locator('details.provenance').evaluate((details) => details.setAttribute('open', ''));
    await follow(page.getByRole('link', { name: '1.0.0', exact: true }));
    expect(await page.locator('main').innerText()).toMatch(/^[\s\S]{0,200}This is an older version[\s\S]+Read the newest version, 1\.1\.0/);
    expect(await page.locator('.changes ins').allInnerTexts()).toEqual([expect.stringContaining('An expired draft is not withdrawn')]);
    expect(await page.locator('article').innerText()).not.toContain('An expired draft is not withdrawn');
    expect(await page.locator('link[rel=canonical]').count()).toBe(0);
  });

  it('lets a reader copy a capsule as markdown and every block of code, open it in an assistant, and print it with its map and without what needs a screen', async () => {
    const context = await browser().newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${server().origin}/capsules/x402-v2`);
    await page.getByRole('button', { name: 'Copy as markdown' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const markdown = await (await fetch(`${server().origin}/capsules/x402-v2.md`)).text();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(markdown);
    const hrefs = await page.locator('.capsule-actions a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs.map((href) => href.replace(/\?.*/, ''))).toEqual(['https://claude.ai/new', 'https://chatgpt.com/', '#cite']);
    expect(new URL(hrefs[0] ?? '').searchParams.get('q')).toMatch(/^Read http\S+\/capsules\/x402-v2\.md and answer/);
    const block = page.locator('article pre').first();
    await block.hover();
    await block.locator('xpath=..').getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await block.innerText()).trimEnd());
    for (const path of ['/docs/quickstart', '/connect', '/docs/api/queryKnowledge', '/capsules/x402-v2/1.0.0']) {
      await page.goto(server().origin + path);
      expect([path, await page.locator('figure.code pre, .text pre').count()]).toEqual([path, await page.locator('button.copy').count()]);
    }
    await page.goto(`${server().origin}/capsules/x402-v2`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.provenance .drawing').isVisible()).toBe(true);
    for (const apparatus of ['.capsule-actions', '#verify', '#cite', '#colophon'])
      expect([apparatus, await page.locator(apparatus).isVisible()]).toEqual([apparatus, false]);
    await context.close();
  });

  it('folds the outline above the text on a phone, and has it open in the margin of a wide screen and on no paper', async () => {
    const page = await usePage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    for (const path of ['/capsules/bm25', '/docs/quickstart']) {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(server().origin + path);
      const [fold, entry] = [page.locator('.outline summary'), page.locator('.outline li a').first()];
      const [above, below] = [await fold.boundingBox(), await page.locator('article').first().boundingBox()];
      expect([path, await entry.isVisible(), (above?.y ?? 0) < (below?.y ?? 0)]).toEqual([path, false, true]);
      await fold.click();
      expect(await entry.isVisible()).toBe(true);
      await page.goto(server().origin + path);
      await page.setViewportSize({ width: 1440, height: 900 });
      expect([path, await fold.isVisible(), await entry.isVisible()]).toEqual([path, false, true]);
      await page.emulateMedia({ media: 'print' });
      expect([path, await page.locator(':is(.outline, .tree):visible').count()]).toEqual([path, 0]);
      await page.emulateMedia({ media: null });
    }
  });

  it('shows in forced colours which filters are chosen', async () => {
    const page = await usePage();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${server().origin}/capsules?evidence=documented`);
    const look = async (label: string): Promise<Record<string, string>> => {
      const style = `getComputedStyle(document.querySelector('.choices label${label}'))`;
      return page.evaluate(
        `(({ color, backgroundColor, forcedColorAdjust }) => ({ color, backgroundColor, forcedColorAdjust }))(${style})`,
      );
    };
    const [other, chosen] = [await look(':not(:has(:checked))'), await look(':has(:checked)')];
    // Without the adjustment, a browser draws the colour of the page behind the words.
    expect(chosen).toEqual({ color: chosen['color'], backgroundColor: other['color'], forcedColorAdjust: 'none' });
    expect(chosen['color']).not.toBe(other['color']);
    // Words of diagrams have the colour of the system, so nothing behind them has one of the publication.
    const behind = await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--color-surface')`);
    expect(behind).toBe('Canvas');
  });

  it('keeps a long name and the button of the search in one row on a small phone', async () => {
    const page = await usePage({ viewport: { width: 320, height: 568 } });
    await page.goto(`${server().origin}/about`);
    const middles = (await page.evaluate(`(() => {
      const [name, button] = ['.wordmark', '.site-header .search-form button'].map((one) => document.querySelector(one));
      name.lastChild.textContent = 'The long name of a publication with many words';
      return [name, button].map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2);
    })()`)) as number[];
    expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 99))).toBeLessThan(2);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('is no wider than a phone whose text is twice the size', async () => {
    const page = await usePage();
    // 320 pixels of text of 32 pixels are 160 of 16 to a page that is laid out by the size of its text.
    for (const path of ['/', '/buy', '/buy/readiness-review', '/status', '/capsules/x402-v2']) {
      await page.goto(server().origin + path);
      expect([path, await accessibilityFaults(page, [{ colorScheme: 'light', width: 160, rules: 'none' }])]).toEqual([path, []]);
    }
  });

  it('leads from each guide to the one before and after it', async () => {
    const page = await usePage();
    const titles: string[] = [];
    for (let path: string | null = '/docs/quickstart'; path !== null && titles.length < 20; ) {
      await page.goto(server().origin + path);
      titles.push(await page.locator('h1').innerText());
      const previous = page.locator('a[rel=prev]');
      if (titles.length > 1) expect(await previous.innerText()).toContain(titles.at(-2));
      const next = page.locator('a[rel=next]');
      path = (await next.count()) === 0 ? null : await next.getAttribute('href');
    }
    expect(titles.length).toBeGreaterThan(5);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('draws in text of at least 12 pixels at every width, with a name and a description', async () => {
    const drawings: string[] = [];
    const page = await usePage();
    for (const path of ['/', '/buy', '/docs/verifying', '/capsules/http-freshness']) {
      await page.goto(server().origin + path);
      await page.locator('details').evaluateAll((all) => {
        for (const details of all) details.setAttribute('open', '');
      });
      for (const width of [390, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const drawing = page.locator('.drawing svg[role]:visible');
        expect(await drawing.count(), `${path} at ${width}`).toBe(1);
        const smallest = await page.evaluate(`(() => {
          const [svg] = [...document.querySelectorAll('.drawing > svg')].filter((each) => each.checkVisibility());
          const sizes = [...svg.querySelectorAll('text')].map((text) => Number.parseFloat(getComputedStyle(text).fontSize));
          return (Math.min(...sizes) * svg.getBoundingClientRect().width) / svg.getAttribute('width');
        })()`);
        expect(smallest, `${path} at ${width}`).toBeGreaterThanOrEqual(12);
        if (width === 390) drawings.push((await drawing.ariaSnapshot()).split('\n')[0] ?? '');
      }
    }
    expect(drawings.slice(0, 3)).toEqual([
      expect.stringMatching(/^- img "What this site is": .*Proofs that anybody can check/),
      expect.stringMatching(/^- img "How buying works": .*fill a cart on this page/),
      expect.stringMatching(/^- img "How an answer is checked": .*a quote with its place/),
    ]);
  });

  it('has local fonts of the same width as those that load, so that lines do not break anew', async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/`);
    const ratios = (await page.evaluate(`(async () => {
      const text = document.querySelector('main').innerText.replace(/\\s+/g, ' ').slice(0, 2000);
      const context = document.createElement('canvas').getContext('2d');
      const width = (font) => ((context.font = font), context.measureText(text).width);
      const ratios = [];
      for (const family of ['Newsreader', 'Instrument Sans'])
        for (const weight of [400, 500]) {
          await document.fonts.load(weight + ' 16px "' + family + '"');
          const names = ['', ' 2', ' 3'].map((number) => family + ' fallback' + number);
          const loaded = await Promise.all(names.map((name) => document.fonts.load(weight + ' 16px "' + name + '"').catch(() => [])));
          for (const [index, faces] of loaded.entries())
            if (faces.length > 0) ratios.push(width(weight + ' 16px "' + names[index] + '"') / width(weight + ' 16px "' + family + '"'));
        }
      return ratios;
    })()`)) as number[];
    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.03);
  });

  it('filters the overview of capsules, keeps the choice in the address, and says which values it does not know', async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/capsules?evidence=documented&type=poem&utm_source=letter`);
    const main = page.locator('main');
    expect(await main.innerText()).toContain('Ignored, because no list has such a filter or value: type=poem.');
    const shown = (): Promise<number> => page.locator('.capsules > li:visible').count();
    const documented = await shown();
    expect(await main.innerText()).toContain(`${documented} of 62 capsules`);
    await page.locator('input[name=type][value=concept]').focus();
    await page.keyboard.press('Space');
    // The page knows its address before the test does.
    const query = async (): Promise<URLSearchParams> => new URLSearchParams(await page.evaluate('location.search'));
    expect((await query()).get('evidence')).toBe('documented');
    expect((await query()).getAll('type')).toEqual(['concept']);
    const concepts = await shown();
    expect(concepts).toBeLessThan(documented);
    // Counts are those of the other filters, and several values of one filter select any of them.
    const countOf = async (selector: string): Promise<number> => Number(await page.locator(`label:has(${selector}) .figures`).innerText());
    expect(await countOf('[value=concept]')).toBe(concepts);
    await page.goto(`${server().origin}/capsules?type=concept&type=practice&evidence=documented`);
    expect(await shown()).toBe(concepts + (await countOf('[value=practice]')));
    await page.goto(`${server().origin}/capsules?subject=x402&type=concept&type=reference&evidence=documented`);
    expect(await page.locator('details.more-choices').getAttribute('open')).not.toBe(null);
    expect(await page.locator('label:has([value=x402]) :checked').count()).toBe(1);
    await page.goto(`${server().origin}/capsules?type=measurement&subject=x402`);
    expect(await shown()).toBe(0);
    expect(await main.innerText()).toContain('No capsule meets all of these conditions.');
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    expect(await shown()).toBe(62);
    expect(`${await query()}`).toBe('');
    const plain = await usePage({ javaScriptEnabled: false });
    await plain.goto(`${server().origin}/capsules?evidence=documented`);
    expect(await plain.locator('.capsules > li:visible').count()).toBe(62);
    expect(await plain.locator('[data-filters]').isVisible()).toBe(false);
    expect(await plain.locator('main').innerText()).toContain('Filters need JavaScript.');
  });

  it('shows the ticked offers of the shop side by side on a phone, without a script', async () => {
    const page = await usePage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(`${server().origin}/buy`);
    const offers = page.locator('.offer');
    const toggle = page.locator('.shop-bar a:visible');
    expect(await toggle.count()).toBe(0);
    expect(await offers.nth(2).locator('.offer-terms').isVisible()).toBe(false);
    for (const at of [2, 5]) await offers.nth(at).locator('.pick').check();
    await toggle.click();
    const boxes = await page.locator('.offer:visible').evaluateAll((shown) => shown.map((offer) => offer.getBoundingClientRect().toJSON()));
    expect(boxes.map(({ top }) => top)).toEqual([boxes[0].top, boxes[0].top]);
    // The comparison begins at the top of the window, wherever the list was left.
    expect(boxes[0].top).toSatisfy((top: number) => top >= 0 && top < 200);
    expect(boxes[0].right).toBeLessThan(boxes[1].left);
    expect(boxes[1].right).toBeLessThanOrEqual(390);
    // The same term of both stands in one row.
    const refunds = await page
      .locator('.offer:visible dt', { hasText: 'Refund' })
      .evaluateAll((terms) => terms.map((term) => term.getBoundingClientRect().top));
    expect(refunds).toEqual([refunds[0], refunds[0]]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await toggle.innerText()).toBe('Show all offers');
    await toggle.click();
    expect(await page.locator('.offer:visible').count()).toBe(await offers.count());
  });

  it('shows no bar in the shop of a frontend-only site before an offer is ticked', async () => {
    const files = await serveLikeHost(join(PUBLICATION, 'dist-static'));
    try {
      const page = await usePage({ javaScriptEnabled: false });
      await page.goto(`${files.origin}/buy`);
      expect(await page.locator('.shop-bar').isVisible()).toBe(false);
      for (const at of [0, 1]) await page.locator('.pick').nth(at).check();
      expect(await page.locator('.shop-bar a:visible').innerText()).toBe('Side by side');
    } finally {
      await files.stop();
    }
  });

  it('lists the subjects of the overview in two columns on a phone', async () => {
    const page = await usePage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(`${server().origin}/capsules`);
    const lefts = await page.locator('.subjects li').evaluateAll((items) => items.map((item) => item.getBoundingClientRect().left));
    expect(new Set(lefts).size).toBe(2);
  });

  it('lets a reader ask and check at once on the home page, whose rows of evidence all have capsules', async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/`);
    expect(await page.locator('.home-ask form input').isVisible()).toBe(true);
    expect(await page.locator('.home-ask .questions a').count()).toBe(3);
    expect(await page.locator('.home-ask').innerText()).toMatch(/Your agent asks at http\S+\/mcp, without a key: connect it\./);
    expect(await page.locator('.doors a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/capsules',
      '/connect',
      '/buy',
      '/docs/watch',
    ]);
    expect(await page.locator('.evidence-table .count').allInnerTexts()).not.toContain('0');
    await page.click('[data-verify] button');
    await page.locator('[data-verify] .checks li').first().waitFor();
    expect(await page.locator('[data-verify] .failed').count()).toBe(0);
    // Its text speaks of the command below.
    expect(await page.locator('[data-verify] pre').innerText()).toContain('node akg-verify.mjs');
  });

  it('puts the words of a missing address into its search field', async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/no-such-page`);
    expect(await page.inputValue('#missing-field')).toBe('no such page');
  });

  it('loads nothing from elsewhere and breaks no rule of its own policy', () => expect(seen.loads).toEqual([]));

  it("show the publication's own look: its theme.css wins over rules of the engine, and its component wraps the one that it replaces", async () => {
    const page = await usePage();
    await page.goto(`${server().origin}/`);
    const styleOf = (selector: string): string => `getComputedStyle(document.querySelector('${selector}'))`;
    expect(await page.evaluate(`${styleOf('h1')}.maxWidth`)).toBe('480px');
    expect(await page.locator('.greeting time').count()).toBe(1);
    expect(await page.evaluate(`${styleOf('.greeting')}.textAlign`)).toBe('center');
    expect(await page.locator('.site-footer').count()).toBe(1);
  });

  it('can be read without scripts, and every part of a lineage map can be reached by keyboard', async () => {
    const page = await usePage({ javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
    await page.goto(`${server().origin}/capsules/x402-v2`);
    expect((await page.locator('main').innerText()).length).toBeGreaterThan(3_000);
    const targets = await page
      .locator('svg a')
      .evaluateAll((links) =>
        links.filter((link) => link.closest('svg')?.checkVisibility() ?? false).map((link) => link.getAttribute('href')),
      );
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.every((href) => href?.startsWith('/capsules/') || href?.startsWith('#'))).toBe(true);
  });
});
