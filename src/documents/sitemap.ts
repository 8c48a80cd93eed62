import { escapeMarkup, markdownLink, XML_DECLARATION } from '../publication/markdown/write-markup.ts';
import type { DocumentFile, DocumentPage, Publication } from '../publication/publication.ts';
import { buyPath, capsulePath, PATHS } from '../schemas/paths.ts';
import { machineDocuments } from './document-registry.ts';

/** Pages by kind, each address once. Capsules come first: checkers sample the first addresses, and the home page has no markdown version. */
function pagesOf({
  capsules,
  offers,
  pages,
}: Publication): { readonly title: string; readonly pages: readonly Pick<DocumentPage, 'path' | 'title' | 'updated'>[] }[] {
  const known = new Set<string>();
  const groups = [
    {
      title: 'Capsules',
      pages: capsules.map(({ id, metadata }) => ({ path: capsulePath(id), title: metadata.title, updated: metadata.updated })),
    },
    { title: 'Offers', pages: offers.map(({ id, name, updated }) => ({ path: buyPath(id), title: name, updated })) },
    { title: 'Pages', pages },
  ];
  return groups.map((group) => ({
    title: group.title,
    pages: group.pages.filter(({ path }) => {
      const isNew = !known.has(path);
      known.add(path);
      return isNew;
    }),
  }));
}

/** `/sitemap.xml`, with the day of the newest change of each page's content (sitemaps.org protocol 0.9). */
export function sitemapXml(publication: Publication): DocumentFile {
  const { baseUrl } = publication.deployment;
  const urls = pagesOf(publication).flatMap(({ pages }) =>
    pages.map(({ path, updated }) => `<url><loc>${escapeMarkup(baseUrl + path)}</loc><lastmod>${updated}</lastmod></url>`),
  );
  const body = [XML_DECLARATION, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', ...urls, '</urlset>', ''].join('\n');
  return { path: PATHS.sitemap, contentType: 'application/xml', body };
}

/** `/sitemap.md`: the same pages and the machine-readable documents, as lists of links. */
export function sitemapMarkdown(publication: Publication): DocumentFile {
  const { baseUrl } = publication.deployment;
  const list = (title: string, entries: readonly Pick<DocumentPage, 'path' | 'title'>[]): string =>
    entries.length === 0
      ? ''
      : [`## ${title}`, '', ...entries.map((entry) => `- ${markdownLink(entry.title, baseUrl + entry.path)}`)].join('\n');
  const parts = [
    `# Sitemap of ${publication.publisher.name}`,
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    ...pagesOf(publication).map(({ title, pages }) => list(title, pages)),
    list('Machine-readable documents', machineDocuments(publication)),
  ];
  return {
    path: PATHS.sitemapMd,
    contentType: 'text/markdown; charset=utf-8',
    body: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
  };
}
