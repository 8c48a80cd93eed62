import { agentSkills, makePublication } from '../../../src/build/assemble/make-publication.ts';
import { deployedOffers } from '../../../src/build/deployment.ts';
import { buildGeneration } from '../../../src/build/generation/build-generation.ts';
import { describeManifest, makeBundle } from '../../../src/build/generation/corpus-bundle.ts';
import { browseItem } from '../../../src/gateway/knowledge/browse-capsules.ts';
import { capsuleAddresses, capsuleResponse, summaryOf } from '../../../src/gateway/knowledge/capsule-response.ts';
import { wholeLog } from '../../../src/gateway/knowledge/read-changes.ts';
import { provLineage } from '../../../src/gateway/knowledge/read-lineage.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { makeOffers } from '../../../src/publication/publish/make-offers.ts';
import { freePart, publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { interfaceLanguage } from '../../../src/publication/read/strings-file.ts';
import { EMPTY_LEDGER } from '../../../src/publication/read/version-ledger.ts';
import { agentExamples, orderExamples, proposalExamples } from '../../../src/routes/route-examples.ts';
import { OfferFrontMatter } from '../../../src/schemas/commerce/offers.ts';
import type { Deployment } from '../../../src/schemas/deployment.ts';
import { CapsuleFrontMatter } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import type {
  BrowseResponse,
  CorpusStats,
  FetchResponse,
  RelatedResponse,
  StatusResponse,
} from '../../../src/schemas/knowledge/corpus-responses.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { TOKEN_ESTIMATOR } from '../../../src/schemas/knowledge/token-estimates.ts';
import { PATHS, relatedApiPath } from '../../../src/schemas/paths.ts';
import { Publisher } from '../../../src/schemas/publisher.ts';
import { usageOf } from '../../../src/schemas/usage.ts';
import type {
  DocumentPage,
  FreeCapsule,
  Mirror,
  OperationExample,
  Publication,
  PublishedCapsule,
} from '../../../src/text/publication-model.ts';
import { logOf } from '../../support/generations.ts';
import { realContent } from '../gateway/real-generation.ts';

type Mode = Deployment['mode'];

const publisher = Publisher.parse({
  name: 'Lantern',
  tagline: 'Small facts & where they come from',
  description:
    'Lantern keeps small facts about web protocols, with their sources. It exists to exercise every kind of document that a site publishes.',
  base_url: 'https://lantern.example',
  issuer: 'did:web:lantern.example',
  checkout_host: 'https://pay.example',
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
  pages: [],
  deliveries: new Map(),
  media: [],
  ledger: EMPTY_LEDGER,
  draftCount: 0,
};

/** Three capsules, one of each state and one with two versions, and two offers. */
export function smallPublication(mode: Mode, rateLimits: Deployment['rateLimits'] = 'default'): Promise<Publication> {
  return publicationOf(smallContent, mode, rateLimits);
}

const made = new Map<Mode, Promise<Publication>>();

export function smallPublicationWith(settings: Partial<Publisher>, mode: Mode, isSelling = true): Promise<Publication> {
  const lists = isSelling ? publisher.offers : { order: [] };
  const content = {
    ...smallContent,
    publisher: { ...publisher, offers: lists, ...settings },
    offers: isSelling ? smallContent.offers : [],
  };
  return publicationOf(content, mode, 'default');
}

/** What stands in `content/`, made once for each mode; ask for it outside of tests, whose time is limited. */
export function realPublication(mode: Mode): Promise<Publication> {
  const publication = made.get(mode) ?? makeRealPublication(mode);
  made.set(mode, publication);
  return publication;
}

async function makeRealPublication(mode: Mode): Promise<Publication> {
  return (await makePublication(await realContent(), { mode, rateLimits: undefined })).publication;
}

async function publicationOf(content: AuthoredContent, mode: Mode, rateLimits: Deployment['rateLimits']): Promise<Publication> {
  const published = await publishCapsules(content);
  const offers = makeOffers(content.offers, content.publisher);
  const capsules = published.map((one) => ({ ...freePart(one), related: [], lineageText: JSON.stringify(one.lineage) }));
  const mirror = await mirrorOf(published, content.publisher);
  const count = (status: string): number => capsules.filter(({ metadata }) => metadata.status === status).length;
  const stats: CorpusStats = {
    corpus_version: 'c'.repeat(64),
    corpus_digest: 'd'.repeat(64),
    updated: `${capsules
      .map(({ metadata }) => metadata.updated)
      .sort()
      .at(-1)}T00:00:00Z`,
    capsules: capsules.length,
    current: count('current'),
    superseded: count('superseded'),
    retracted: count('retracted'),
    versions: capsules.reduce((sum, { versions }) => sum + versions.length, 0),
    generations: ['c'.repeat(64)],
  };
  const baseUrl = content.publisher.base_url;
  const catalogUpdatedAt = `${[content.publisher.updated, ...offers.map(({ updated }) => updated)].sort().at(-1)}T00:00:00Z`;
  const deployment: Deployment = {
    mode,
    baseUrl,
    checkoutHost: content.publisher.checkout_host,
    name: content.publisher.name,
    description: content.publisher.description,
    contactEmail: content.publisher.contact_email,
    issuer: content.publisher.issuer,
    sample: content.publisher.sample,
    keyPrefix: 'akg_live_',
    rateLimits,
    storage: 'kv',
    capsulePages: 'files',
    intake: mode === 'edge' ? content.publisher.intake : 'closed',
    usage: usageOf(content.publisher),
    catalogUpdatedAt,
    ...deployedOffers(offers, mode),
    commerce: {
      acp: mode === 'edge' && offers.length > 0 && content.publisher.commerce.acp,
      ucp: mode === 'edge' && offers.length > 0 && content.publisher.commerce.ucp,
      processor: 'links',
      webhookHosts: [],
    },
  };
  return {
    tombstones: [],
    skills: agentSkills({ deployment, publisher: content.publisher, offers, capsules }),
    interfaceLanguage: content.interfaceLanguage,
    deployment,
    publisher: content.publisher,
    offers,
    discontinuedOffers: [],
    capsules,
    pages: pagesOf(content),
    stats,
    publisherPages: content.pages,
    keys: content.keys,
    mirror,
    examples: new Map([
      ...liveExamples(capsules[0] as FreeCapsule, mirror, stats, baseUrl),
      ...Object.entries({
        ...(await agentExamples(deployment)),
        ...(await orderExamples(deployment)),
        ...(await proposalExamples(summaryOf((capsules[0] as FreeCapsule).metadata), baseUrl)),
      }),
    ]),
  };
}

async function mirrorOf(capsules: readonly PublishedCapsule[], of: Publisher): Promise<Mirror> {
  const generation = await buildGeneration(capsules, []);
  const { parts, described } = await makeBundle(capsules);
  const log = logOf(generation);
  const statement = describeManifest(of, generation.manifest, capsules, described, log);
  return { parts, manifest: { statement, signatures: [] }, changes: log };
}

function pagesOf({ publisher: { updated } }: AuthoredContent): DocumentPage[] {
  const fixed = [
    PATHS.home,
    PATHS.capsules,
    PATHS.buy,
    PATHS.pricing,
    PATHS.checkout,
    PATHS.invoice,
    PATHS.buyInvoice,
    PATHS.docs,
    PATHS.api,
    PATHS.problems,
    PATHS.contact,
    PATHS.about,
    PATHS.terms,
    PATHS.refunds,
    PATHS.privacy,
  ];
  return fixed.map((path) => ({ path, title: `Page ${path}`, description: `What stands at ${path}.`, updated }));
}

function liveExamples(capsule: FreeCapsule, mirror: Mirror, stats: CorpusStats, baseUrl: string): Map<string, OperationExample> {
  const { metadata, markdown = '' } = capsule;
  const summary = summaryOf(metadata);
  const parameters = { capsule_id: summary.capsule_id };
  const lineage = Lineage.parse(JSON.parse(capsule.lineageText ?? ''));
  const prov = JSON.parse(provLineage(lineage, baseUrl)) as unknown;
  const page = { total: 1, total_is_exact: true, has_more: false, next_cursor: null };
  const answer: QueryResponse = {
    corpus_version: stats.corpus_version,
    match: { level: 'strong', share: 1, covered: ['cache'], missing: [] },
    results: [
      {
        kind: 'capsule',
        ...summary,
        ...capsuleAddresses(summary, baseUrl),
        related_url: baseUrl + relatedApiPath(summary.capsule_id),
        score: 125,
        match: { level: 'strong', share: 1 },
        quote: { start: 0, end: 40, text: markdown.slice(0, 40) },
        highlights: [{ start: 0, end: 6 }],
      },
    ],
    page,
    meta: {
      applied: {
        max_results: 3,
        token_budget: 100_000,
        quote_length: 480,
        passages: 0,
        sort: 'relevance',
        min_match: 'weak',
        filters: { tags: [...summary.tags].slice(0, 1) },
      },
      clamped: [],
      interpretation: { corrected: [], unknown: [], ignored: ['the'], skipped: [] },
      tokens_used: 420,
      token_estimator: TOKEN_ESTIMATOR,
      offset_unit: 'utf-16',
      content_role: 'data',
    },
  };
  const checks = [{ name: 'query' as const, ok: true, detail: 'found' }];
  const status: StatusResponse = {
    status: 'ok',
    deployment: 'live',
    corpus: stats,
    checks,
    budgets: [{ name: 'registrations', level: 'open' }],
  };
  const browse: BrowseResponse = { corpus_version: stats.corpus_version, items: [browseItem(summary, baseUrl)], limit: 20, page };
  return new Map<string, OperationExample>([
    ['searchKnowledge', { parameters: { q: summary.title, max_results: '3' }, response: answer }],
    [
      'queryKnowledge',
      { request: { query: summary.title, max_results: 3, filters: { tags: [...summary.tags].slice(0, 1) } }, response: answer },
    ],
    ['getCapsule', { parameters, response: capsuleResponse({ metadata, markdown }, baseUrl) }],
    ['getCapsuleLineage', { parameters, response: lineage, otherForms: { 'application/ld+json': prov } }],
    ['getHealth', { response: 'ok' }],
    ['getStatus', { response: status }],
    ['browseCapsules', { parameters: { tag: summary.tags[0] ?? '', limit: '20' }, response: browse }],
    [
      'verifyQuote',
      {
        parameters: { ...parameters, text: 'a' },
        response: {
          capsule_id: summary.capsule_id,
          version: summary.version,
          title: summary.title,
          status: summary.status,
          verdict: 'not_found',
          ranges: [],
          url: `${baseUrl}/capsules/${summary.capsule_id}`,
          lineage_url: `${baseUrl}/capsules/${summary.capsule_id}/lineage.json`,
          content_sha256: summary.content_sha256,
          corpus_version: stats.corpus_version,
        },
      },
    ],
    [
      'getRelatedCapsules',
      {
        parameters,
        response: {
          corpus_version: stats.corpus_version,
          capsule_id: summary.capsule_id,
          items: [
            {
              ...summary,
              ...capsuleAddresses(summary, baseUrl),
              related_url: baseUrl + relatedApiPath(summary.capsule_id),
              similarity: 0.5,
            },
          ],
        } satisfies RelatedResponse,
      },
    ],
    ['listChanges', { response: wholeLog(mirror.changes, stats.corpus_version, { manifest: mirror.manifest, baseUrl }) }],
    [
      'fetchCapsules',
      {
        request: { ids: [metadata.capsule_id], token_budget: 4_000 },
        response: {
          corpus_version: stats.corpus_version,
          items: [
            { capsule_id: metadata.capsule_id, outcome: 'ok', capsule: capsuleResponse({ metadata, markdown }, baseUrl), tokens: 500 },
          ],
          meta: { tokens_used: 500, token_budget: 4_000, token_estimator: TOKEN_ESTIMATOR, clamped: [], content_role: 'data' },
        } satisfies FetchResponse,
      },
    ],
    ['buyOffer', { parameters: { offer: 'deep-review' }, response: undefined }],
  ]);
}
