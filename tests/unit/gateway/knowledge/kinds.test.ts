import { describe, expect, test } from 'vitest';
import { openCorpus, type PublicationData } from '../../../../src/build/make-publication.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledgeText } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { priorsFor, withBaseUrl } from '../../../../src/gateway/knowledge/render-site-result.ts';
import { expectValue } from '../../../../src/gateway/result.ts';
import type { AuthoredContent } from '../../../../src/publication/authored-content.ts';
import { interfaceLanguage } from '../../../../src/publication/read/strings-file.ts';
import { hasPrice } from '../../../../src/schemas/commerce/currency-and-availability.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import type { ResultKind } from '../../../../src/schemas/knowledge/result-kinds.ts';
import { SearchResponse } from '../../../../src/schemas/knowledge/search.ts';
import { HOME_PAGE_ID, pageOfSiteText } from '../../../../src/schemas/paths.ts';
import { termSentences } from '../../../../src/text/prices.ts';
import { TEST_BASE_URL } from '../../../support/paths.ts';
import { makeGeneration, readSample } from '../../../support/sample-content.ts';

const content = await readSample({ today: '2026-12-31', baseUrl: TEST_BASE_URL });

interface Service {
  readonly made: PublicationData;
  readonly corpus: Corpus;
}

async function serviceOf(changed: Partial<AuthoredContent>, mode: 'edge' | 'static' = 'edge'): Promise<Service> {
  const made = await makeGeneration({ ...content, ...changed }, { mode });
  return { made, corpus: await openCorpus(made.generation) };
}

async function textOf({ made, corpus }: Service, request: object): Promise<string> {
  return expectValue(await queryKnowledgeText(QueryRequest.parse(request), corpus, made.deployment));
}

const ask = async (service: Service, request: object): Promise<SearchResponse> =>
  SearchResponse.parse(JSON.parse(await textOf(service, request)));
const ALL: readonly ResultKind[] = ['capsule', 'guide', 'operation', 'offer', 'error'];
const namesOf = ({ results }: SearchResponse): string[] =>
  results.map((result) => `${result.kind} ${result.kind === 'capsule' ? result.capsule_id : result.id}`);

const sample = await serviceOf({});
const QUESTIONS = ['what does a readiness review cost', 'how are keys checked', 'rate_limited', 'refund policy', 'review', 'x402 payment'];

test('the address of a text leads to its page, also for the text of the home page', async () => {
  const [page] = content.pages;
  if (page === undefined) throw new Error('the sample publication has no pages');
  const home = await serviceOf({
    capsules: [],
    pages: [...content.pages, { ...page, id: HOME_PAGE_ID, markdown: 'Zanzibar welcomes you.' }],
  });
  const { results } = await ask(home, { query: 'zanzibar', kind: ['guide'], max_results: 1 });
  expect(results[0]).toMatchObject({ id: HOME_PAGE_ID });
  const questions = ['how are keys checked', 'review price', 'rate_limited'];
  const found = await Promise.all(questions.map((query) => ask(home, { query, kind: ['guide', 'offer', 'error'], max_results: 20 })));
  for (const { markdown_url: text = '', url } of [results, ...found.map((answer) => answer.results)].flat())
    expect(TEST_BASE_URL + (pageOfSiteText(new URL(text).pathname) ?? '')).toBe(url);
});

test('a publication without texts suggests no words, because only its guides have any', async () => {
  const request = { query: 'Registrierung', kind: ALL };
  const suggestionsOf = async (service: Service): Promise<unknown[]> => (await ask(service, request)).meta.suggestions ?? [];
  expect(await suggestionsOf(sample)).toContainEqual(expect.objectContaining({ kind: 'other_words' }));
  expect(await suggestionsOf(await serviceOf({ capsules: [] }))).toEqual([]);
});

describe('a query without a kind', () => {
  test('finds capsules alone, with the ranks and scores that they have on a site without anything else', async () => {
    const bare = await serviceOf({ offers: [], pages: [] });
    for (const query of QUESTIONS) {
      const [here, there] = [await ask(sample, { query, max_results: 50 }), await ask(bare, { query, max_results: 50 })];
      expect(here.results).toEqual(there.results);
      expect(here.page.total).toBe(there.page.total);
    }
  });

  test('names what fits better', async () => {
    const { meta, match } = await ask(sample, { query: 'what does a readiness review cost' });
    expect(match.level).not.toBe('strong');
    const others = await ask(sample, { query: 'what does a readiness review cost', kind: ['guide', 'offer', 'error'], max_results: 3 });
    const better = namesOf({ ...others, results: others.results.filter((result) => result.match.share > match.share) });
    expect(meta.other_kinds?.map(({ kind, id }) => `${kind} ${id}`)).toEqual(better);
    expect(meta.other_kinds?.[0]).toEqual({
      kind: 'offer',
      id: 'readiness-review',
      title: 'Agent-readiness review',
      url: `${TEST_BASE_URL}/buy/readiness-review`,
    });
  });

  test.each([
    ['a capsule fits well', { query: 'what is a facilitator' }],
    ['nothing fits', { query: 'best pizza in Naples' }],
    ['the request names kinds', { query: 'what does a readiness review cost', kind: 'capsule' }],
    ['a filter is about capsules', { query: 'what does a readiness review cost', filters: { min_evidence: 'opinion' } }],
  ])('names no other kinds if %s', async (_name, request) => expect((await ask(sample, request)).meta.other_kinds).toBeUndefined());
});

describe('what visitors ask about the site', () => {
  const raised = 1.8 * 95;
  test.each([
    'pricing',
    'cheapest plan',
    'where can i see prices',
    'show services and prices',
    'what does it cost',
    'was kostet das hier',
    'services',
    'our products',
  ])('"%s" asks what there is to buy', (question) => expect(priorsFor(question)(95)).toBe(raised));
  test.each(['what are services', 'what is a plan', 'find', 'show', 'who are you', 'how', 'cost of a kv read', ''])(
    '"%s" does not',
    (question) => expect(priorsFor(question)(95)).toBeLessThan(raised),
  );

  const firstOf = async (service: Service, query: string): Promise<string | undefined> =>
    namesOf(await ask(service, { query, kind: ALL, max_results: 1 }))[0];

  test.each([
    ['how do I get a key', 'guide docs/agent-keys'],
    ['how to register', 'operation registerAgent'],
    ['how long is a key valid', 'guide docs/agent-keys'],
    ['my key was rejected with 401', 'error api_key_invalid'],
    ['how do I report a mistake', 'guide docs/proposing'],
    ['can I get a refund', 'guide refunds'],
    ['refund', 'guide refunds'],
    ['does this site support x402', 'guide docs/quickstart'],
    ['connect via MCP from Claude Code', 'guide connect'],
    ['what changed since last week', 'operation listChanges'],
    ['cheapest plan', 'guide buy'],
    ['price list', 'guide buy'],
    ['where can i see prices', 'guide buy'],
    ['how much does it cost', 'guide buy'],
    ['what do workers kv reads cost', 'capsule kv-consistency'],
    ['how do I pay with a credit card', 'guide checkout'],
    ['payment methods', 'guide checkout'],
    ['my order', 'guide checkout'],
    ['where is my invoice', 'guide invoice'],
    ['newsletter', 'offer weekly-digest'],
    ['training', 'offer publishing-workshop'],
    ['help', 'guide contact'],
    ['who are you', 'guide about'],
    ['getting started', 'guide docs/quickstart'],
    ['wel-known uri', 'capsule well-known-uris'],
    ['how long may an Idempotency-Key be kept', 'capsule idempotency-key-header'],
  ])('%s: %s', async (query, first) => expect(await firstOf(sample, query)).toBe(first));

  test('is not found before capsules that answer a question about no site', async () => {
    const { results } = await ask(sample, { query: 'How long may an Idempotency-Key be kept?', kind: ALL, max_results: 4 });
    const ids = results.map((result) => (result.kind === 'capsule' ? result.capsule_id : result.id));
    expect(ids[0]).toBe('idempotency-key-header');
    // Its words are "keep" and "Afterwards a reused key", not "how long" and "kept".
    expect(results[ids.indexOf('acp-idempotency')]?.quote.text).toContain('Keep the mapping for at least 24 hours');
  });

  test('is found by German words on a German site, also in the English guides', async () => {
    const page = content.pages.find(({ id }) => id === 'refunds');
    if (page === undefined) throw new Error('the sample has no page about refunds');
    const frontMatter = { ...page.frontMatter, title: 'Erstattungen', description: 'Wann es das Geld für ein Angebot wieder gibt.' };
    const german = await serviceOf({
      publisher: { ...content.publisher, language: 'de' },
      interfaceLanguage: interfaceLanguage('de'),
      pages: [{ ...page, frontMatter, markdown: 'Schreiben Sie innerhalb von 14 Tagen an uns.' }],
    });
    expect(await firstOf(german, 'kann ich mein Geld zurück bekommen')).toBe('guide refunds');
    expect(await firstOf(german, 'welches ist der günstigste Tarif')).toBe('guide buy');
    expect(await firstOf(german, 'wie melde ich einen Tippfehler')).toMatch(/^guide (?:contact|docs\/proposing)$/);
    expect(await firstOf(german, 'wo kann ich mich registrieren')).toMatch(/registerAgent|agent-keys/);
    // Pages of the engine that the publisher wrote no text for.
    expect(await firstOf(german, 'wie kann ich bezahlen')).toMatch(/^guide (?:checkout|invoice)$/);
    expect(await firstOf(german, 'Rechnung')).toBe('guide invoice');
    expect(await firstOf(german, 'Telefon')).toBe('guide contact');
  });

  test('is quoted from the opening of a text where the question is a bare name', async () => {
    for (const [query, opening] of [
      ['bm25', 'BM25 is'],
      ['Retry-After', '`Retry-After` is'],
      ['x402', 'Version 2 of x402 is dated'],
    ] as const) {
      const [first] = (await ask(sample, { query, kind: ALL, max_results: 1 })).results;
      expect(first?.quote.text.slice(0, opening.length)).toBe(opening);
    }
  });
});

describe('a query with kinds', () => {
  test.each<[string, ResultKind[]]>([
    ['offer', ['offer']],
    ['errors', ['error']],
    ['operations', ['operation']],
    ['guides and errors', ['guide', 'error']],
  ])('for %s finds nothing else', async (_name, kind) => {
    const { results } = await ask(sample, { query: 'agents keys review error price', kind, max_results: 50 });
    expect(new Set(results.map((result) => result.kind))).toEqual(new Set(kind));
  });

  test('explains scores of all kinds completely', async () => {
    const { results } = await ask(sample, { query: 'price of a review of evidence', kind: ALL, explain: true, max_results: 50 });
    expect(new Set(results.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    for (const { score, explanation } of results) expect(explanation?.parts.reduce((sum, { points }) => sum + points, 0)).toBe(score);
  });

  test('fuses several texts, sorts by date and keeps chosen members over all kinds', async () => {
    const request = { queries: ['refund policy', 'readiness review'], kind: ALL, fields: ['title', 'price_usd', 'found_by'] };
    // The schema describes results with all members.
    const fused = JSON.parse(await textOf(sample, request)) as SearchResponse;
    const offer = fused.results.find((result) => result.kind === 'offer' && result.id === 'readiness-review');
    expect(Object.keys(offer ?? {}).sort()).toEqual(['content_sha256', 'found_by', 'id', 'kind', 'price_usd', 'title']);
    const newest = await ask(sample, { query: 'review of offers', kind: ALL, sort: 'newest', max_results: 50 });
    const days = newest.results.filter((result) => result.kind !== 'capsule' || result.status === 'current').map(({ updated }) => updated);
    expect(days).toEqual(days.toSorted().reverse());
  });

  test.each([
    ['language', { language: 'en' }, true],
    ['another language', { language: 'de' }, false],
    ['changes since', { updated_after: '2000-01-01' }, true],
    ['changes before', { updated_before: '2000-01-01' }, false],
    ['recent changes', { updated_within_days: 3_000 }, true],
    ['a tag', { tags: ['http'] }, false],
    ['evidence', { min_evidence: 'opinion' }, false],
    ['a status', { status: 'current' }, false],
  ] as const)('a filter on %s keeps or leaves out what is no capsule', async (_name, filters, isKept) => {
    const { results, page } = await ask(sample, { query: 'review refund error', kind: ['guide', 'offer', 'error'], filters });
    expect([results.length > 0, page.total > 0]).toEqual([isKept, isKept]);
  });

  test('ids to exclude are those of capsules', async () => {
    const request = { query: 'rate_limited', kind: ALL, max_results: 50 };
    const [all, fewer] = [namesOf(await ask(sample, request)), namesOf(await ask(sample, { ...request, exclude_ids: ['retry-after'] }))];
    expect(fewer.slice(0, all.length - 1)).toEqual(all.filter((name) => name !== 'capsule retry-after'));
  });

  test('facets count capsules alone', async () => {
    const request = { query: 'review', facets: ['type'] };
    expect((await ask(sample, { ...request, kind: 'offer' })).facets).toEqual({ type: [] });
    const { facets, results } = await ask(sample, { ...request, kind: ALL, max_results: 50 });
    const capsules = results.filter(({ kind }) => kind === 'capsule').length;
    expect(facets?.type?.reduce((sum, { count }) => sum + count, 0)).toBe(capsules);
  });

  test('prices come from the catalog of now, and an offer that is no longer sold has none', async () => {
    const { made, corpus } = sample;
    const priceIn = async (offers: typeof made.deployment.offers): Promise<unknown> => {
      const deployment = { ...made.deployment, offers };
      const text = expectValue(
        await queryKnowledgeText(QueryRequest.parse({ query: 'readiness review', kind: 'offer' }), corpus, deployment),
      );
      const [first] = SearchResponse.parse(JSON.parse(text)).results;
      return first?.kind === 'offer' ? [first.id, first.price_usd, first.buy_url] : undefined;
    };
    const { offers } = made.deployment;
    expect(await priceIn(offers)).toEqual(['readiness-review', 480, `${TEST_BASE_URL}/buy/readiness-review`]);
    const dearer = offers.map((offer) => ({ ...offer, amountMinor: offer.amountMinor + 1 }));
    expect(await priceIn(dearer)).toEqual(['readiness-review', 480.01, `${TEST_BASE_URL}/buy/readiness-review`]);
    expect(await priceIn([])).toEqual(['readiness-review', undefined, undefined]);
  });
});

describe('the texts of a site', () => {
  test('have no address of the site, and everything else of their files; an offer begins with its price, cadence and delivery', () => {
    const offers = sample.made.siteTexts.filter(({ kind }) => kind === 'offer');
    expect(offers.length).toBe(sample.made.offers.length);
    for (const { markdown } of sample.made.siteTexts) expect(markdown).not.toContain(TEST_BASE_URL);
    for (const offer of sample.made.offers.filter(hasPrice)) {
      const [, opening = ''] = offers.find(({ id }) => id === offer.id)?.markdown.split('\n\n') ?? [];
      expect(opening).toBe([offer.summary, ...termSentences(offer)].join(' '));
      expect(opening).toMatch(/Price of .*: (?:free of charge|\$[\d,]+ (?:once|a month|a year))\. Delivery: /);
    }
    const guide = sample.made.siteTexts.find(({ id }) => id === 'docs/quickstart');
    expect(withBaseUrl(guide?.markdown ?? '', TEST_BASE_URL)).toContain(`${TEST_BASE_URL}/api/v1/agent-gateway/query`);
  });

  test('are the same blocks at every address of the site', async () => {
    const elsewhere = await serviceOf({ publisher: { ...content.publisher, base_url: 'https://elsewhere.example' } });
    expect(elsewhere.made.generation.version).toBe(sample.made.generation.version);
  });

  test('change the corpus version, but neither the index of capsules nor the corpus digest', async () => {
    const [offer, ...others] = content.offers;
    if (offer === undefined) throw new Error('the sample has no offers');
    const renamed = { ...offer, frontMatter: { ...offer.frontMatter, name: 'Something else entirely' } };
    const { generation } = (await serviceOf({ offers: [renamed, ...others] })).made;
    const before = sample.made.generation;
    expect(generation.version).not.toBe(before.version);
    expect(generation.manifest.corpus_digest).toBe(before.manifest.corpus_digest);
    expect(generation.manifest.index).toEqual(before.manifest.index);
    expect(generation.manifest.blocks.index).toEqual(before.manifest.blocks.index);
  });

  test('leave out pages that nothing links to, and features that are off', async () => {
    const pages = content.pages.map((page) =>
      page.id === 'privacy' ? { ...page, frontMatter: { ...page.frontMatter, navigation: 'none' as const } } : page,
    );
    const { made } = await serviceOf({ capsules: [], pages, offers: [] });
    const ids = made.siteTexts.map(({ kind, id }) => `${kind} ${id}`);
    expect(ids).not.toContain('guide privacy');
    expect(ids).toContain('guide terms');
    expect(ids.filter((id) => /^offer |commerce|error (payment|order)/.test(id))).toEqual([]);
  });

  test('have no operations and errors without functions', async () => {
    const { made } = await serviceOf({ capsules: [] }, 'static');
    expect([...new Set(made.siteTexts.map(({ kind }) => kind))].sort()).toEqual(['guide', 'offer']);
    expect(made.generation.manifest.site?.documents).toBe(made.siteTexts.length);
  });

  test('are found on a site without capsules, offers and pages', async () => {
    const empty = await serviceOf({ capsules: [], offers: [], pages: [] });
    expect(namesOf(await ask(empty, { query: 'rate_limited', kind: ALL }))[0]).toBe('error rate_limited');
    const { results, meta } = await ask(empty, { query: 'how do I register a key' });
    expect(results).toEqual([]);
    expect(meta.other_kinds?.length).toBeGreaterThan(0);
  });
});
