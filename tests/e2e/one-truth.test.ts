import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeOffers, withTestCheckouts } from '../../src/publication/publish/make-offers.ts';
import { hasPrice } from '../../src/schemas/commerce/currency-and-availability.ts';
import { buyPath, PATHS } from '../../src/schemas/paths.ts';
import { formatMoney } from '../../src/text/prices.ts';
import { ENGLISH } from '../../src/text/strings/interface-strings.ts';
import { commercePackage } from '../support/commerce-kit.ts';
import { useSharedGateway } from '../support/edge-gateway.ts';
import { structuredData, withoutTags } from '../support/page-text.ts';
import { PUBLICATION, TEST_BASE_URL } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';
import { UCP_AGENT } from '../support/ucp.ts';

interface Fact {
  readonly id: string;
  readonly minor: number;
  readonly currency: string;
  readonly url: string;
  /** Whether it can be bought: a demonstration cannot. */
  readonly available: boolean;
}

const content = await readSample({ baseUrl: TEST_BASE_URL });
const offers = withTestCheckouts(makeOffers(content.offers, content.publisher, content.deliveries), content.publisher).filter(hasPrice);

const TRUTH: readonly Fact[] = offers.map(({ id, amountMinor, currency, demo }) => ({
  id,
  minor: amountMinor,
  currency,
  url: TEST_BASE_URL + buyPath(id),
  available: !demo,
}));
const PRICE_TEXTS = offers.map((offer) => [offer.id, offer.amountMinor === 0 ? 'free' : formatMoney(offer)]);

/** Whether something can be bought, where that is said in two members that must agree. */
const isAvailable = ({ available, status }: { available: boolean; status: string }): boolean => {
  expect(status).toBe(available ? 'in_stock' : 'out_of_stock');
  return available;
};

const byTruth = <T extends { readonly id: string }>(facts: readonly T[]): T[] =>
  TRUTH.flatMap(({ id }) => facts.filter((fact) => fact.id === id)).concat(facts.filter(({ id }) => !TRUTH.some((one) => one.id === id)));

interface PublishedOffer {
  readonly id: string;
  readonly price_usd: number;
  readonly price: number;
  readonly currency?: string;
  readonly canonical_path: string;
  readonly checkout_url: string;
  readonly availability: { readonly available: boolean; readonly status: string };
  readonly demo?: true;
}

/** An offer as a product, in the feed of the Agentic Commerce Protocol and in the catalog of UCP. */
interface Product {
  readonly id: string;
  readonly url: string;
  readonly description: { readonly plain: string };
  readonly variants: readonly {
    readonly id: string;
    readonly price: { readonly amount: number; readonly currency: string };
    readonly availability: { readonly available: boolean; readonly status: string };
  }[];
}

/** Facts of offers as the catalog has them, and the hosted links beside them. */
function factsOf(listed: readonly PublishedOffer[], currency: string): Fact[] {
  expect(listed.map(({ price, price_usd }) => price - price_usd)).toEqual(listed.map(() => 0));
  expect(byTruth(listed).map(({ checkout_url }) => checkout_url)).toEqual(offers.map(({ checkoutUrl }) => checkoutUrl));
  expect(listed.map(({ demo = false }) => demo)).toEqual(listed.map(({ availability }) => !availability.available));
  return listed.map((offer) => ({
    id: offer.id,
    minor: Math.round(offer.price_usd * 100),
    currency: offer.currency ?? currency,
    url: offer.canonical_path,
    available: isAvailable(offer.availability),
  }));
}

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
  const json = async <T>(path: string): Promise<T> => JSON.parse(await read(path)) as T;

  it('are the same in the catalog under its three addresses', async () => {
    const catalog = await json<{ currency: string; offers: PublishedOffer[] }>(PATHS.offersJson);
    expect(byTruth(factsOf(catalog.offers, catalog.currency))).toEqual(TRUTH);
    for (const path of [PATHS.buyJson, PATHS.pricingJson]) expect(await read(path)).toBe(await read(PATHS.offersJson));
  });

  it('are the same on the price list, on the page of prices and on their own pages', async () => {
    for (const path of ['buy.html', 'pricing.html']) {
      const found = listedPrices(await read(path));
      expect(new Set(found.map(([id]) => id))).toEqual(new Set(TRUTH.map(({ id }) => id)));
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
    const facts = await Promise.all(
      offers.map(async ({ id }): Promise<Fact> => {
        const data = structuredData(await read(`buy/${id}.html`)).map((json) => JSON.parse(json) as Record<string, unknown>);
        const product = data.find((item) => item['@type'] === 'Product');
        const offer = product?.['offers'] as Record<string, unknown>;
        expect([product?.['url'], product?.['sku']]).toEqual([offer['url'], id]);
        return {
          id,
          minor: Math.round(Number(offer['price']) * 100),
          currency: String(offer['priceCurrency']),
          url: String(offer['url']),
          available: { 'https://schema.org/InStock': true, 'https://schema.org/OutOfStock': false }[String(offer['availability'])] ?? true,
        };
      }),
    );
    expect(facts).toEqual(TRUTH);
  });

  it('are the same in the index for agents', async () => {
    const lines = [
      ...(await read(PATHS.llmsTxt)).matchAll(/^- \[[^\]]*\]\((\S+\/buy\/([a-z0-9-]+))\.md\): Price: (\$[\d,.]*\d|free)(.*)$/gim),
    ];
    expect(lines.map(([, url, id, price, rest]) => [id, url, price?.toLowerCase(), !rest?.includes('no money is taken')])).toEqual(
      TRUTH.map(({ id, url, available }) => [id, url, PRICE_TEXTS.find(([one]) => one === id)?.[1], available]),
    );
  });

  it('are the same in the feed of the Agentic Commerce Protocol, where there is one', async () => {
    const text = await read(PATHS.acpFeedProducts).catch(() => '');
    const products = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Product);
    const facts = products.map(({ url, variants }) => ({
      id: variants[0]?.id ?? '',
      minor: variants[0]?.price.amount ?? -1,
      currency: variants[0]?.price.currency ?? '',
      url,
      available: variants.every(({ availability }) => isAvailable(availability)),
    }));
    expect(facts).toEqual(text === '' ? [] : TRUTH);
    const isStated = ({ description: { plain } }: Product): boolean => plain.includes(ENGLISH.offers.demoOffer);
    expect(products.map(isStated)).toEqual(facts.map(({ available }) => !available));
    if (mode === 'edge' && content.publisher.commerce.acp) expect(facts).not.toEqual([]);
  });
});

describe('offers of the running service', () => {
  const gateway = useSharedGateway({ files: 'built' });

  it('are the same in the list of offers, and in the file that stands for it without functions', async () => {
    const live = (await (await gateway.fetch(`${PATHS.acp}/discover`)).json()) as { offers: PublishedOffer[] };
    const file = JSON.parse(await readFile(join(PUBLICATION, 'dist-static', PATHS.data, 'acp-discover.json'), 'utf8')) as typeof live;
    for (const { offers: listed } of [live, file]) expect(byTruth(factsOf(listed, 'USD'))).toEqual(TRUTH);
  });

  it('are the same in the catalog of UCP', async () => {
    const facts: Fact[] = [];
    for (const { id } of TRUTH) {
      const response = await gateway.post(`${PATHS.ucp}/catalog/lookup`, { ids: [id] }, UCP_AGENT);
      const { products } = (await response.json()) as { products: Product[] };
      for (const product of products) {
        const { amount, currency } = product.variants[0]?.price ?? { amount: -1, currency: '' };
        const available = product.variants.every(({ availability }) => isAvailable(availability));
        facts.push({ id: product.id, minor: amount, currency, url: product.url, available });
      }
    }
    expect(facts).toEqual(TRUTH);
  });

  it('are the same on the page of a cart', async () => {
    for (const offer of offers) {
      const page = await (await gateway.fetch(`${PATHS.checkout}?items=${offer.id}:1`)).text();
      expect(withoutTags(page.slice(page.indexOf('<tfoot>'), page.indexOf('</tfoot>')))).toBe(
        `Total ${offer.amountMinor === 0 ? 'Free' : formatMoney(offer)}`,
      );
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
