import { expect, test } from 'vitest';
import { SourceKind } from '../../../src/schemas/knowledge/capsule-fields.ts';
import { capsuleData, datasetData, errorTermData, pageData, questionsData } from '../../../src/site/structured-data.ts';
import { realPublication } from '../documents/publication-fixture.ts';

const { publisher, capsules } = await realPublication('edge');
const CORPUS = { capsules: 3, sources: 5, updated: '2026-11-02', digest: `sha256:${'0'.repeat(64)}` };

test('the corpus is a dataset with its downloads, licence and day of change', () => {
  const [data] = datasetData(publisher, CORPUS);
  expect(data).toMatchObject({ '@type': 'Dataset', dateModified: CORPUS.updated, identifier: CORPUS.digest });
  expect(String(data?.['description']).length).toBeGreaterThanOrEqual(50);
  const downloads = data?.['distribution'] as { contentUrl: string }[];
  for (const { contentUrl } of downloads) expect(contentUrl.startsWith(`${publisher.base_url}/`)).toBe(true);
  expect(data?.['license']).toMatch(/^https:/);
  expect(datasetData(publisher, { ...CORPUS, capsules: 0 })).toEqual([]);
});

test('a page names its day of change only if it is known', () => {
  const page = { title: 'A', description: 'B', path: '/a', language: 'en' };
  expect(pageData(publisher, 'WebPage', page)).not.toHaveProperty('dateModified');
  expect(pageData(publisher, 'TechArticle', { ...page, updated: '2026-11-02' })).toMatchObject({
    headline: 'A',
    dateModified: '2026-11-02',
  });
});

test('an error is a term of the set that lists all errors', () => {
  const term = errorTermData(publisher, { code: 'rate_limited', explanation: 'Too many requests.' });
  const set = `${publisher.base_url}/problems`;
  expect(term).toMatchObject({ '@type': 'DefinedTerm', termCode: 'rate_limited', inDefinedTermSet: set, url: `${set}/rate_limited` });
});

test('a citation has the type of its kind of source, where schema.org has one', () => {
  const [capsule] = capsules;
  if (capsule === undefined) throw new Error('no capsule');
  const sources = SourceKind.options.map((kind) => ({ key: kind, title: kind, url: 'https://a.example/', publisher: 'A desk', kind }));
  const data = capsuleData({ publisher }, { ...capsule, metadata: { ...capsule.metadata, status: 'current', sources } });
  const types = (data['citation'] as { '@type': string; name: string }[]).map((citation) => [citation.name, citation['@type']]);
  expect(types.filter(([, type]) => type !== 'CreativeWork')).toEqual([
    ['dataset', 'Dataset'],
    ['book', 'Book'],
    ['law', 'Legislation'],
    ['web_page', 'WebPage'],
  ]);
  expect(types).toHaveLength(SourceKind.options.length);
});

test('questions are an FAQ page where they are headings with an answer below, and nowhere else', () => {
  const [capsule] = capsules;
  if (capsule === undefined) throw new Error('no capsule');
  const outline = [
    { depth: 2, id: 'how-long', text: 'How long?' },
    { depth: 3, id: 'more', text: 'More' },
    { depth: 2, id: 'why', text: 'Why?' },
    { depth: 2, id: 'end', text: 'End' },
  ];
  const html =
    '<p>Why? How long?</p><h2 id="how-long">How long?<a href="#how-long">#</a></h2><p>A <b>day</b>&amp;more.<sup><a href="#1">1</a></sup></p><h3 id="more">More</h3><p>Or two.</p><h2 id="why">Why?</h2><h2 id="end">End</h2><p>It ends.</p>';
  const article = { html, outline, sourceOrder: [], beginsWithSummary: false };
  const asked = { ...capsule.metadata, status: 'current' as const, questions: ['HOW LONG', 'Why?', 'Who?'] };
  expect(questionsData(publisher, asked, article)).toMatchObject([
    {
      '@type': 'FAQPage',
      mainEntity: [{ '@type': 'Question', name: 'HOW LONG', acceptedAnswer: { '@type': 'Answer', text: 'A day &amp;more. More Or two.' } }],
    },
  ]);
  for (const [metadata, text] of [
    [{ ...asked, questions: ['Who?'] }, article],
    [{ ...asked, status: 'retracted' as const }, article],
    [{ ...asked, questions: undefined }, article],
    [asked, undefined],
  ] satisfies [typeof capsule.metadata, typeof article | undefined][])
    expect(questionsData(publisher, metadata, text)).toEqual([]);
});
