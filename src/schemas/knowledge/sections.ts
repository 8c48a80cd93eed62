import * as z from 'zod';
import { Id } from '../primitives.ts';
import { line } from './capsule-front-matter.ts';

/** Most sections within each other. */
export const SECTION_DEPTH_MAX = 6;

/** Longest title of a section, in characters. */
export const SECTION_TITLE_MAX = 200;

/** A section of a publication: capsules and further sections, in the order in which they are read. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Plain text. */
  readonly introduction?: string | undefined;
  /** Ids of capsules, and sections. */
  readonly items: readonly (string | Section)[];
}

/** An item of `content/sections.yaml`: a section, or a capsule, which is written as its id alone and read as an object with it. */
export interface WrittenItem {
  readonly capsule?: string | undefined;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly introduction?: string | undefined;
  readonly items?: readonly WrittenItem[] | undefined;
}

const WrittenItem: z.ZodType<WrittenItem> = z
  .strictObject({
    capsule: Id.optional(),
    id: Id.optional(),
    title: line(1, SECTION_TITLE_MAX).optional(),
    introduction: line(1, 600).optional(),
    items: z
      .array(
        z.preprocess(
          (value) => (typeof value === 'object' ? value : { capsule: String(value) }),
          z.lazy(() => WrittenItem),
        ),
      )
      .min(1, 'must name a capsule or a section')
      .optional(),
  })
  .superRefine(({ capsule, ...section }, context) => {
    if (capsule !== undefined) return;
    for (const name of ['id', 'title', 'items'] as const)
      if (section[name] === undefined) context.addIssue({ code: 'custom', path: [name], message: 'is missing' });
  });

/** `content/sections.yaml`. */
export const WrittenSections = z.strictObject({ sections: z.array(WrittenItem) });

/** A section with those that it is in, from the outermost, in the order in which they are read. */
export interface PlacedSection {
  readonly section: Section;
  readonly above: readonly Section[];
}

/** All sections, each before those within it. */
export function allSections(sections: readonly Section[], above: readonly Section[] = []): PlacedSection[] {
  return sections.flatMap((section) => [
    { section, above },
    ...allSections(
      section.items.filter((item) => typeof item !== 'string'),
      [...above, section],
    ),
  ]);
}

/** The titles of a section and of those that it is in: `Guides › Advanced`. */
export function titleInPlace({ section, above }: PlacedSection): string {
  return [...above, section].map(({ title }) => title).join(' › ');
}

/** Ids of the capsules of a section that are in none within it. */
export function ownCapsules({ items }: Section): string[] {
  return items.filter((item) => typeof item === 'string');
}

export function findSection(id: string, sections: readonly Section[]): Section | undefined {
  return allSections(sections).find(({ section }) => section.id === id)?.section;
}

/** Ids of the capsules of a section and of those within it, in the order in which they are read. */
export function capsulesOf({ items }: Pick<Section, 'items'>): string[] {
  return items.flatMap((item) => (typeof item === 'string' ? [item] : capsulesOf(item)));
}

/** Sections without capsules that have no page, and without sections that are empty then. */
export function sectionsShowing(sections: readonly Section[], shown: ReadonlySet<string>): Section[] {
  return sections.flatMap((section) => {
    const items = section.items.flatMap((item): readonly (string | Section)[] =>
      typeof item === 'string' ? (shown.has(item) ? [item] : []) : sectionsShowing([item], shown),
    );
    return items.length === 0 ? [] : [{ ...section, items }];
  });
}

/** The sections that a capsule is in, from the outermost; empty if none names it. */
export function sectionsAbove(id: string, sections: readonly Section[]): readonly Section[] {
  const placed = allSections(sections).find(({ section }) => section.items.includes(id));
  return placed === undefined ? [] : [...placed.above, placed.section];
}
