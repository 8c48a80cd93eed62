import { SITE_COLUMNS, siteAttributes, siteFields } from '../../gateway/knowledge/site-results.ts';
import { digestOf } from '../../publication/build-cache.ts';
import { indexText } from '../../publication/markdown/indexed-text.ts';
import { parseText } from '../../publication/markdown/parse-text.ts';
import { type SiteText, withBaseUrl } from '../../schemas/knowledge/site-texts.ts';
import { analyseBatch } from '../../search/build/analyse-batch.ts';
import { type EncodedIndex, IndexBuilder } from '../../search/build/build-index.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import { type PagedRecord, pagesInOrder } from '../content/paginate.ts';
import type { KeptAnalyses } from './index-capsules.ts';

/** The index of the texts of a site that are no capsules, and the pages of those texts. */
export interface SiteBlocks {
  readonly index: EncodedIndex;
  readonly pages: readonly (readonly PagedRecord[])[];
}

/**
 * The index and the pages of site texts. They have an index of their own, so that a change of one neither moves the ranks of capsules nor
 * writes a block of theirs; a search over both counts frequencies over both.
 */
export async function siteBlocks(texts: readonly SiteText[], analyses: KeptAnalyses | undefined): Promise<SiteBlocks> {
  const sorted = texts.map((text) => ({ ...text, key: `${text.kind} ${text.id}` })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const records = sorted.map(({ key, ...value }): PagedRecord & { readonly value: SiteText } => ({ id: key, value }));
  const key = digestOf('site texts', JSON.stringify(records));
  const analysed = analyses?.get(key) ?? analyseBatch(records.map(({ value }) => searchDocument(value)));
  analyses?.set(key, analysed);
  const builder = new IndexBuilder({ columns: SITE_COLUMNS, expansion: false, neighbours: false });
  builder.add(
    records.map(({ id, value }) => ({ id, language: value.language, attributes: siteAttributes(value) })),
    analysed,
  );
  return { index: builder.finish(), pages: pagesInOrder(records) };
}

function searchDocument(text: SiteText): SearchDocument {
  const { plain, ...found } = indexText(parseText(withBaseUrl(text.markdown, '')));
  return { id: text.id, ...siteFields(text), ...found, body: plain };
}
