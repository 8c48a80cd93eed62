import { capsuleFilePath, capsulePath, capsuleTwinPath, capsuleVersionPath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import { markdownLink, plainMarkdown } from '../text/absolute-links.ts';
import { readingText, sourceLine, statusNotice } from './capsule-text.ts';
import type { DocumentCapsule, DocumentFile, Publication } from '../../publication/publication.ts';

/**
 * Markdown twin of a capsule's page: front matter, where the index for agents is, the text with its sources as footnotes,
 * and where else the capsule stands. It is presentation; the hashed bytes are at the address of the version.
 *
 * @param capsule One that is free to read.
 * @see GitHub Flavored Markdown, footnotes; RFC 7763 text/markdown.
 */
export function capsuleTwin(capsule: DocumentCapsule, publication: Publication): DocumentFile {
  const { metadata, id, markdown = '' } = capsule;
  const { baseUrl } = publication.deployment;
  const parts = [
    frontMatter({
      title: metadata.title,
      description: metadata.summary,
      doc_version: metadata.version,
      canonical_url: baseUrl + capsulePath(id),
      last_updated: metadata.updated,
      license: metadata.license,
      status: metadata.status,
    }),
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    `# ${plainMarkdown(metadata.title)}`,
    statusNotice(metadata, publication),
    plainMarkdown(metadata.summary),
    readingText(markdown, baseUrl),
    metadata.sources.map((source) => `[^${source.key}]: ${sourceLine(source)}`).join('\n'),
    sitemapSection(capsule, baseUrl),
  ];
  return {
    path: capsuleTwinPath(id),
    contentType: 'text/markdown; charset=utf-8',
    body: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
  };
}

/** YAML front matter. Strings are written as JSON, which YAML 1.2 reads the same. */
function frontMatter(members: Readonly<Record<string, string>>): string {
  return ['---', ...Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`), '---'].join('\n');
}

function sitemapSection({ id, metadata }: DocumentCapsule, baseUrl: string): string {
  const links: readonly (readonly [string, string])[] = [
    ['Page of this capsule', capsulePath(id)],
    [`Exact text of version ${metadata.version}`, capsuleVersionPath(id, metadata.version)],
    ['This capsule as JSON', capsuleFilePath(id)],
    ['Lineage of this capsule', lineageFilePath(id)],
    ['All pages', PATHS.sitemapMd],
    ['Index for agents', PATHS.llmsTxt],
  ];
  return ['## Sitemap', '', ...links.map(([text, path]) => `- ${markdownLink(text, baseUrl + path)}`)].join('\n');
}
