import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveLikeHost } from '../support/built-files.ts';
import { makeBuiltPublication } from '../support/built-publication.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import type { StaticServer } from '../support/static-server.ts';
import { accessibilityFaults, CHROMIUM, launchBrowser, noteFaults } from './browser.ts';

const TOKEN = Buffer.from('a token of an origin trial, as long as Chrome issues them'.repeat(3)).toString('base64');

const PUBLISHER = `name: Radwerkstatt
tagline: Was wir beim Reparieren lernen
description: Was eine Werkstatt über Bremsen, Schaltungen und Laufräder gelernt hat, aufgeschrieben für alle, die Rad fahren.
base_url: https://radwerkstatt-am-markt.de
contact_email: post@radwerkstatt-am-markt.de
author: Ada Rim
language: de
origin_trial_tokens: ["${TOKEN}"]
updated: 2026-11-01
`;

const CAPSULES: Readonly<Record<string, string>> = {
  bremsen: '# Nasse Felgenbremsen greifen später\n\nWasser auf der Felge verlängert den Bremsweg, bis die Beläge es abgestreift haben.',
  kette:
    '# Eine gelängte Kette zerstört Ritzel\n\nMessen Sie die Kette alle tausend Kilometer, und wechseln Sie sie bei 0,75 Prozent Längung.',
  english:
    '---\nlanguage: en\n---\n\n# Spokes need even tension\n\nA wheel with uneven spokes goes out of true and breaks them one after the other.',
};

describe('the search of a German publication', () => {
  let remove = async (): Promise<void> => undefined;
  let gateway: EdgeGateway;
  let withoutFunctions = '';

  beforeAll(async () => {
    const publication = await makeBuiltPublication('german');
    remove = publication.remove;
    await publication.write({ 'content/publisher.yaml': PUBLISHER });
    await publication.write(Object.fromEntries(Object.entries(CAPSULES).map(([id, text]) => [`content/capsules/${id}.md`, `${text}\n`])));
    await publication.build('static');
    withoutFunctions = join(publication.root, 'dist-static');
    await publication.build('edge');
    gateway = await startEdgeGateway(await publication.service());
  });
  afterAll(async () => {
    await gateway?.stop();
    await remove();
  });

  const pageAt = async (path: string): Promise<string> => (await gateway.fetch(path, { headers: { Accept: 'text/html' } })).text();

  it('speaks German, finds other forms of a word, and marks what is in another language', async () => {
    const page = await pageAt('/search?q=Kette');
    for (const words of [
      '<html lang="de"',
      '<title>Suche: Kette · Radwerkstatt',
      'Diese Website durchsuchen',
      '<span>Kapsel</span>',
      '22. November 2026',
    ])
      expect(page).toContain(words);
    expect(/<h3 class="title"><a href="([^"]+)"/.exec(page)?.[1]).toBe('/capsules/kette');
    expect(await pageAt('/search?q=Felgenbremse')).toContain('href="/capsules/bremsen"');
    expect(await pageAt('/search?q=spokes')).toMatch(/<div lang="en">\s*<h3 class="title"><a href="\/capsules\/english"/);
  });

  it('folds lineage, verification, digests and citation of a capsule, and says of them what is true', async () => {
    const page = await pageAt('/capsules/kette');
    const [, folded = ''] = /<details class="provenance">([\s\S]*)<\/details>/.exec(page) ?? [];
    const line = (/<summary>([\s\S]*?)<\/summary>/.exec(folded)?.[1] ?? '').replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');
    expect(line.trim()).toBe(
      'Unverändert seit der Veröffentlichung am 22. November 2026. Nicht signiert. Das belegt den Text, nicht seine Aussage. Nachweis, Herkunft, Versionen und Zitat',
    );
    for (const id of ['lineage', 'verify', 'colophon', 'cite']) expect(folded).toContain(`<h2 id="${id}">`);
    expect(folded).toContain('Ada Rim: „Eine gelängte Kette zerstört Ritzel“. Radwerkstatt, Version 1.0.0');
    expect(folded).toContain('author = {Ada Rim}');
    expect(page).toContain('vom Autor berichtet, ohne Angabe einer Quelle');
  });

  it('says in German that nothing was found, and that a query is too long', async () => {
    expect(await pageAt('/search?q=zzzqqq')).toContain('Zu „zzzqqq“ wurde nichts gefunden.');
    expect(await pageAt(`/search?q=${'a'.repeat(1_100)}`)).toContain('Die Anfrage ist zu lang. Verwenden Sie höchstens 1.024 Zeichen.');
    expect(await pageAt('/search?q=x&page=0')).not.toMatch(/must be|parameter/i);
  });

  it('offers nothing that is not for sale', async () => {
    expect(await pageAt('/search')).not.toMatch(/Preisliste|Angebot/);
  });

  it('has the tokens of origin trials at the top of every page', async () => {
    expect(await pageAt('/search')).toContain(`<meta http-equiv="origin-trial" content="${TOKEN}">`);
  });

  it.skipIf(CHROMIUM === undefined)('is in German without functions, too', async () => {
    const host: StaticServer = await serveLikeHost(withoutFunctions);
    const browser: Browser = await launchBrowser();
    const page = await browser.newPage();
    const faults: string[] = [];
    noteFaults(page, host.origin, faults);
    await page.goto(`${host.origin}/search?q=ketten`);
    await page.locator('.search-hits a[href="/capsules/kette"]').waitFor();
    expect(await page.locator('[data-part=status]').innerText()).toBe('1 Treffer');
    expect(await page.title()).toBe('Suche: ketten · Radwerkstatt');
    expect(await page.locator('meta[http-equiv="origin-trial"]').getAttribute('content')).toBe(TOKEN);
    faults.push(...(await accessibilityFaults(page, [{ colorScheme: 'light', width: 320 }])));
    expect(faults).toEqual([]);
    await browser.close();
    await host.stop();
  });
});
