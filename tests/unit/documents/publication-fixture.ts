import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { interfaceLanguage } from '../../../src/publication/read/strings-file.ts';
import { EMPTY_LEDGER } from '../../../src/publication/read/version-ledger.ts';
import { OfferFrontMatter } from '../../../src/schemas/commerce/offers.ts';
import { type Deployment, POLICY_PAGES } from '../../../src/schemas/deployment.ts';
import { CapsuleFrontMatter } from '../../../src/schemas/knowledge/written-capsule.ts';
import { PageFrontMatter, Publisher } from '../../../src/schemas/publisher.ts';
import type { Publication } from '../../../src/text/publication-model.ts';
import { makePublication } from '../../support/sample-content.ts';
import { realContent } from '../gateway/real-generation.ts';

type Mode = Deployment['mode'];

const publisher = Publisher.parse({
  name: 'Lantern',
  tagline: 'Small facts & where they come from',
  description:
    'Lantern keeps small facts about web protocols, with their sources. It exists to exercise every kind of document that a site publishes.',
  base_url: 'https://lantern.example',
  issuer: 'did:web:lantern.example',
  checkout_host: 'https://pay.lantern-facts.com',
  contact_email: 'desk@lantern.example',
  currency: 'USD',
  license: 'CC-BY-4.0',
  commerce: { acp: true, ucp: true },
  offers: {
    order: ['free-letter', 'deep-review'],
    recommended_first: 'deep-review',
    recommended_quick: 'free-letter',
    fast_paid_starts: ['deep-review'],
  },
  updated: '2026-11-20',
});

const SOURCES = [
  { key: 'rfc', title: 'RFC 9110 [HTTP] Semantics', url: 'https://www.rfc-editor.org/rfc/rfc9110', publisher: 'IETF', kind: 'standard' },
  {
    key: 'wiki',
    title: 'Cache (computing)',
    url: 'https://en.wikipedia.org/wiki/Cache_(computing)',
    publisher: 'Wikipedia',
    kind: 'article',
    retrieved: '2026-11-19',
  },
];

const frontMatter = (more: object): CapsuleFrontMatter =>
  CapsuleFrontMatter.parse({
    title: 'Caches keep answers <for> a while',
    summary: 'A cache may reuse an answer until it is stale, and the server says how long that takes & how it is checked again.',
    type: 'concept',
    tags: ['http', 'caching'],
    version: '1.0.0',
    evidence: 'specified',
    license: 'CC-BY-4.0',
    created: '2026-11-01',
    updated: '2026-11-01',
    sources: SOURCES,
    ...more,
  });

const MARKDOWN = [
  'Caches keep answers.[^rfc] See [about](/about), [outside](https://www.iana.org/) and `[not](/a-link)`.',
  '',
  '## Example',
  '',
  '```md',
  '[stays](/relative)',
  '```',
  '',
  'Read [the old one](/capsules/old-cache "title").[^wiki]',
  '',
  '[ref]: /pricing',
  '',
].join('\n');

const capsule = (
  id: string,
  more: object,
  frozen: AuthoredContent['capsules'][number]['frozen'] = [],
): AuthoredContent['capsules'][number] => ({
  id,
  bodyLine: 1,
  file: `content/capsules/${id}.md`,
  frontMatter: frontMatter(more),
  markdown: MARKDOWN,
  frozen,
});

const smallContent: AuthoredContent = {
  publisher,
  interfaceLanguage: interfaceLanguage('en'),
  keys: [],
  capsules: [
    capsule(
      'http-cache',
      {
        version: '2.0.0',
        updated: '2026-11-10',
        supersedes: [{ capsule: 'old-cache', reason: 'The standard was replaced by a newer one.' }],
      },
      [{ frontMatter: frontMatter({}), markdown: 'The first text.\n' }],
    ),
    capsule('old-cache', { type: 'protocol', title: 'An older text about caches' }),
    capsule('wrong-cache', {
      type: 'measurement',
      title: 'A measurement that was wrong',
      retracted: { date: '2026-11-12', reason: 'The measurement could not be repeated.' },
      updated: '2026-11-12',
    }),
  ],
  offers: [
    {
      id: 'deep-review',
      bodyLine: 1,
      file: 'content/offers/deep-review.md',
      markdown: 'Text.\n',
      frontMatter: OfferFrontMatter.parse({
        name: 'Deep review',
        summary: 'A review of everything, with every finding shown in the form of a request.',
        category: 'review',
        price_usd: 19.5,
        cadence: 'one_time',
        aliases: ['review'],
        checkout: '/demo/deep-review',
        demo: true,
        features: ['One thing that is done', 'Another thing that is done'],
        refund: 'Full refund within a month.',
        delivery: 'A report by e-mail in a week.',
        valid_until: '2027-12-31',
        updated: '2026-11-15',
      }),
    },
    {
      id: 'free-letter',
      bodyLine: 1,
      file: 'content/offers/free-letter.md',
      markdown: 'Text.\n',
      frontMatter: OfferFrontMatter.parse({
        name: 'Free letter',
        summary: 'A letter with the newest capsules, once in a week, without any charge.',
        category: 'letter',
        price_usd: 0,
        cadence: 'free',
        checkout: '/demo/free-letter',
        demo: true,
        features: ['One thing that is done', 'Another thing that is done'],
        refund: 'Nothing is paid.',
        delivery: 'By e-mail every Monday.',
        valid_until: '2027-12-31',
        updated: '2026-11-14',
      }),
    },
  ],
  pages: POLICY_PAGES.map((id) => ({
    id,
    bodyLine: 1,
    file: `content/pages/${id}.md`,
    markdown: 'Text.\n',
    frontMatter: PageFrontMatter.parse({ title: `Page ${id}`, description: `What stands at ${id}.`, updated: '2026-11-20' }),
  })),
  deliveries: new Map(),
  media: [],
  ledger: EMPTY_LEDGER,
  draftCount: 0,
};

/** Three capsules, one of each state and one with two versions, and two offers. */
export function smallPublication(mode: Mode): Promise<Publication> {
  return publicationOf(smallContent, mode);
}

export function smallPublicationWith(settings: Partial<Publisher>, mode: Mode, isSelling = true): Promise<Publication> {
  const lists = isSelling ? publisher.offers : { order: [] };
  const content = {
    ...smallContent,
    publisher: { ...publisher, offers: lists, ...settings },
    offers: isSelling ? smallContent.offers : [],
  };
  return publicationOf(content, mode);
}

/** What stands in `content/`; ask for it outside of tests, whose time is limited. */
export async function realPublication(mode: Mode): Promise<Publication> {
  return publicationOf(await realContent(), mode);
}

/** Publications of these tests by their content and settings: many tests of a file ask for the same one. */
const publications = new Map<string, Promise<Publication>>();

function publicationOf(content: AuthoredContent, mode: Mode): Promise<Publication> {
  const name = JSON.stringify([content.publisher, content.offers.length, mode]);
  const made = publications.get(name) ?? makePublication(content, { mode, rateLimits: undefined }).then(({ publication }) => publication);
  publications.set(name, made);
  return made;
}
