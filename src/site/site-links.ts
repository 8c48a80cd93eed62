import { frame } from 'virtual:strings';
import { LINKED_PAGES, type LinkedPage, type SiteLink } from '../schemas/publisher.ts';

/** What decides about links. */
type LinkLocals = Pick<App.Locals, 'site' | 'enginePages'>;

/** A link of header, footer or home page. */
export interface ShownLink {
  readonly label: string;
  readonly href: string;
  /** Whether it leads to another site. */
  readonly isExternal: boolean;
}

/** Label and address of a link of publisher.yaml. */
export function shownLink(link: SiteLink, locals: LinkLocals): ShownLink {
  if ('href' in link) return { label: link.label, href: link.href, isExternal: !link.href.startsWith('/') };
  const { page, label } = link;
  const written = locals.site.publisherPages.find(({ path }) => path === `/${page}`);
  if (written) return { label: label ?? written.label ?? written.title, href: written.path, isExternal: false };
  return { label: label ?? engineLabel(page as LinkedPage, locals), href: LINKED_PAGES[page as LinkedPage], isExternal: false };
}

/** The links of the header: those of publisher.yaml, or else the main pages of the engine and the publisher's own for the header. */
export function headerLinks(locals: LinkLocals): ShownLink[] {
  const { site } = locals;
  const own = site.publisherPages.filter(({ navigation }) => navigation === 'header').map(({ path }) => ({ page: path.slice(1) }));
  const pages = ['capsules', ...(site.features.shop ? ['buy'] : []), 'docs', 'status'].map((page) => ({ page }));
  return (site.publisher.navigation ?? [...pages, ...own]).map((link) => shownLink(link, locals));
}

/** A column of links in the footer. */
interface FooterColumn {
  /** Of its heading. */
  readonly id: string;
  readonly heading: string;
  readonly links: readonly ShownLink[];
}

/** The columns of the footer: those of publisher.yaml, or else the publisher's pages and those that the engine writes without them. */
export function footerColumns(locals: LinkLocals): FooterColumn[] {
  const { site, enginePages } = locals;
  const { publisherPages: written, features, publisher } = site;
  const { columns } = publisher.footer;
  if (columns)
    return columns.map(({ heading, links }, index) => ({
      id: `footer-${index + 1}`,
      heading,
      links: links.map((link) => shownLink(link, locals)),
    }));
  const withoutText = [enginePages.contact, ...(features.shop ? [enginePages.checkout, enginePages.invoice] : [])].filter(
    ({ path }) => !written.some((page) => page.path === path),
  );
  const links = [...written.filter(({ navigation }) => navigation !== 'none'), ...withoutText].map(({ title, path }) => ({
    label: title,
    href: path,
    isExternal: false,
  }));
  return [{ id: 'more-pages', heading: frame.morePages, links }];
}

function engineLabel(page: LinkedPage, { site, enginePages }: LinkLocals): string {
  if (page === 'home') return site.publisher.name;
  return page === 'docs' ? frame.docs : enginePages[page].title;
}
