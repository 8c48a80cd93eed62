import { PATHS } from '../schemas/paths.ts';

export interface MarkdownPageFacts {
  readonly title: string;
  readonly description: string;
  /** Day of the last change, `YYYY-MM-DD`, if it is known. */
  readonly updated: string | undefined;
  readonly url: string;
  readonly baseUrl: string;
}

/** A page as markdown: front matter, the address of llms.txt, the text with its heading, and links to the rest. @see RFC 7763, llmstxt.org. */
export function markdownPage({ title, description, updated, url, baseUrl }: MarkdownPageFacts, text: string): string {
  const parts = [
    frontMatter({ title, description, doc_version: updated, canonical_url: url, last_updated: updated }),
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    text.trim(),
    `## Sitemap\n\n- [All pages](${baseUrl}${PATHS.sitemapMd})\n- [Index for agents](${baseUrl}${PATHS.llmsTxt})`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** YAML front matter of the members that have a value. JSON strings are valid YAML 1.2. */
function frontMatter(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]));
  return ['---', ...lines, '---'].join('\n');
}
