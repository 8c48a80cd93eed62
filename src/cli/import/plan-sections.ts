import { stringify } from 'yaml';
import { slugOf } from '../../publication/read/content-ids.ts';
import {
  allSections,
  capsulesOf,
  SECTION_DEPTH_MAX,
  SECTION_TITLE_MAX,
  type Section,
  titleInPlace,
} from '../../schemas/knowledge/sections.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { languageName } from '../../text/strings/message-format.ts';
import { titleFromPath } from './convert-page.ts';
import type { NavigationEntry, PageNavigation, SourcePage } from './import-source.ts';

const UNGROUPED = 'Overview';

interface NewSection {
  id: string;
  readonly title: string;
  readonly versions?: true;
  readonly items: (string | NewSection)[];
}

/**
 * The navigation of a whole site: the lists beside its pages, each as large as a page shows it, with links of others behind the one that they follow
 * there, because themes fold the groups that a page is not in. The menu above the pages orders these lists, and is last with what none of them has; it
 * is the navigation where there is no other.
 */
export function joinNavigation(pages: readonly PageNavigation[]): NavigationEntry[] {
  const bySize = (lists: readonly (readonly NavigationEntry[])[]) =>
    [...new Map(lists.map((list) => [list.map(({ url }) => url).join(' '), list])).values()].sort((a, b) => b.length - a.length);
  // Names of versions lead to the same page in them.
  const menu = bySize(pages.map((page) => page.menu.filter(({ label }) => !VERSION.test(label)))).reduce(insertAll, []);
  const beside = bySize(pages.filter(({ isMenu }) => !isMenu).map(({ list }) => list));
  const sidebars: NavigationEntry[][] = [];
  // A page that stands in another group of each is in two sidebars of a site.
  const keyOf = ({ url, path }: NavigationEntry): string => [url, ...path].join('\n');
  for (const list of beside.length > 0 ? beside : [menu]) {
    const own = new Set(list.map(keyOf));
    const known = sidebars.find((sidebar) => sidebar.some((entry) => own.has(keyOf(entry))));
    if (known === undefined) sidebars.push(insertAll([], list));
    else insertAll(known, list);
  }
  const order = new Map([...menu].reverse().map(({ url }, at) => [url, -at]));
  const placeOf = (sidebar: readonly NavigationEntry[]): number => Math.min(...sidebar.map(({ url }) => order.get(url) ?? 1));
  const joined = sidebars.sort((a, b) => placeOf(a) - placeOf(b)).flat();
  return beside.length > 0 ? joined.concat(menu.filter(({ url }) => joined.every((entry) => entry.url !== url))) : joined;
}

function insertAll(joined: NavigationEntry[], list: readonly NavigationEntry[]): NavigationEntry[] {
  let after = -1;
  for (const entry of list) {
    const at = joined.findIndex(({ url }) => url === entry.url);
    after = at === -1 ? (after === -1 ? joined.length : after + 1) : at;
    if (at === -1) joined.splice(after, 0, entry);
  }
  return joined;
}

/** Notion ends every name with the id of the page. */
export const NOTION_ID = /(?<=\S)[ -][0-9a-f]{32}$/;

/** Longer titles of the overview of a folder say more than the name of a section. */
const OVERVIEW_TITLE_MAX = 40;

const OVERVIEW = /^(?:(?:index|readme)(?:\.mdx?)?)?$/i;

/** The folders of notes as navigation, with their overviews first; empty if all are in one folder. @param shared Folders that all have in common. @param languageAt The folder of a language. */
export function folderNavigation(
  pages: readonly SourcePage[],
  shared: number,
  languageAt: (page: SourcePage) => number,
): NavigationEntry[] {
  const partsOf = ({ path }: SourcePage) => {
    const folders = path.split('/').slice(shared);
    const name = (folders.pop() ?? '').replace(/\.[^.]*$/, '').toLowerCase();
    return { folders, name, isOverview: OVERVIEW.test(name) || name === folders.at(-1)?.toLowerCase() };
  };
  const overviews = pages.flatMap((page) => {
    const { folders, isOverview } = partsOf(page);
    const isName = isOverview && page.title.length <= OVERVIEW_TITLE_MAX;
    return isName ? [{ folder: folders.join('/'), place: [...folders.slice(0, -1), page.title].join('\n'), title: page.title }] : [];
  });
  // Folders beside each other, such as two products, can have overviews of one title.
  const alone = [...Map.groupBy(overviews, ({ place }) => place).values()].filter(({ length }) => length === 1).flat();
  const titles = new Map(alone.map(({ folder, title }) => [folder, title]));
  const entries = pages.map((page) => {
    const { path, title } = page;
    const { folders: parts, name, isOverview } = partsOf(page);
    const titleOf = (folder: string, at: number): string =>
      titles.get(parts.slice(0, at + 1).join('/')) ?? titleFromPath(`${folder.replace(NOTION_ID, '')}/index`);
    const folders = parts.map(titleOf).filter((_, at) => at + shared !== languageAt(page));
    // Notes of a folder come before its folders.
    const key = [...parts.map((folder) => `b${folder}`), `a${isOverview ? '' : name}`];
    return { url: `/${path}`, label: title, path: folders, key };
  });
  const compare = (a: readonly string[], b: readonly string[]): number => {
    const at = a.findIndex((part, index) => part !== b[index]);
    return (a[at] ?? '').localeCompare(b[at] ?? '', 'en', { numeric: true });
  };
  return entries.every(({ path }) => path.length === 0) ? [] : entries.sort((a, b) => compare(a.key, b.key));
}

/** The text of `content/sections.yaml` for a navigation; versions are sections of a product. @param existing Sections whose ids stay. */
export function sectionsYaml(
  navigation: readonly NavigationEntry[],
  placeOf: (url: string) => Place | undefined,
  existing: readonly Section[] = [],
): string | undefined {
  const placed = new Map<string, PlacedEntry>();
  for (const entry of navigation) {
    const place = placeOf(entry.url);
    if (place === undefined || placed.has(place.id)) continue;
    const path = place.language === undefined ? entry.path : [languageName(place.language), ...entry.path];
    placed.set(place.id, { ...entry, ...place, path });
  }
  const entries = [...placed.values()].sort((a, b) => (a.language ?? '').localeCompare(b.language ?? '', 'en'));
  if (entries.length === 0) return undefined;
  const products = productsIn(entries);
  const versioned = new Set(products.flatMap(({ versions }) => versions.flatMap(({ pages }) => pages)));
  const plain = entries.filter((entry) => !versioned.has(entry));
  const ofVersion = ({ title, pages }: { readonly title: string; readonly pages: readonly PlacedEntry[] }): NewSection => {
    return { id: '', title, items: sectionsOf(pages, SECTION_DEPTH_MAX - 2) };
  };
  const sections = [
    ...products.map(({ title, versions }): NewSection => ({ id: '', title, versions: true, items: versions.map(ofVersion) })),
    ...sectionsOf(plain, SECTION_DEPTH_MAX),
  ];
  nameSections(sections, existing);
  return stringify({ sections }, { lineWidth: 0 });
}

type Place = { readonly id: string; readonly language?: string | undefined };
type PlacedEntry = NavigationEntry & Place;

function sectionsOf(navigation: readonly PlacedEntry[], depth: number): NewSection[] {
  const sections: NewSection[] = [];
  const groups = new Set(navigation.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join('\n'))));
  // A link with the name of a group is the page of the group: themes fold what it holds.
  const paths = navigation.map(({ label, path }) => (groups.has([...path, label].join('\n')) ? [...path, label] : path));
  for (const [at, { id, label }] of navigation.entries()) {
    const path = paths[at] ?? [];
    // Between groups, a page keeps its place.
    const isBetween = (paths[at - 1] ?? []).length > 0 && paths[at + 1]?.length !== 0;
    let items: (string | NewSection)[] = sections;
    for (const name of path.length > 0 ? path.slice(0, depth) : [isBetween ? label : UNGROUPED]) {
      const title = name.slice(0, SECTION_TITLE_MAX);
      const known = items.find((item): item is NewSection => typeof item !== 'string' && item.title === title);
      const section = known ?? { id: '', title, items: [] };
      if (known === undefined) items.push(section);
      items = section.items;
    }
    items.push(id);
  }
  return sections;
}

/** A part of an address that names a version: a number with a point or a `v`, or a name of one that moves. */
export const VERSION =
  /^(?:v?\d+(?:\.(?:\d+|x))+|v\d+|latest|stable|current|next|main|master|dev|devel|development|beta|nightly|unstable|pre-?release)$/i;

/** The pages of each version of each product: what is before the version in addresses is the product, and two versions have some page in common. */
function productsIn(entries: readonly PlacedEntry[]) {
  const addressed = entries.map((entry) => {
    const parts = new URL(entry.url, 'http://a').pathname.split('/').filter((part) => part !== '');
    return { entry, parts, at: parts.findIndex((part) => VERSION.test(part)) };
  });
  const pagesOf = (list: typeof addressed, from: number): ReadonlyMap<string, PlacedEntry> =>
    new Map(list.map(({ entry, parts }) => [parts.slice(from).join('/'), entry]));
  const [plain, versioned] = [addressed.filter(({ at }) => at === -1), addressed.filter(({ at }) => at !== -1)];
  return [...Map.groupBy(versioned, ({ parts, at }) => parts.slice(0, at).join('/'))].flatMap(([prefix, ofProduct]) => {
    const depth = ofProduct[0]?.at ?? 0;
    const byVersion = Map.groupBy(ofProduct, ({ parts }) => parts[depth] ?? '');
    const versions = [...byVersion].map(([version, list]) => [version, pagesOf(list, depth + 1)] as const);
    // Docusaurus has the current version at the addresses without a version.
    const unversioned = plain.filter(({ parts }) => depth === 0 || `${parts.join('/')}/`.startsWith(`${prefix}/`));
    const current = pagesOf(unversioned, depth);
    const isShared = (pages: ReadonlyMap<string, unknown>): boolean =>
      versions.some(([, others]) => others !== pages && [...pages.keys()].some((page) => !OVERVIEW.test(page) && others.has(page)));
    const all = [...(isShared(current) ? [['Current', current] as const] : []), ...versions];
    if (all.length < 2 || !all.some(([, pages]) => isShared(pages))) return [];
    const sorted = all.sort(([a], [b]) => rankOf(a) - rankOf(b) || b.localeCompare(a, 'en', { numeric: true }));
    const name = prefix.split('/').at(-1) ?? '';
    const title = name.length < 3 ? 'Documentation' : name.charAt(0).toUpperCase() + name.slice(1);
    return [{ title, versions: sorted.map(([version, pages]) => ({ title: version, pages: [...pages.values()] })) }];
  });
}

function rankOf(version: string): number {
  return /\d/.test(version) ? 2 : /^(?:latest|stable|current)$/i.test(version) ? 0 : 1;
}

/** Gives sections the ids that they had; new ones are named by their titles, or by the ids of their capsules, if those are not Latin. */
function nameSections(sections: readonly Section[], existing: readonly Section[]): void {
  const known = new Map(allSections(existing).map((placed) => [titleInPlace(placed), placed.section.id]));
  const taken = new Set<string>();
  const all = allSections(sections).map((placed) => ({ section: placed.section as NewSection, id: known.get(titleInPlace(placed)) }));
  for (const { section, id } of all) {
    if (id === undefined || taken.has(id)) continue;
    section.id = id;
    taken.add(id);
  }
  for (const { section } of all) {
    if (section.id !== '') continue;
    const [first = [], ...others] = capsulesOf(section).map((id) => id.split('-'));
    const end = first.findIndex((word, at) => others.some((other) => other[at] !== word));
    const named = [first.slice(0, end === -1 ? undefined : end), first].map((words) => words.join('-'));
    const ofCapsules = named.find((id) => id !== '' && !taken.has(id)) ?? 'section';
    section.id = freeName(slugOf(section.title) || ofCapsules, taken, { room: LIMITS.idMaxLength - 4 });
  }
}

/** A name that no other has, from now on taken: with the first free number from 2 at its end, within so many characters without its prefix. */
export function freeName(name: string, taken: Set<string>, { prefix = '', ending = '', room = Number.POSITIVE_INFINITY } = {}): string {
  for (let count = 1; ; count += 1) {
    const number = count === 1 ? '' : `-${count}`;
    const free = `${prefix}${name.slice(0, room - number.length).replace(/(?<!-)-+$/, '')}${number}${ending}`;
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}
