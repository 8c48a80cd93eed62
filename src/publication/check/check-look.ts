import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_PAGE_ID } from '../../schemas/paths.ts';
import { LINKED_PAGES, type Look, type Publisher, type SiteLink } from '../../schemas/publisher.ts';
import { suggestName } from '../../search/suggest-names.ts';
import type { FieldFinding } from '../content-problem.ts';
import { contrastFindings, MIN_TEXT_CONTRAST } from './palette.ts';

/** Folder of a publication whose files are served as they are. */
export const PUBLIC_FOLDER = 'public';

/** Lowest contrast of large text (WCAG 2.2, 1.4.3): below, nothing can be read. */
const MIN_LARGE_CONTRAST = 3;

export function checkLook(root: string, look: Look): FieldFinding[] {
  return [
    ...contrastFindings(look).map(({ color, scheme, value, ratio, suggestion }) => {
      const written = look.colors[color];
      const isDerived = written === undefined;
      return {
        path: ['colors', ...(isDerived ? ['background'] : typeof written === 'object' ? [color, scheme] : [color])],
        message: `${value} on the ${scheme} background has a contrast of ${ratio.toFixed(2)}:1, and text needs ${MIN_TEXT_CONTRAST}:1 (WCAG 2.2, 1.4.3); the nearest colour that passes is "${suggestion}"`,
        level: ratio < MIN_LARGE_CONTRAST ? ('error' as const) : ('warning' as const),
      };
    }),
    ...missingFiles(root, namedFiles(look)),
  ];
}

function missingFiles(root: string, named: readonly { readonly path: readonly string[]; readonly file: string }[]) {
  return named
    .filter(({ file }) => !existsSync(join(root, PUBLIC_FOLDER, file)))
    .map(({ path, file }) => ({ path, message: `${file} is missing: put the file at ${PUBLIC_FOLDER}${file}`, level: 'error' as const }));
}

function namedFiles({ logo, favicon, social_image: image }: Look): { readonly path: readonly string[]; readonly file: string }[] {
  const logos = typeof logo === 'object' ? Object.entries(logo).map(([scheme, file]) => ({ path: ['logo', scheme], file })) : [];
  return [
    ...logos,
    ...(typeof logo === 'string' ? [{ path: ['logo'], file: logo }] : []),
    ...(favicon === undefined ? [] : [{ path: ['favicon'], file: favicon }]),
    ...(image === undefined ? [] : [{ path: ['social_image', 'file'], file: image.file }]),
  ];
}

interface LinkTargets {
  /** Ids of the publisher's pages, those with mistakes included. */
  readonly pages: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** Why a link leads nowhere on this site; `undefined` if it does not, or leads elsewhere. */
export function missingPath(root: string, href: string, exists: LinkTargets['exists']): string | undefined {
  const path = href.replace(/[?#].*$/s, '');
  if (!path.startsWith('/') || exists(path) || existsSync(join(root, PUBLIC_FOLDER, path))) return undefined;
  return `${path} is not a page of this site or a file in ${PUBLIC_FOLDER}/`;
}

/** Links of navigation, footer and home page that lead nowhere, and texts and pictures that are missing. */
export function checkSiteLinks(root: string, publisher: Publisher, { pages, exists }: LinkTargets): FieldFinding[] {
  const { navigation = [], footer, home } = publisher;
  const named = [...Object.keys(LINKED_PAGES), ...pages.filter((id) => id !== HOME_PAGE_ID)];
  const pageProblem = (page: string, known: readonly string[]): string | undefined => {
    if (known.includes(page)) return undefined;
    const nearest = suggestName(page, known);
    return `there is no page "${page}". ${nearest === undefined ? `Write content/pages/${page}.md, or name one of ${known.join(', ')}` : `Did you mean "${nearest}"?`}`;
  };
  const linkProblem = (link: SiteLink): string | undefined => {
    if ('page' in link) return pageProblem(link.page, named);
    return missingPath(root, link.href, exists);
  };
  const links = (path: readonly PropertyKey[], list: readonly SiteLink[]): FieldFinding[] =>
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
    ...missingFiles(root, home.image === undefined ? [] : [{ path: ['home', 'image', 'file'], file: home.image.file }]),
  ];
}
