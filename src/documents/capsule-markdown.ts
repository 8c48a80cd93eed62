import { textBelowTitle } from '../publication/defaults/title-heading.ts';
import { rewriteLinks } from '../publication/links/rewrite-links.ts';
import type { TextReferences } from '../publication/links/text-references.ts';
import type { DocumentCapsule, DocumentFile, Publication } from '../publication/publication.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import type { CapsuleSource } from '../schemas/knowledge/capsule-front-matter.ts';
import { capsuleFilePath, capsuleMarkdownPath, capsulePath, capsuleVersionPath, lineageFilePath, PATHS } from '../schemas/paths.ts';
import { markdownLink, plainMarkdown, withAbsoluteLinks } from './write-markup.ts';

/** What the documents of a capsule show of the publication around it. */
export type CapsuleSurroundings = Omit<Publication, 'mirror' | 'examples' | 'tombstones'>;

/**
 * A capsule's page as markdown: front matter, the address of llms.txt, the text with its sources as footnotes, and the other addresses of
 * the capsule. The hashed bytes are at the address of the version, not here.
 *
 * @param capsule A capsule whose text is free.
 * @see GitHub Flavored Markdown, footnotes; RFC 7763 text/markdown.
 */
export function capsuleMarkdownPage(capsule: DocumentCapsule, publication: CapsuleSurroundings): DocumentFile {
  const { metadata, id, markdown = '', references } = capsule;
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
    readingText(markdown, metadata.title, baseUrl, references),
    metadata.sources.map((source) => `[^${source.key}]: ${sourceLine(source)}`).join('\n'),
    sitemapSection(capsule, baseUrl),
  ];
  return {
    path: capsuleMarkdownPath(id),
    contentType: 'text/markdown; charset=utf-8',
    body: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
  };
}

/** YAML front matter. JSON strings are valid YAML 1.2. */
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

/** Block quote for a superseded or retracted capsule; empty for a current one. */
export function statusNotice(
  { status, status_reason, superseded_by }: CapsuleMetadata,
  { deployment, capsules }: Pick<Publication, 'deployment' | 'capsules'>,
): string {
  if (status === 'current') return '';
  const successor = capsules.find(({ id }) => id === superseded_by);
  const replaced = successor
    ? ` Replaced by ${markdownLink(successor.metadata.title, deployment.baseUrl + capsulePath(successor.id))}.`
    : '';
  const word = status === 'retracted' ? '**Retracted.** This capsule should no longer be relied on.' : '**Superseded.**';
  return `> ${word}${replaced}${status_reason === undefined ? '' : ` ${plainMarkdown(status_reason)}`}`;
}

/** A source as one line of markdown. */
export function sourceLine({ title, url, publisher, retrieved }: CapsuleSource): string {
  return `${markdownLink(title, url)}. ${plainMarkdown(publisher)}.${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}

/** The text of a capsule below its title, with absolute addresses of links and images, without white space around it. */
export function readingText(markdown: string, title: string, baseUrl: string, references?: TextReferences): string {
  return withAbsoluteLinks(rewriteLinks(textBelowTitle(markdown, title).markdown, references), baseUrl).trim();
}
