import { PATHS } from '../../schemas/paths.ts';

/** Code stays unchanged. @param baseUrl Origin, without a slash at the end. */
export function withAbsoluteLinks(markdown: string, baseUrl: string): string {
  return changeOutsideCode(markdown, (text) =>
    text
      .replace(/(\]\(<?)\/(?!\/)/g, `$1${baseUrl}/`)
      .replace(/(<(?:a|img)\b[^<>]*\s(?:href|src)=["'])\/(?!\/)/gi, `$1${baseUrl}/`)
      .replace(/^( {0,3}\[[^\]^][^\]]*\]: *<?)\/(?!\/)/, `$1${baseUrl}/`),
  );
}

/** Applies `change` to the parts of markdown that are neither code blocks nor code spans, line by line. */
export function changeOutsideCode(markdown: string, change: (text: string) => string): string {
  return changeLinesOutsideFences(markdown, /^ {0,3}(`{3,}|~{3,})/, (line) => outsideCode(line, change));
}

/** Applies `change` to the lines that are in no fenced code. @param fence Captures the marker of a line that begins or ends it. */
export function changeLinesOutsideFences(text: string, fence: RegExp, change: (line: string) => string): string {
  let open: string | undefined;
  const lines = text.split('\n').map((line) => {
    const [beginning = '', marker] = fence.exec(line) ?? [];
    if (open === undefined && marker === undefined) return change(line);
    if (open === undefined) open = marker;
    else if (marker?.startsWith(open) && line.slice(beginning.length).trim() === '') open = undefined;
    return line;
  });
  return lines.join('\n');
}

function outsideCode(line: string, change: (text: string) => string): string {
  const span = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
  let result = '';
  let position = 0;
  for (const match of line.matchAll(span)) {
    result += change(line.slice(position, match.index)) + match[0];
    position = match.index + match[0].length;
  }
  return result + change(line.slice(position));
}

export function plainMarkdown(text: string): string {
  return text.replace(/[[\]\\<]/g, '\\$&');
}

export function linkDestination(address: string): string {
  return /[()\s]/.test(address) ? `<${address}>` : address;
}

export function markdownLink(text: string, address: string): string {
  return `[${plainMarkdown(text)}](${linkDestination(address)})`;
}

/** Escapes text for HTML and XML content and attribute values (XML 1.0 section 2.4), without characters that XML does not allow. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

interface MarkdownPageFacts {
  readonly title: string;
  readonly description: string;
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
export function frontMatter(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]));
  return ['---', ...lines, '---'].join('\n');
}
