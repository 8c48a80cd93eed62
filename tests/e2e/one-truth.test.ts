import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeOffers, withTestCheckouts } from '../../src/publication/publish/make-offers.ts';
import { hasPrice } from '../../src/schemas/commerce/currency-and-availability.ts';
import { buyPath } from '../../src/schemas/paths.ts';
import { formatMoney } from '../../src/text/prices.ts';
import { ENGLISH } from '../../src/text/strings/interface-strings.ts';
import { commercePackage } from '../support/commerce-kit.ts';
import { structuredData, withoutTags } from '../support/page-text.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';

const content = await readSample({ baseUrl: TEST_BASE_URL });
const offers = withTestCheckouts(makeOffers(content.offers, content.publisher, content.deliveries), content.publisher).filter(hasPrice);

const PRICE_TEXTS = offers.map((offer) => [offer.id, offer.amountMinor === 0 ? 'free' : formatMoney(offer)]);

function listedPrices(page: string): string[][] {
  const main = page.slice(page.indexOf('<main'));
  return [...main.matchAll(/<a href="\/buy\/([a-z0-9-]+)">[^<]*<\/a>(?:(?!<a )[\s\S])*?<span class="price">([\s\S]*?)<\/span>/g)].map(
    ([, id = '', price = '']) => [id, (/\$[\d,.]*\d|free/i.exec(withoutTags(price))?.[0] ?? '').toLowerCase()],
  );
}

describe.each([
  ['edge', 'dist'],
  ['static', 'dist-static'],
] as const)('offers of the %s build', (mode, folder) => {
  const read = (path: string): Promise<string> => readFile(join(PUBLICATION, folder, path), 'utf8');

  it('are the same on the price list, on the page of prices and on their own pages', async () => {
    for (const path of ['buy.html', 'pricing.html']) {
      const found = listedPrices(await read(path));
      expect(new Set(found.map(([id]) => id))).toEqual(new Set(offers.map(({ id }) => id)));
      for (const [id, price] of found) expect([path, id, price]).toEqual([path, id, PRICE_TEXTS.find(([one]) => one === id)?.[1]]);
    }
    for (const offer of offers) {
      const { id, checkoutUrl, demo } = offer;
      const page = await read(`buy/${id}.html`);
      const amount = withoutTags(/<p class="amount">([\s\S]*?)<\/p>/.exec(page)?.[1] ?? '');
      expect([id, amount.split(' ')[0]]).toEqual([id, offer.amountMinor === 0 ? 'Free' : formatMoney(offer)]);
      expect(page).toContain(`<code>${checkoutUrl}</code>`);
      expect(page).toContain(mode === 'edge' ? `href="/buy/${id}?go"` : `href="${checkoutUrl}"`);
      expect(page.includes(`<strong>${ENGLISH.offers.demoOffer}</strong>`)).toBe(demo);
      expect(page).toContain(`<code>${demo ? 'out_of_stock' : 'in_stock'}</code>`);
    }
  });

  it('are the same in the markup of their pages', async () => {
    for (const { id, amountMinor, currency, demo } of offers) {
      const data = structuredData(await read(`buy/${id}.html`)).map((json) => JSON.parse(json) as Record<string, unknown>);
      const url = TEST_BASE_URL + buyPath(id);
      const availability = `https://schema.org/${demo ? 'OutOfStock' : 'InStock'}`;
      const offer = { url, price: amountMinor / 100, priceCurrency: currency, availability };
      expect(data.find((item) => item['@type'] === 'Product')).toMatchObject({ url, sku: id, offers: offer });
    }
  });
});

const checker = commercePackage('@adobe/structured-data-validator/src/index.js') ?? '';
const extractor = commercePackage('@marbec/web-auto-extractor') ?? '';

describe.skipIf(checker === '' || extractor === '')('the markup of offers under a checker of Google’s rules', () => {
  it.each(offers.map(({ id }) => id))('%s has no error', async (id) => {
    const { default: Validator } = (await import(checker)) as {
      default: new () => { validate: (data: unknown) => Promise<{ severity: string; issueMessage: string }[]> };
    };
    const page = await readFile(join(PUBLICATION, 'dist/buy', `${id}.html`), 'utf8');
    const errors = async (html: string): Promise<string[]> =>
      (await new Validator().validate(await extract(html)))
        .filter(({ severity }) => severity === 'ERROR')
        .map((issue) => issue.issueMessage);
    expect(await errors(page)).toEqual([]);
    expect(await errors(page.replace('"image":', '"picture":')), 'a missing image is seen').not.toEqual([]);
  });
});

async function extract(html: string): Promise<unknown> {
  const { main } = JSON.parse(await readFile(join(extractor, 'package.json'), 'utf8')) as { main: string };
  const module = (await import(join(extractor, main))) as { default: unknown };
  const Extractor = (typeof module.default === 'function' ? module.default : (module.default as { default: unknown }).default) as new (
    options: object,
  ) => { parse: (text: string) => unknown };
  return new Extractor({ addLocation: true, embedSource: ['rdfa', 'microdata'] }).parse(html);
}
