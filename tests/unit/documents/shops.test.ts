import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { catalog, offersSchema } from '../../../src/documents/capabilities-and-catalog.ts';
import { llmsTxt } from '../../../src/documents/llms-txt.ts';
import { documentFiles, taggedDocuments } from '../../../src/documents/make-documents.ts';
import { openApiDocument } from '../../../src/documents/openapi/openapi.ts';
import { sitemapMarkdown, sitemapXml } from '../../../src/documents/sitemap.ts';
import { acpDiscover, acpFeedProducts, acpWellKnown } from '../../../src/protocols/acp/acp.ts';
import { x402Descriptor } from '../../../src/protocols/x402/x402.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { officialAcp } from '../../support/official-schemas.ts';
import { makePublication } from '../../support/sample-content.ts';
import { type Files, offer, publisher, TODAY, writeWorld } from '../publication/content-world.ts';

const QUOTED = { price_usd: undefined, cadence: undefined, checkout: undefined, demo: undefined, price: 'on request' };
const COMMERCE = { commerce: '{ acp: true, ucp: true }', offers: undefined };

const SHOPS: Readonly<Record<string, Files>> = {
  'without capsules and offers': {
    'publisher.yaml': publisher({ ...COMMERCE, checkout_host: undefined }),
    'capsules/a-capsule.md': undefined,
    'offers/an-offer.md': undefined,
  },
  'without offers': { 'publisher.yaml': publisher({ ...COMMERCE, checkout_host: undefined }), 'offers/an-offer.md': undefined },
  'with an offer on request alone': {
    'publisher.yaml': publisher({ ...COMMERCE, checkout_host: undefined }),
    'offers/an-offer.md': offer(QUOTED),
  },
  'with prices in two currencies, and an offer on request': {
    'publisher.yaml': publisher({ ...COMMERCE, display_currency: 'EUR' }),
    'offers/an-offer.md': offer({ prices: '{ EUR: 95.50 }', checkout: '{ USD: /demo/usd, EUR: /demo/eur }' }),
    'offers/b-offer.md': offer({ ...QUOTED, name: 'A fleet' }),
  },
};

type Mode = Deployment['mode'];
const publications = new Map<string, Promise<Publication>>();

function made(name: string, mode: Mode): Promise<Publication> {
  const publication = publications.get(name + mode) ?? make(SHOPS[name], mode);
  publications.set(name + mode, publication);
  return publication;
}

async function make(files: Files | undefined, mode: Mode): Promise<Publication> {
  const { content, problems } = await readContent(await writeWorld(files), { today: TODAY });
  if (content === undefined) throw new Error(JSON.stringify(problems));
  return (await makePublication(content, { mode })).publication;
}

const official = officialAcp();

describe.each(Object.keys(SHOPS).flatMap((name) => (['edge', 'static'] as const).map((mode) => ({ name, mode }))))(
  'a publication $name, $mode',
  ({ name, mode }) => {
    it('has all documents, and a catalog that its own schema allows', async () => {
      const publication = await made(name, mode);
      expect(documentFiles(publication).map(({ path }) => path)).toContain('/offers.json');
      if (mode === 'edge') expect(Object.keys(await taggedDocuments(publication))).toContain('acp');
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      addFormats(ajv);
      const isValid = ajv.compile(offersSchema(publication));
      expect(isValid(JSON.parse(JSON.stringify(catalog(publication)))), JSON.stringify(isValid.errors)).toBe(true);
    });

    it('declares to protocols what it sells', async () => {
      const publication = await made(name, mode);
      const { offers, commerce } = publication.deployment;
      const currencies = offers.length === 0 ? [] : offers.some(({ currencyOptions }) => currencyOptions) ? ['usd', 'eur'] : ['usd'];
      expect(acpWellKnown(publication).capabilities).toMatchObject({
        services: offers.length > 0 && mode === 'edge' ? ['checkout'] : [],
        supported_currencies: currencies,
      });
      expect(official('DiscoveryResponse', acpWellKnown(publication))).toEqual([]);
      expect([commerce.acp, commerce.ucp]).toEqual(Array(2).fill(offers.length > 0 && mode === 'edge'));
      expect(acpDiscover(publication, {}).offers).toHaveLength(offers.length);
      const lines = acpFeedProducts(publication).split('\n').slice(0, -1);
      expect(lines.flatMap((line) => official('Product', JSON.parse(line), 'feed'))).toEqual([]);
      expect(lines).toHaveLength(offers.length);
    });
  },
);

describe('where nothing is for sale', () => {
  const SHOP = /\/(buy|pricing|checkout|invoice|offers|orders|feeds\/acp)\b/;

  it.each(['without capsules and offers', 'without offers'])('a publication %s leads nowhere into a shop', async (name) => {
    for (const mode of ['edge', 'static'] as const) {
      const publication = await made(name, mode);
      for (const { body } of [llmsTxt(publication), sitemapXml(publication), sitemapMarkdown(publication)])
        expect(body.split('\n').filter((line) => SHOP.test(line.replace(/docs\/api\/\w+/, '')))).toEqual([]);
      const described = Object.keys(openApiDocument(publication).paths);
      expect(described.filter((path) => SHOP.test(path) || /acp|invoice-requests|webhook/.test(path))).toEqual([]);
      expect(x402Descriptor(publication).description).not.toContain('offers');
    }
  });

  it('has a catalog with an empty list and recommends nothing', async () => {
    const document = catalog(await made('without offers', 'edge'));
    expect(document).toMatchObject({ offers: [], checkout_routes: {}, description: 'Offers of Tests. Nothing is for sale.' });
    expect(Object.keys(document).filter((name) => /recommended|fast|links/.test(name))).toEqual([]);
  });

  it('says that there are no capsules, without an invented day', async () => {
    const publication = await made('without capsules and offers', 'edge');
    expect(llmsTxt(publication).body).toContain(
      'No capsule is published yet, licence CC-BY-4.0 (search=yes, ai-input=yes, ai-train=no; https://tests.example/license.xml).',
    );
    expect(documentFiles(publication).filter(({ path, body }) => /^\/(llms|feed|sitemap)/.test(path) && body.includes('1970'))).toEqual([]);
  });
});

describe('an offer on request', () => {
  it('stands among the links of the catalog, with its page and the form', async () => {
    const document = catalog(await made('with an offer on request alone', 'edge'));
    expect(document.offers).toEqual([]);
    expect(document.links).toMatchObject({
      label: 'Request a quote',
      href: 'https://tests.example/invoice',
      on_request: [
        {
          id: 'an-offer',
          label: 'An offer',
          page: 'https://tests.example/buy/an-offer',
          href: 'https://tests.example/invoice?items=an-offer:1',
          contact_url: 'https://tests.example/contact',
        },
      ],
    });
  });

  it('is in the index and the sitemap without a price', async () => {
    const publication = await made('with an offer on request alone', 'edge');
    expect(llmsTxt(publication).body).toContain('- [An offer](https://tests.example/buy/an-offer.md): Price: quoted on request.');
    expect(sitemapXml(publication).body).toContain('https://tests.example/buy/an-offer');
    expect(Object.keys(openApiDocument(publication).paths)).toContain('/invoice');
  });
});

it('lists every price of an offer, with the checkout that charges it', async () => {
  const publication = await made('with prices in two currencies, and an offer on request', 'edge');
  expect(catalog(publication).offers).toMatchObject([
    {
      id: 'an-offer',
      price_usd: 100,
      price: 100,
      currency: 'USD',
      checkout_url: 'https://tests.example/test-checkout/an-offer',
      prices: { EUR: { price: 95.5, checkout_url: 'https://tests.example/test-checkout/an-offer/eur' } },
    },
  ]);
  expect(llmsTxt(publication).body).toContain('): Price: $100, €95.50 once.');
});
