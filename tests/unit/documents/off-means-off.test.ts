import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { documentFiles, functionDocuments } from '../../../src/documents/make-documents.ts';
import { sitePages } from '../../../src/documents/page-registry.ts';
import { ERRORS } from '../../../src/gateway/errors.ts';
import { interfaceLanguage } from '../../../src/publication/read/strings-file.ts';
import { Capabilities } from '../../../src/schemas/capabilities.ts';
import { POLICY_PAGES } from '../../../src/schemas/deployment.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import { inlineSchema } from '../../../src/schemas/json-schema.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';
import { smallPublicationWith } from './publication-fixture.ts';

type Settings = Parameters<typeof smallPublicationWith>[0];
const NO_PROTOCOLS = { acp: false, ucp: false, processor: 'links' as const, webhook_hosts: [] };
const PROTOCOL_WORDS =
  /Agentic Commerce|Universal Commerce|\bACP\b|\bUCP\b|\bacp\b(?!\/discover|_discover|-discover)|\bucp\b|commerce protocol|checkout_changes|free_orders/;
const INTAKE_WORDS = /submit|propos|\bintake\b/i;
const PAYMENT_WORDS =
  /x402|\bmpp\b|"public","paid"|access is paid|paid (text|capsule|_url)|payer|payment_(claims|settling)|"pay"|facilitator|stablecoin|USDC/i;
const SHOP_WORDS =
  /\boffers?\b|\bshop|invoice|checkout|\bcart\b|\bbuy\b|\bbought\b|\bpric(e|es|ing)\b|(?<!\bap?i[-_ ])catalog|commerce|\bsold\b|\border(s(?! the results)|_)/i;

/** Documents that every site has at their addresses, also for what is off: they say that there is nothing. */
const REQUIRED: readonly string[] = [
  ...[PATHS.offersJson, PATHS.buyJson, PATHS.pricingJson, PATHS.offersSchema, PATHS.acpWellKnown, PATHS.x402WellKnown],
  ...['/data/intake.json', '/data/acp-discover.json', PATHS.verifier],
];
const REQUIRED_NAMES: readonly string[] = ['intake', 'acp', 'acp_discover', 'x402'];

function describedTexts(publication: Publication): [place: string, text: string][] {
  const { deployment, publisher, offers } = publication;
  const content = { publisher, interfaceLanguage: interfaceLanguage('en'), capsules: [], pages: [] } as unknown as Parameters<
    typeof sitePages
  >[0];
  const pages = sitePages(content, offers, deployment);
  const described = { ...publication, pages };
  const problems = pages.flatMap(({ path }) => (path.startsWith(`${PATHS.problems}/`) ? [path.slice(PATHS.problems.length + 1)] : []));
  return [
    ...documentFiles(described).flatMap(({ path, body }): [string, string][] =>
      REQUIRED.includes(path) || path.startsWith('/schemas/') ? [] : [[path, `${body}`]],
    ),
    ...Object.entries(functionDocuments(described)).flatMap(([name, { body }]): [string, string][] =>
      REQUIRED_NAMES.includes(name) ? [] : [[name, body]],
    ),
    ...problems.map((code): [string, string] => [code, JSON.stringify(ERRORS[code as keyof typeof ERRORS])]),
  ];
}

/** The texts of the publication link to the price list, whatever is for sale. */
const withoutLinks = (text: string): string => text.replace(/\[ref\]: \S*?\/pricing/g, '');

const CASES: readonly (readonly [name: string, settings: Settings, isSelling: boolean, words: readonly RegExp[]])[] = [
  ['proposals', { intake: 'closed' }, true, [INTAKE_WORDS]],
  ['commerce protocols', { commerce: NO_PROTOCOLS }, true, [PROTOCOL_WORDS]],
  ['payments for capsules', { payments: undefined }, true, [PAYMENT_WORDS]],
  ['a shop', {}, false, [SHOP_WORDS, PROTOCOL_WORDS]],
  ['anything to switch on', { intake: 'closed', commerce: NO_PROTOCOLS }, false, [INTAKE_WORDS, PROTOCOL_WORDS, PAYMENT_WORDS, SHOP_WORDS]],
];

describe.each(CASES)('a site without %s', (_name, settings, isSelling, words) => {
  // Files alone have no protocols, and their words are few: they are looked at where all or half is off.
  const modes = isSelling ? (['edge'] as const) : (['edge', 'static'] as const);
  test.each(modes)('mentions it in no document (%s)', async (mode) => {
    const texts = describedTexts(await smallPublicationWith(settings, mode, isSelling));
    const found = texts.flatMap(([place, text]) =>
      words.flatMap((word) =>
        [...withoutLinks(text).matchAll(new RegExp(word, `${word.flags}g`))].map(
          ({ index, input }) => `${place}: ${input.slice(Math.max(0, index - 60), index + 60)}`,
        ),
      ),
    );
    expect(found).toEqual([]);
  });
});

test.each([
  [{}, true],
  [{}, false],
  [{ payments: TEST_PAYMENTS }, false],
  [{ payments: TEST_PAYMENTS, intake: 'closed', commerce: NO_PROTOCOLS }, true],
] as [Settings, boolean][])('the capabilities are valid by the schema of what is on', async (settings, isSelling) => {
  const publication = await smallPublicationWith(settings, 'edge', isSelling);
  const { publisher, offers } = publication;
  const schema = inlineSchema(Capabilities, 'response', featuresOf(publisher, offers));
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  validate(JSON.parse(functionDocuments(publication).capabilities.body));
  expect(validate.errors).toBeNull();
});

test('what is on is described', async () => {
  const texts = describedTexts(await smallPublicationWith({}, 'edge'));
  const all = texts.map(([, text]) => text).join('\n');
  for (const word of [INTAKE_WORDS, PROTOCOL_WORDS, SHOP_WORDS]) expect(all).toMatch(word);
});

const withoutOwnLinks = (text: string): string => text.replaceAll(/\[about\]\(\S*\/about\)|\[\w+\]: \S*\/about/g, '');

test('documents link to pages of the publisher only where they exist', async () => {
  const whole = await smallPublicationWith({}, 'edge');
  const missingPages = [...POLICY_PAGES];
  const isWritten = ({ path }: { readonly path: string }): boolean => missingPages.every((page) => path !== PATHS[page]);
  const without = { ...whole, deployment: { ...whole.deployment, missingPages }, pages: whole.pages.filter(isWritten) };
  const links = new RegExp(`${whole.deployment.baseUrl}/(?:${missingPages.join('|')})\\b`);
  const linksIn = (publication: Publication): string[] =>
    [...documentFiles(publication), ...Object.entries(functionDocuments(publication)).map(([path, { body }]) => ({ path, body }))].flatMap(
      ({ path, body }) => (links.test(withoutOwnLinks(`${body}`)) ? [path] : []),
    );
  expect(linksIn(whole)).toEqual(expect.arrayContaining([PATHS.offersJson, PATHS.feed, 'openApi', 'intake', 'acp_discover']));
  expect(linksIn(without)).toEqual([]);
});
