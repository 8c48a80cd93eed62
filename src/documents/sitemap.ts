import { statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import { subjectName } from '../schemas/knowledge/sections.ts';
import { hreflangs, type LanguageVersion, languageVersionsOf } from '../schemas/knowledge/translations.ts';
import { buyPath, capsulePath, PATHS, sitemapPartPath, subjectPath } from '../schemas/paths.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import {
  type DocumentFile,
  type DocumentPage,
  type FreeCapsule,
  markdownFile,
  type Publication,
  priceNote,
} from '../text/publication-model.ts';
import { machineDocuments } from './document-registry.ts';
import { listingOf } from './llms-txt.ts';
import { linkLine, section, subjectLines } from './llms-txt-lists.ts';
import { pageLanguages } from './page-registry.ts';

const CAPSULES = 'Capsules';
const SUBJECTS = 'Subjects';

function subjectPages({ capsules, deployment: { subjects } }: Publication): SitemapPage[] {
  const newest = new Map<string, string>();
  for (const { metadata } of capsules)
    for (const tag of metadata.tags) if ((newest.get(tag) ?? '') < metadata.updated) newest.set(tag, metadata.updated);
  return [...newest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, updated]) => ({ path: subjectPath(tag), title: subjectName(tag, subjects), updated }));
}

/** Pages by kind, each address once. Capsules come first: checkers sample the first addresses, and the home page has no markdown version. */
function pagesOf(publication: Publication): { readonly title: string; readonly pages: readonly SitemapPage[] }[] {
  const { capsules, offers, pages, publisherPages, publisher } = publication;
  const inLanguages = pageLanguages(publisherPages, publisher);
  const known = new Set<string>();
  const capsulePage = ({ id, metadata }: FreeCapsule): SitemapPage => {
    const page = { path: capsulePath(id), title: statedTitle(metadata), updated: metadata.updated };
    return { ...page, languages: languageVersionsOf(metadata), note: priceNote(metadata) };
  };
  return [
    { title: CAPSULES, pages: capsules.map(capsulePage) },
    { title: 'Offers', pages: offers.map(({ id, name, updated }) => ({ path: buyPath(id), title: name, updated })) },
    { title: 'Pages', pages: pages.map((page) => ({ ...page, languages: inLanguages[page.path] ?? [] })) },
    { title: SUBJECTS, pages: subjectPages(publication) },
  ].map((group) => ({
    title: group.title,
    pages: group.pages.filter(({ path }) => {
      const isNew = !known.has(path);
      known.add(path);
      return isNew;
    }),
  }));
}

/** Most addresses in one file (sitemaps.org protocol 0.9). */
const ADDRESSES_MAX = 50_000;

const SITEMAP_SCHEMA = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** With the day of the newest change of each page's content, or an index of its parts if it has too many addresses (sitemaps.org protocol 0.9). */
export function sitemapXml(publication: Publication, addressesMax = ADDRESSES_MAX): DocumentFile {
  const parts = partsOfSitemap(publication, addressesMax);
  if (parts.length <= 1) return { ...urlSet(publication, parts[0] ?? []), path: PATHS.sitemap };
  const entries = parts.map((pages, at) => {
    const newest = pages
      .map(({ updated }) => updated)
      .sort()
      .at(-1);
    return `<sitemap><loc>${escapeMarkup(publication.deployment.baseUrl + sitemapPartPath(at + 1))}</loc><lastmod>${newest}</lastmod></sitemap>`;
  });
  return { path: PATHS.sitemap, contentType: 'application/xml', body: xmlList('sitemapindex', entries) };
}

export function sitemapParts(publication: Publication, addressesMax = ADDRESSES_MAX): DocumentFile[] {
  const parts = partsOfSitemap(publication, addressesMax);
  return parts.length <= 1 ? [] : parts.map((pages, at) => ({ ...urlSet(publication, pages), path: sitemapPartPath(at + 1) }));
}

interface SitemapPage extends Pick<DocumentPage, 'path' | 'title' | 'updated'> {
  /** The page in all its languages; none without translations. */
  readonly languages?: readonly LanguageVersion[];
  readonly note?: string;
}

function partsOfSitemap(publication: Publication, addressesMax: number): SitemapPage[][] {
  const all = pagesOf(publication).flatMap(({ pages }) => pages);
  return Array.from({ length: Math.ceil(all.length / addressesMax) }, (_, part) =>
    all.slice(part * addressesMax, (part + 1) * addressesMax),
  );
}

function urlSet({ deployment, publisher }: Publication, pages: readonly SitemapPage[]): Omit<DocumentFile, 'path'> {
  // The address that a host answers, which is the canonical one of the page.
  const end = deployment.mode === 'static' && publisher.static_form === 'directory' ? '/' : '';
  const addressOf = (path: string): string => escapeMarkup(deployment.baseUrl + path + (path === PATHS.home ? '' : end));
  const urls = pages.map(({ path, updated, languages = [] }) => {
    const alternates = hreflangs(languages).map(
      ({ hreflang, path: other }) => `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${addressOf(other)}"/>`,
    );
    return `<url><loc>${addressOf(path)}</loc><lastmod>${updated}</lastmod>${alternates.join('')}</url>`;
  });
  return { contentType: 'application/xml', body: xmlList('urlset', urls) };
}

function xmlList(name: 'urlset' | 'sitemapindex', entries: readonly string[]): string {
  const alternates = entries.some((entry) => entry.includes('<xhtml:')) ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : '';
  return [XML_DECLARATION, `<${name} xmlns="${SITEMAP_SCHEMA}"${alternates}>`, ...entries, `</${name}>`, ''].join('\n');
}

/** The same pages and the machine-readable documents; lists of capsules by subject if llms.txt has them. */
export function sitemapMarkdown(publication: Publication): DocumentFile {
  const { baseUrl } = publication.deployment;
  const linesOf = (pages: readonly Pick<SitemapPage, 'path' | 'title' | 'note'>[]): string[] =>
    pages.map(({ title, path, note = '' }) => linkLine(title, baseUrl + path, note.trim()));
  const bySubject = listingOf(publication) === 'subjects';
  const parts = [
    `# Sitemap of ${publication.publisher.name}`,
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    ...pagesOf(publication)
      .filter(({ title }) => !(bySubject && title === SUBJECTS))
      .map(({ title, pages }) =>
        bySubject && title === CAPSULES ? section('Capsules by subject', subjectLines(publication)) : section(title, linesOf(pages)),
      ),
    section('Machine-readable documents', linesOf(machineDocuments(publication))),
  ];
  return markdownFile(PATHS.sitemapMd, `${parts.filter((part) => part !== '').join('\n\n')}\n`);
}
