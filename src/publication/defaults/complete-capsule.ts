import type { Root } from 'mdast';
import type { Author, CapsuleFrontMatter, WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { slugOf } from '../slug.ts';
import type { FileDates } from './text-dates.ts';
import { cutSummary, summaryOfText } from './summary-of-text.ts';
import { titleOfText } from './title-heading.ts';

/** Defaults of a publication, from publisher.yaml. */
export interface PublicationDefaults {
  readonly language: string;
  readonly license: string;
  /** Author of texts that name none; without one, the publisher. */
  readonly author?: Author | undefined;
}

/** What a text gets besides the defaults of its publication. */
export interface TextDefaults extends PublicationDefaults {
  /** Days of the file, for dates that it does not state. */
  readonly dates: FileDates;
  /** `YYYY-MM-DD`; default dates are not later. */
  readonly today: string;
}

/** Longest title that is taken from a heading. */
const TITLE_MAX_LENGTH = 200;

/** Why front matter cannot be completed. */
export const NO_TITLE = 'is missing; write one, such as "title: Brakes that squeal", or begin the text with a heading such as "# Brakes that squeal"';

/**
 * Front matter with all its defaults: title and summary from the text, dates from the file, everything else from publisher.yaml or fixed.
 * `undefined` if neither front matter nor text has a title.
 */
export function completeCapsule(written: WrittenCapsule, root: Root, defaults: TextDefaults): CapsuleFrontMatter | undefined {
  const { description, title: writtenTitle, summary: writtenSummary, tags, written_by, ...fields } = written;
  const title = writtenTitle ?? titleOfText(root)?.slice(0, TITLE_MAX_LENGTH).trim();
  if (title === undefined) return undefined;
  const author = written_by ?? defaults.author;
  return {
    ...fields,
    ...datesOf(written, defaults),
    title,
    summary: writtenSummary ?? (described(description) || (summaryOfText(root) ?? title)),
    type: written.type ?? 'reference',
    tags: tagIds(tags ?? []),
    language: written.language ?? defaults.language,
    version: written.version ?? '1.0.0',
    evidence: written.evidence ?? 'reported',
    license: written.license ?? defaults.license,
    sources: written.sources ?? [],
    ...(author === undefined ? {} : { written_by: author }),
  };
}

function described(description: string | undefined): string {
  return cutSummary(description ?? '');
}

/** Dates as written; the others from the file, in order and not in the future. */
function datesOf({ created, updated }: WrittenCapsule, { dates, today }: TextDefaults): FileDates {
  const earlier = (a: string, b: string): string => (a < b ? a : b);
  const later = (a: string, b: string): string => (a > b ? a : b);
  const lastChange = updated ?? later(earlier(dates.updated, today), created ?? '');
  return { created: created ?? earlier(earlier(dates.created, today), lastChange), updated: lastChange };
}

/** Tags in the form of ids, each once; words without a letter or digit that has one are left out. */
function tagIds(tags: readonly string[]): string[] {
  const ids = tags.map((tag) => slugOf(tag).slice(0, LIMITS.idMaxLength).replace(/-+$/, ''));
  return [...new Set(ids.filter((id) => id !== ''))];
}
