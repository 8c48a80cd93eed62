import * as z from 'zod';
import { FEATURE_PARTS } from '../feature-switches.ts';
import { IsoDate, Language, Uri } from '../primitives.ts';
import { RESULT_KINDS, SITE_KINDS } from './kinds-and-levels.ts';

/** What each kind is; documents and a guide list them. */
export const KIND_WORDS = {
  capsule: 'knowledge with lineage',
  guide: 'documentation and pages of the publisher',
  operation: 'a request of the API',
  offer: 'something for sale',
  error: 'an error code of the API',
} as const satisfies Readonly<Record<(typeof RESULT_KINDS)[number], string>>;

const described = (kinds: readonly (keyof typeof KIND_WORDS)[]): string =>
  `${kinds.map((kind) => `${kind}: ${KIND_WORDS[kind]}`).join('; ')}.`;

export const SiteKind = z
  .enum(SITE_KINDS)
  .describe(described(SITE_KINDS))
  .register(FEATURE_PARTS, { shop: { values: ['offer'], words: ' offer: something for sale;' } });
export type SiteKind = z.infer<typeof SiteKind>;

export const ResultKind = z
  .enum(RESULT_KINDS)
  .describe(described(RESULT_KINDS))
  .register(FEATURE_PARTS, { shop: { values: ['offer'], words: ' offer: something for sale;' } });
export type ResultKind = z.infer<typeof ResultKind>;

/** A document that is no capsule and fits a query for capsules better than they do. */
export const OtherKind = z.object({
  kind: SiteKind,
  id: z.string().describe('Id among those of its kind.'),
  title: z.string().describe('Title of its page.'),
  url: Uri.describe('Its page.'),
});
export type OtherKind = z.infer<typeof OtherKind>;

export const SITE_MEMBERS = ['id', 'price_usd', 'cadence', 'delivery', 'valid_until', 'available', 'buy_url', 'demo'] as const;

/** A text of the site that is no capsule, as blocks hold it: without addresses of this site, for which {@link BASE_URL_MARK} stands. */
export const SiteText = z.object({
  kind: SiteKind,
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  /** Words by which visitors ask for it. */
  askedBy: z.array(z.string()),
  /** Whether the site links to it only in the footer, as to policies. */
  inFooter: z.boolean().optional(),
  language: Language,
  translationOf: z.string().optional(),
  updated: IsoDate,
  path: z.string(),
  /** Root-relative address of the file with exactly this markdown. */
  markdownPath: z.string(),
  markdown: z.string(),
});
export type SiteText = z.infer<typeof SiteText>;
