import { expect, test } from 'vitest';
import { datasetData, errorTermData, pageData } from '../../../src/site/structured-data.ts';
import { realPublication } from '../documents/publication-fixture.ts';

const { publisher } = await realPublication('edge');
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
