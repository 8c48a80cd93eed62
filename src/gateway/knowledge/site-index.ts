import type { SiteKind, SiteText } from '../../schemas/knowledge/site-texts.ts';
import type { ColumnSpec } from '../../search/format/columns.ts';
import type { AttributeValue, SearchDocument } from '../../search/search-document.ts';
import { dayNumber } from './capsule-filters.ts';

/** Attributes of guides, offers and errors in their index: those of capsules that they have as well, and their kind. */
export const SITE_COLUMNS: readonly ColumnSpec[] = [
  { name: 'kind', kind: 'keyword' },
  { name: 'language', kind: 'keyword' },
  { name: 'updated', kind: 'number' },
];

export function siteAttributes({ kind, language, updated }: SiteText): Record<string, AttributeValue> {
  return { kind, language, updated: dayNumber(updated) };
}

/** Words that ask for a kind of text, by language. They are indexed as tags, because the texts seldom have them. */
const WORDS_OF_KINDS: Readonly<Record<string, Readonly<Record<SiteKind, readonly string[]>>>> = {
  en: { guide: ['guide', 'documentation'], offer: ['offer', 'price', 'cost', 'buy'], error: ['error', 'problem'] },
  de: { guide: ['Anleitung', 'Dokumentation'], offer: ['Angebot', 'Preis', 'Kosten', 'kaufen'], error: ['Fehler', 'Problem'] },
};

/** What the index has of a text besides its body. */
export function siteFields({ kind, language, title, summary }: SiteText): Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary'> {
  const [primary = ''] = language.split('-');
  return { language, title, summary, tags: (WORDS_OF_KINDS[primary] ?? WORDS_OF_KINDS['en'])?.[kind] ?? [] };
}
