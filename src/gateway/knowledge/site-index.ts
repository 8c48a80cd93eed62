import type { SiteKind, SiteText } from '../../schemas/knowledge/site-texts.ts';
import type { ColumnSpec } from '../../search/format/columns.ts';
import type { AttributeValue, SearchDocument } from '../../search/search-document.ts';
import { dayNumber } from './capsule-filters.ts';

/** Attributes of texts that are no capsules in their index: those of capsules that they have as well, their kind, and their prior. */
export const SITE_COLUMNS: readonly ColumnSpec[] = [
  { name: 'kind', kind: 'keyword' },
  { name: 'language', kind: 'keyword' },
  { name: 'updated', kind: 'number' },
  { name: 'prior_percent', kind: 'number' },
];

/** The prior of a text beside capsules, in percent: of several that fit alike, capsules come first, then guides. */
const PRIOR_PERCENT: Readonly<Record<SiteKind, number>> = { guide: 95, operation: 90, offer: 90, error: 90 };

/** The same for pages that only the footer links to: policies mention much and explain little. */
const FOOTER_PRIOR_PERCENT = 80;

export function siteAttributes({ kind, language, updated, inFooter = false }: SiteText): Record<string, AttributeValue> {
  return { kind, language, updated: dayNumber(updated), prior_percent: inFooter ? FOOTER_PRIOR_PERCENT : PRIOR_PERCENT[kind] };
}

/**
 * The indexed fields of a text except its body. The words of visitors count as tags and as a part of the summary, because the
 * text itself seldom has them.
 */
export function siteFields({
  language,
  title,
  summary,
  askedBy,
}: SiteText): Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary'> {
  return { language, title, summary: [summary, ...askedBy].join('\n'), tags: askedBy };
}

/** A question about this site, or about the asker and us: of texts that fit alike, those about the site come before capsules. */
const ABOUT_SITE = /(?<!\p{L})(?:(?:this|the|your) (?:site|website|service)|diese[rsmn]? (?:seite|website|dienst))(?!\p{L})/iu;
const ABOUT_ASKER =
  /(?<!\p{L})(?:i|my|me|mine|we|our|you|your|here|ich|mir|mich|mein\p{L}{0,2}|wir|uns|unser\p{L}{0,2}|ihr|ihre|ihnen|hier)(?!\p{L})/iu;

/** A name of the API, such as an error code: capsules are called by words. */
const NAME_OF_API = /(?<![\w-])[a-z]+(?:_[a-z]+)+(?![\w-])/;

/** The factor of the priors of texts about the site for a question, in percent. By measurement (`npm run eval:visitors`). */
export function visitorPercent(question: string): number {
  if (ABOUT_SITE.test(question)) return 160;
  return ABOUT_ASKER.test(question) || NAME_OF_API.test(question) ? 140 : 100;
}
