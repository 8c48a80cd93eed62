import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { PUBLICATION } from '../support/paths.ts';
import type { StaticServer } from '../support/static-server.ts';
import { CHROMIUM, launchBrowser, noteFaults } from './browser.ts';

describe.skipIf(CHROMIUM === undefined)('the search of a site without functions', () => {
  let browser: Browser;
  let host: StaticServer;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    host = await serveLikeHost(join(PUBLICATION, 'dist-static'));
    browser = await launchBrowser();
    page = await browser.newPage();
    noteFaults(page, host.origin, faults);
  });
  afterAll(async () => {
    await browser?.close();
    await host?.stop();
  });

  const titles = (): Promise<string[]> => page.locator('.results .title').allInnerTexts();

  it('finds capsules for the question of the address', async () => {
    await page.goto(`${host.origin}/search?q=Workers+KV`);
    await page.locator('.results li').first().waitFor();
    expect((await titles())[0]).toContain('Workers KV');
  });

  it('finds them for a question that is typed, under the policy of files', async () => {
    await page.fill('#question', 'offsets into text');
    await page.press('#question', 'Enter');
    await page.locator('.results a[href="/capsules/quote-offsets"]').waitFor();
    expect((await titles())[0]).toContain('Offsets');
    expect(page.url()).toContain('?q=offsets');
    expect(faults).toEqual([]);
  });

  it('says that nothing fits', async () => {
    await page.fill('#question', 'zzzqqq');
    await page.press('#question', 'Enter');
    await page.locator('.found [role=status]').waitFor();
    expect(await titles()).toEqual([]);
  });
});
