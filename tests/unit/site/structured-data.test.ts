import { expect, test } from 'vitest';
import { SourceKind } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { capsuleData, datasetData, errorTermData, pageData } from '../../../src/site/structured-data.ts';
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
});

test('a publication without capsules has no dataset', () => {
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
  expect(term).toMatchObject({
    '@type': 'DefinedTerm',
    termCode: 'rate_limited',
    inDefinedTermSet: `${publisher.base_url}/problems`,
    url: `${publisher.base_url}/problems/rate_limited`,
  });
});

test('a citation has the type of its kind of source, where schema.org has one', () => {
  const [capsule] = capsules;
  if (capsule === undefined) throw new Error('no capsule');
  const sources = SourceKind.options.map((kind) => ({ key: kind, title: kind, url: 'https://a.example/', publisher: 'A desk', kind }));
  const data = capsuleData(publisher, { ...capsule, metadata: { ...capsule.metadata, status: 'current', sources } });
  const types = (data['citation'] as { '@type': string; name: string }[]).map((citation) => [citation.name, citation['@type']]);
  expect(types.filter(([, type]) => type !== 'CreativeWork')).toEqual([
    ['dataset', 'Dataset'],
    ['book', 'Book'],
    ['law', 'Legislation'],
    ['web_page', 'WebPage'],
  ]);
  expect(types).toHaveLength(SourceKind.options.length);
});
