import { capsules, frame, offers } from 'virtual:strings';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import {
  capsuleFilePath,
  capsuleMarkdownPath,
  capsuleVersionPath,
  lineageFilePath,
  type PATHS,
  pageMarkdownPath,
} from '../schemas/paths.ts';
import { LINKED_PAGES, type LinkedPage, type SiteLink } from '../schemas/publisher.ts';
import { escapeMarkup } from '../text/markdown/write-markup.ts';
import { languageAttributes, text } from './format-strings.ts';

type LinkLocals = Pick<App.Locals, 'site' | 'enginePages'>;

interface ShownLink {
  readonly label: string;
  readonly href: string;
  /** Language of the label, if it is not that of the interface. */
  readonly lang?: string | undefined;
}

export function shownLink(link: SiteLink, locals: LinkLocals): ShownLink {
  if ('href' in link) return link;
  const { page, label } = link;
  const written = locals.site.publisherPages.find(({ path }) => path === `/${page}`);
  if (written) return { ...ownLink(written), ...(label === undefined ? {} : { label, lang: undefined }) };
  return { label: label ?? engineLabel(page as LinkedPage, locals), href: LINKED_PAGES[page as LinkedPage] };
}

/** The links of the header: those of publisher.yaml, or else the main pages of the engine and the publisher's own for the header. */
export function headerLinks(locals: LinkLocals): ShownLink[] {
  const { site } = locals;
  const own = site.publisherPages
    .filter((page) => page.navigation === 'header' && isOriginal(page, locals))
    .map(({ path }) => ({ page: path.slice(1) }));
  const pages = ['capsules', ...(site.features.shop ? ['buy'] : []), 'docs', 'connect'].map((page) => ({ page }));
  return (site.publisher.navigation ?? [...pages, ...own]).map((link) => shownLink(link, locals));
}

/** The columns of the footer: those of publisher.yaml, or else the publisher's pages and those that the engine writes without them. */
export function footerColumns(locals: LinkLocals): { id: string; heading: string; links: ShownLink[] }[] {
  const { site, enginePages } = locals;
  const { publisherPages: written, features, publisher } = site;
  const { columns } = publisher.footer;
  if (columns)
    return columns.map(({ heading, links }, index) => ({
      id: `footer-${index + 1}`,
      heading,
      links: links.map((link) => shownLink(link, locals)),
    }));
  const withoutText = [
    enginePages.contact,
    enginePages.status,
    ...(features.shop ? [enginePages.checkout, enginePages.invoice] : []),
  ].filter(({ path }) => !written.some((page) => page.path === path));
  const own = written
    .filter((page) => page.navigation !== 'none' && isOriginal(page, locals))
    .map((page) => ({ ...ownLink(page), label: page.title }));
  const links = [...own, ...withoutText.map(({ title, path }) => ({ label: title, href: path }))];
  return [{ id: 'more-pages', heading: frame.morePages, links }];
}

function isOriginal({ path }: Pick<ShownPage, 'path'>, { site: { pageLanguages = {} } }: LinkLocals): boolean {
  return (pageLanguages[path] ?? []).every((version) => version.path === path || !version.isOriginal);
}

type ShownPage = LinkLocals['site']['publisherPages'][number];

function ownLink({ title, label = title, path, language }: ShownPage): ShownLink {
  return { label, href: path, lang: language && languageAttributes(language).lang };
}

function engineLabel(page: LinkedPage, { site, enginePages }: LinkLocals): string {
  if (page === 'home') return site.publisher.name;
  return page === 'docs' ? frame.docs : enginePages[page].title;
}

export interface AlternateFormat {
  readonly label: string;
  readonly path: string;
  readonly type: string;
  /** Whether it is the page itself in another format, for `<link rel="alternate">`. */
  readonly isAlternate: boolean;
}

/** Formats of a capsule; without its text if that is sold. */
export function capsuleFormats({ capsule_id: id, version, access }: CapsuleMetadata): AlternateFormat[] {
  const isFree = access === 'public';
  const exactText = {
    label: text(capsules.exactText, { version }),
    path: capsuleVersionPath(id, version),
    type: 'text/markdown',
    isAlternate: false,
  };
  return [
    ...(isFree ? [{ label: 'Markdown', path: capsuleMarkdownPath(id), type: 'text/markdown', isAlternate: true }] : []),
    { label: 'JSON', path: capsuleFilePath(id), type: 'application/json', isAlternate: true },
    { label: capsules.lineageAsJson, path: lineageFilePath(id), type: 'application/json', isAlternate: false },
    ...(isFree ? [exactText] : []),
  ];
}

/** The page as markdown, which the build makes from the page. */
export function markdownFormat(path: string): AlternateFormat {
  return { label: 'Markdown', path: pageMarkdownPath(path), type: 'text/markdown', isAlternate: true };
}

/** The catalog, at the address that belongs to a page. */
export function catalogFormat(path: typeof PATHS.offersJson | typeof PATHS.buyJson | typeof PATHS.pricingJson): AlternateFormat {
  return { label: offers.catalogAsJson, path, type: 'application/json', isAlternate: true };
}

/**
 * The HTML of a text, in which links to some addresses say what they lead to: styles show it when a link is pointed at or has the focus.
 *
 * @param previews What each address leads to, as plain text.
 */
export function withPreviews(html: string, previews: ReadonlyMap<string, string>): string {
  // Only attributes: code that a text shows may look like one, but its "<" is escaped.
  return html.replace(/<a [^<>]*?href="([^"<>]*)"/g, (link, path: string) => {
    const preview = previews.get(path);
    return preview === undefined ? link : `${link} data-preview="${escapeMarkup(preview)}"`;
  });
}
