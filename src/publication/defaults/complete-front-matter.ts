import { OFFER_SUMMARY_MAX_LENGTH, type OfferDefaults, type OfferFrontMatter, type WrittenOffer } from '../../schemas/commerce/offers.ts';
import { type Author, CapsuleType } from '../../schemas/knowledge/capsule-fields.ts';
import type { CapsuleFrontMatter, WrittenCapsule } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { PageFrontMatter, WrittenPage } from '../../schemas/publisher.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { cutSummary, type TextDescription, TITLE_MAX_LENGTH, titleInText } from '../../text/markdown/title-and-summary.ts';
import type { FileDates, TextDates } from '../git-history.ts';
import { tagIdOf } from '../read/content-ids.ts';
import type { FrontMatterFinding } from '../read/front-matter.ts';

export interface PublicationDefaults {
  readonly language: string;
  readonly license: string;
  /** Author of texts that name none; without one, the publisher. */
  readonly author?: Author | undefined;
}

export interface TextDefaults {
  /** The file, whose name serves where a title is missing. */
  readonly path: string;
  /** Called only if a default needs the text. */
  readonly text: () => TextDescription;
  readonly dates: FileDates;
  /** `YYYY-MM-DD`; default dates are not later. */
  readonly today: string;
}

interface Completed<T> {
  readonly data: T | undefined;
  readonly findings: readonly FrontMatterFinding[];
}

/** Front matter of a capsule with its defaults: from the text, from the file, from publisher.yaml, or fixed. */
export function completeCapsule(
  written: WrittenCapsule,
  defaults: TextDefaults,
  publication: PublicationDefaults,
): Completed<CapsuleFrontMatter> {
  const { description, tags = [], written_by, ...fields } = written;
  const { title, findings: ofTitle } = titleOf(written.title, defaults);
  const author = written_by ?? publication.author;
  const findings = [...ofTitle, ...typeFindings(written.type), ...tagFindings(tags)];
  if (findings.some(({ level }) => level !== 'warning')) return { data: undefined, findings };
  const data: CapsuleFrontMatter = {
    ...fields,
    ...datesOf(written, defaults),
    title,
    summary: written.summary ?? (cutSummary(description ?? '') || defaults.text().summary || title),
    type: CapsuleType.safeParse(written.type).data ?? 'reference',
    tags: [...new Set(tags.map(tagIdOf).filter((tag) => tag !== ''))],
    language: written.language ?? publication.language,
    version: written.version ?? '1.0.0',
    evidence: written.evidence ?? 'reported',
    license: written.license ?? publication.license,
    sources: written.sources ?? [],
    ...(author === undefined ? {} : { written_by: author }),
  };
  return { data, findings };
}

/** Adds defaults to the front matter of a capsule, by its file, its id and what its text says about itself. */
export function capsuleCompletion(dates: TextDates, publication: PublicationDefaults, today: string) {
  return async (written: WrittenCapsule, path: string, id: string, text: () => TextDescription) =>
    completeCapsule(written, { path, text, dates: await dates.of(path, id, written), today }, publication);
}
export type CapsuleCompletion = ReturnType<typeof capsuleCompletion>;

export function completePage(written: WrittenPage, defaults: TextDefaults): Completed<PageFrontMatter> {
  const { title, findings } = titleOf(written.title, defaults);
  const description = written.description ?? defaults.text().summary ?? title;
  return { data: { ...written, title, description, updated: datesOf(written, defaults).updated }, findings };
}

function titleOf(written: string | undefined, { text, path }: TextDefaults) {
  const title = written ?? titleInText(text());
  if (title !== undefined) return { title, findings: [] };
  const words = nameWords(path);
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  const finding: FrontMatterFinding = {
    path: ['title'],
    message: 'is missing; write one, such as `title: Brakes that squeal`, or begin the text with a heading such as `# Brakes that squeal`',
    level: 'warning',
    consequence: `"${name}" is taken from the name of the file`,
  };
  return { title: name, findings: [finding] };
}

function nameWords(path: string): string {
  const parts = path.replace(/\.[^./]+$/, '').split('/');
  const name = /^(?:index|readme)$/i.test(parts.at(-1) ?? '') ? parts.at(-2) : parts.at(-1);
  return (
    (name ?? '')
      .replace(/[-_\s]+/g, ' ')
      .trim()
      .slice(0, TITLE_MAX_LENGTH) || 'Untitled'
  );
}

function datesOf(
  { created, updated }: { created?: string | undefined; updated?: string | undefined },
  { dates, today }: TextDefaults,
): FileDates {
  const earlier = (a: string, b: string): string => (a < b ? a : b);
  const later = (a: string, b: string): string => (a > b ? a : b);
  const lastChange = updated ?? later(earlier(dates.updated, today), created ?? '');
  return { created: created ?? earlier(earlier(dates.created, today), lastChange), updated: lastChange };
}

/** The type of a capsule that has other mistakes, if it is one too. */
export function misspelledType(frontMatter: unknown): FrontMatterFinding[] {
  const type = typeof frontMatter === 'object' && frontMatter !== null && 'type' in frontMatter ? frontMatter.type : undefined;
  return typeof type === 'string' ? typeFindings(type).filter(({ level }) => level !== 'warning') : [];
}

function typeFindings(type: string | undefined): FrontMatterFinding[] {
  const types = CapsuleType.options;
  if (type === undefined || CapsuleType.safeParse(type).success) return [];
  const near = suggestName(type, types);
  const message = `must be one of ${types.join(', ')}`;
  if (near !== undefined) return [{ path: ['type'], message: `${message}. Did you mean "${near}"?` }];
  return [{ path: ['type'], message, level: 'warning', consequence: 'it is taken as reference' }];
}

function tagFindings(tags: readonly string[]): FrontMatterFinding[] {
  return tags.flatMap((tag, index): FrontMatterFinding[] => {
    if (tag.trim() === '' || tagIdOf(tag) !== '') return [];
    const message = `"${tag}" has no letter or digit`;
    return [{ path: ['tags', index], message, level: 'warning', consequence: 'it is left out' }];
  });
}

/** Terms come from `offers` of publisher.yaml. Those that are stated nowhere stay absent. */
export function completeOffer(written: WrittenOffer, defaults: TextDefaults, publication: OfferDefaults): OfferFrontMatter {
  const { category, refund, delivery, valid_until } = publication;
  return {
    ...written,
    category: written.category ?? category,
    refund: written.refund ?? refund,
    delivery: written.delivery ?? delivery,
    valid_until: written.valid_until ?? valid_until,
    summary: (written.summary ?? cutSummary(defaults.text().summary ?? '', OFFER_SUMMARY_MAX_LENGTH)) || written.name,
    updated: datesOf(written, defaults).updated,
  };
}
