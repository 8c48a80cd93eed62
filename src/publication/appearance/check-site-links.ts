import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_PAGE_ID } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { LINKED_PAGES, type SiteLink } from '../../schemas/site-links.ts';
import { nearestName } from '../../search/format/spelling.ts';
import { PUBLIC_FOLDER } from './check-look.ts';

/** A mistake in publisher.yaml. */
interface LinkFinding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What links may lead to. */
export interface LinkTargets {
  /** Ids of the publisher's pages, those with mistakes included. */
  readonly pages: readonly string[];
  /** Whether a path of this site has a page. */
  readonly exists: (path: string) => boolean;
}

/** Links of navigation, footer and home page that lead nowhere, and texts and pictures that are missing. */
export function checkSiteLinks(root: string, publisher: Publisher, { pages, exists }: LinkTargets): LinkFinding[] {
  const { navigation = [], footer, home } = publisher;
  const named = [...Object.keys(LINKED_PAGES), ...pages.filter((id) => id !== HOME_PAGE_ID)];
  const pageProblem = (page: string, known: readonly string[]): string | undefined => {
    if (known.includes(page)) return undefined;
    const nearest = nearestName(page, known);
    return `there is no page "${page}". ${nearest === undefined ? `Write content/pages/${page}.md, or name one of ${known.join(', ')}` : `Did you mean "${nearest}"?`}`;
  };
  const linkProblem = (link: SiteLink): string | undefined => {
    if ('page' in link) return pageProblem(link.page, named);
    const path = link.href.replace(/[?#].*$/s, '');
    if (!path.startsWith('/') || exists(path) || existsSync(join(root, PUBLIC_FOLDER, path))) return undefined;
    return `${path} is not a page of this site or a file in ${PUBLIC_FOLDER}/`;
  };
  const links = (path: readonly (string | number)[], list: readonly SiteLink[]): LinkFinding[] =>
    list.flatMap((link, index) => {
      const message = linkProblem(link);
      return message === undefined ? [] : [{ path: [...path, index], message }];
    });
  return [
    ...links(['navigation'], navigation),
    ...(footer.columns ?? []).flatMap((column, index) => links(['footer', 'columns', index, 'links'], column.links)),
    ...links(['home', 'actions'], home.actions),
    ...home.sections.flatMap((section, index) => {
      const message = section.section === 'text' && section.page !== undefined ? pageProblem(section.page, pages) : undefined;
      return message === undefined ? [] : [{ path: ['home', 'sections', index], message }];
    }),
    ...(home.image === undefined || existsSync(join(root, PUBLIC_FOLDER, home.image.file))
      ? []
      : [
          { path: ['home', 'image', 'file'], message: `${home.image.file} is missing: put the file at ${PUBLIC_FOLDER}${home.image.file}` },
        ]),
  ];
}
