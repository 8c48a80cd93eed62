import { describe, expect, it } from 'vitest';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { type KnownItems, knownItems, measureKnownItems, readCapsules, readPages } from '../../eval/known-items.ts';
import { PUBLICATION } from '../../support/paths.ts';
import { encodeDocuments, openIndex } from '../search/open-index.ts';

/** A file of real pages, which is no part of the project; see tests/eval/README.md. */
const PAGES = process.env['EVAL_PAGES'];

/** Least share of the documents that are first when asked for by their id, their title, and a name that they define. */
const LEAST: Readonly<Record<keyof KnownItems, number>> = { id: 1, title: 0.99, name: 0.95 };

async function expectFirst(documents: readonly SearchDocument[]): Promise<void> {
  const reader = openIndex(encodeDocuments(documents));
  const items = knownItems(documents);
  for (const kind of ['id', 'title', 'name'] as const) {
    const { share, missed } = await measureKnownItems(reader, documents, items[kind]);
    expect(share, `${kind}: ${JSON.stringify(missed.slice(0, 5))}`).toBeGreaterThanOrEqual(LEAST[kind]);
  }
}

describe('a document asked for by its id, title or a name that it defines', () => {
  it('is first among the capsules of the sample', async () => await expectFirst(await readCapsules(PUBLICATION)));

  it.skipIf(PAGES === undefined)('is first among a thousand real pages (EVAL_PAGES names their file)', async () => {
    await expectFirst(await readPages(PAGES ?? '', 1_000));
  });
});
