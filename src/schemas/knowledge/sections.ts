import * as z from 'zod';
import { capsulePath, sectionPath } from '../paths.ts';
import { Id } from '../primitives.ts';
import { line } from './capsule-fields.ts';

export const SECTION_DEPTH_MAX = 6;

export const SECTION_TITLE_MAX = 200;

/** A section of a publication: capsules and further sections, in the order in which they are read. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly introduction?: string | undefined;
  /** Whether its items are sections with versions of one product: the first is the current one, the others follow, newest first. */
  readonly versions?: true | undefined;
  readonly items: readonly (string | Section)[];
}

/** An item of `content/sections.yaml`: a section, or a capsule, which is written as its id alone and read as an object with it. */
export interface WrittenItem {
  readonly capsule?: string | undefined;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly introduction?: string | undefined;
  readonly versions?: true | undefined;
  readonly items?: readonly WrittenItem[] | undefined;
}

const WrittenItem: z.ZodType<WrittenItem> = z
  .strictObject({
    capsule: Id.optional(),
    id: Id.optional(),
    title: line(1, SECTION_TITLE_MAX).optional(),
    introduction: line(1, 600).optional(),
    versions: z.literal(true).optional(),
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

/** `content/subjects.yaml`: names of tags, in the form of sections. What tags group needs no list; the capsules listed are read first. */
export const WrittenSubjects = z.strictObject({
  subjects: z.array(
    z.strictObject({
      id: Id,
      title: line(1, SECTION_TITLE_MAX),
      introduction: line(1, 600).optional(),
      items: z.array(Id).min(1, 'must name a capsule').optional(),
    }),
  ),
});

export type Subjects = Readonly<
  Record<string, Pick<Section, 'title' | 'introduction'> & { readonly items?: readonly string[] | undefined }>
>;

export function subjectOf(tag: string, subjects: Subjects = {}): Subjects[string] | undefined {
  return Object.hasOwn(subjects, tag) ? subjects[tag] : undefined;
}

/** The name of a subject in documents for machines: its title, or else its tag. */
export function subjectName(tag: string, subjects?: Subjects): string {
  return subjectOf(tag, subjects)?.title ?? tag;
}

/** The name of a subject for readers: its title, or else the words of its tag. */
export function subjectTitle(tag: string, subjects?: Subjects): string {
  return subjectOf(tag, subjects)?.title ?? tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ');
}

/** A section with those that it is in, from the outermost, in the order in which they are read. */
export interface PlacedSection {
  readonly section: Section;
  readonly above: readonly Section[];
}

/** All sections, each before those within it. */
export function allSections(sections: readonly Section[], above: readonly Section[] = []): PlacedSection[] {
  return sections.flatMap((section) => [{ section, above }, ...allSections(partsOf(section), [...above, section])]);
}

function partsOf({ items }: Section): Section[] {
  return items.filter((item) => typeof item !== 'string');
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

const neighbours = new WeakMap<Section['items'], ReadonlyMap<string, readonly [string | undefined, string | undefined]>>();

/** The capsules that are read before and after one of a section, or of those within it. */
export function neighboursOf(id: string, { items }: Pick<Section, 'items'>): readonly [string | undefined, string | undefined] {
  let known = neighbours.get(items);
  if (known === undefined) {
    const order = capsulesOf({ items });
    known = new Map(order.map((capsule, at) => [capsule, [order[at - 1], order[at + 1]]]));
    neighbours.set(items, known);
  }
  return known.get(id) ?? [undefined, undefined];
}

/** Capsules in the order in which they are read: as sections name them, and then the others. */
export function inReadingOrder<Capsule extends { readonly id: string }>(
  capsules: readonly Capsule[],
  sections: readonly Section[] | undefined,
): readonly Capsule[] {
  if (sections === undefined) return capsules;
  const order = new Map(sections.flatMap(capsulesOf).map((id, at) => [id, at]));
  const placeOf = ({ id }: Capsule): number => order.get(id) ?? order.size;
  return capsules.toSorted((a, b) => placeOf(a) - placeOf(b));
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
  const placed = placeOf(id, sections);
  return placed === undefined ? [] : [...placed.above, placed.section];
}

/** The version that a place is in, and all of the product: the current one, then the others, newest first. */
export function versionOf({ section, above }: PlacedSection) {
  const path = [...above, section];
  const at = path.findIndex(({ versions }) => versions);
  const version = path[at + 1];
  return version && { version, versions: path[at] ? partsOf(path[at]) : [] };
}

/** Places by capsule, for each tree: every page of a publication asks for one. */
const places = new WeakMap<readonly Section[], ReadonlyMap<string, PlacedSection>>();

/** The section that names a capsule, the first one of several. */
export function placeOf(id: string, sections: readonly Section[]): PlacedSection | undefined {
  let known = places.get(sections);
  if (known === undefined) {
    const all = allSections(sections).reverse();
    known = new Map(all.flatMap((place) => ownCapsules(place.section).map((capsule) => [capsule, place] as const)));
    places.set(sections, known);
  }
  return known.get(id);
}

type Titles = Readonly<Record<string, string | undefined>>;

/** The same text in another version: with the same id but for the version at either end, or else the only one with its title. @param titles By id. */
export function inVersion(id: string, from: Section, to: Section, titles: Titles): string | undefined {
  const stem = stemIn(id, from);
  const capsules = capsulesOf(to);
  const named = capsules.find((other) => stemIn(other, to) === stem);
  const titled = capsules.filter((other) => titles[other] !== undefined && titles[other] === titles[id]);
  return named ?? (titled.length === 1 ? titled[0] : undefined);
}

function stemIn(id: string, { id: version }: Section): string {
  if (id.startsWith(`${version}-`)) return id.slice(version.length + 1);
  return id.endsWith(`-${version}`) ? id.slice(0, -version.length - 1) : id;
}

export interface EarlierVersion {
  readonly title: string;
  readonly current: string;
  /** Root-relative address of the same text in the current version, or else of where that version begins. */
  readonly path: string;
  readonly hasSameText: boolean;
}

/** The capsules of earlier versions of products, by id. @param titles Titles of capsules by their ids. */
export function earlierVersions(sections: readonly Section[], titles: Titles): ReadonlyMap<string, EarlierVersion> {
  const earlier = allSections(sections).flatMap(({ section }) => {
    const [current, ...others] = section.versions ? partsOf(section) : [];
    if (current === undefined) return [];
    const [beginning] = capsulesOf(current);
    return others.flatMap((version) =>
      capsulesOf(version).map((id) => {
        const same = inVersion(id, version, current, titles);
        const leading = same ?? beginning;
        const path = leading === undefined ? sectionPath(current.id) : capsulePath(leading);
        return [id, { title: version.title, current: current.title, path, hasSameText: same !== undefined }] as const;
      }),
    );
  });
  return new Map(earlier);
}
