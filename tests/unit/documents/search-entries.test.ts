import { expect, it } from 'vitest';
import { searchEntries, searchEntriesFile } from '../../../src/documents/search-documents.ts';
import { buyPath, PATHS } from '../../../src/schemas/paths.ts';
import { smallPublication } from './publication-fixture.ts';

const publication = await smallPublication('static');
const entries = searchEntries(publication);

it('names every capsule and every page once', () => {
  const paths = entries.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toEqual(
    expect.arrayContaining([...publication.capsules.map(({ id }) => `/capsules/${id}`), ...publication.pages.map(({ path }) => path)]),
  );
});

it('tells offers from other pages', () => {
  const page = (path: string) => ({ path, title: 'Title', description: 'Description.', updated: '2026-11-20' });
  const pages = [PATHS.docs, PATHS.buy, buyPath('review'), PATHS.buyInvoice].map(page);
  expect(searchEntries({ ...publication, capsules: [], pages }).map(({ kind }) => kind)).toEqual(['guide', 'guide', 'offer', 'guide']);
  expect(new Set(entries.filter(({ path }) => path.startsWith('/capsules/')).map(({ kind }) => kind))).toEqual(new Set(['capsule']));
});

it('is a file of sites without functions only', async () => {
  expect(searchEntriesFile(publication).map(({ path }) => path)).toEqual([PATHS.searchEntries]);
  expect(searchEntriesFile(await smallPublication('edge'))).toEqual([]);
});
