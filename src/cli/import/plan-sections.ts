import { stringify } from 'yaml';
import { slugOf } from '../../publication/read/content-ids.ts';
import { SECTION_DEPTH_MAX, SECTION_TITLE_MAX } from '../../schemas/knowledge/sections.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { NavigationEntry } from './source-page.ts';

/** Title of the section of links that stand in no group. */
const UNGROUPED = 'Overview';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly items: (string | Section)[];
}

/**
 * The navigation of a whole site: the largest that a page shows, and links of others behind the one that they follow there. Themes fold the groups
 * that a page is not in.
 */
export function joinNavigation(lists: readonly (readonly NavigationEntry[])[]): NavigationEntry[] {
  const sorted = [...new Map(lists.map((list) => [list.map(({ url }) => url).join(' '), list])).values()].sort(
    (a, b) => b.length - a.length,
  );
  const joined: NavigationEntry[] = [];
  const seen = new Set<string>();
  for (const list of sorted) {
    let after = -1;
    for (const entry of list) {
      if (seen.has(entry.url)) {
        after = joined.findIndex(({ url }) => url === entry.url);
        continue;
      }
      seen.add(entry.url);
      after = after === -1 ? joined.length : after + 1;
      joined.splice(after, 0, entry);
    }
  }
  return joined;
}

/**
 * The order of capsules that the navigation of a site gives them, as the text of `content/sections.yaml`; `undefined` without any order.
 *
 * @param idOf The capsule that the page of an address became.
 */
export function sectionsYaml(navigation: readonly NavigationEntry[], idOf: (url: string) => string | undefined): string | undefined {
  const sections: Section[] = [];
  const placed = new Set<string>();
  const taken = new Set<string>();
  const groups = new Set(navigation.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join('\n'))));
  for (const { url, label, path: written } of navigation) {
    const id = idOf(url);
    if (id === undefined || placed.has(id)) continue;
    placed.add(id);
    // A link with the name of a group is the page of the group: themes fold what it holds.
    const path = groups.has([...written, label].join('\n')) ? [...written, label] : written;
    let items: (string | Section)[] = sections;
    for (const label of path.length === 0 ? [UNGROUPED] : path.slice(0, SECTION_DEPTH_MAX)) {
      const title = label.slice(0, SECTION_TITLE_MAX);
      let section = items.find((item): item is Section => typeof item !== 'string' && item.title === title);
      if (section === undefined) {
        section = { id: freeId(title, taken), title, items: [] };
        items.push(section);
      }
      items = section.items;
    }
    items.push(id);
  }
  return placed.size === 0 ? undefined : stringify({ sections }, { lineWidth: 0 });
}

function freeId(title: string, taken: Set<string>): string {
  const base = (slugOf(title) || 'section').slice(0, LIMITS.idMaxLength - 4).replace(/(?<!-)-+$/, '');
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  return id;
}
