import { PATHS } from '../../schemas/paths.ts';

/** Code stays unchanged. @param baseUrl Origin, without a slash at the end. */
export function withAbsoluteLinks(markdown: string, baseUrl: string): string {
  return changeOutsideCode(markdown, (text) =>
    text
      .replace(/(\]\(<?)\/(?!\/)/g, `$1${baseUrl}/`)
      .replace(/(<(?:a|img)\b[^<>]*\s(?:href|src)=["'])\/(?!\/)/gi, `$1${baseUrl}/`)
      .replace(/^( {0,3}\[[^\]^][^\]]*\]: *<?)\/(?!\/)/gm, `$1${baseUrl}/`),
  );
}

/** The lines of markdown, and whether each is fenced code: cheap, and right also where a parser of markdown would read containers differently. */
export function scanLines(text: string) {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const [, ticks = '', rest = ''] = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const isOpening = fence === undefined && ticks !== '' && !(ticks.startsWith('`') && rest.includes('`'));
    // The closing fence is code, too.
    const isCode = fence !== undefined || isOpening;
    if (isOpening) fence = ticks;
    else if (fence !== undefined && ticks.startsWith(fence) && rest.trim() === '') fence = undefined;
    return { text: line, isCode };
  });
}

/** Applies `change` to the parts of markdown that are neither code blocks nor code spans: to lines that follow each other at once. */
export function changeOutsideCode(text: string, change: (prose: string) => string): string {
  const blocks: { isCode: boolean; lines: string[] }[] = [];
  for (const { text: line, isCode } of scanLines(text)) {
    const last = blocks.at(-1);
    if (last?.isCode === isCode) last.lines.push(line);
    else blocks.push({ isCode, lines: [line] });
  }
  return blocks.map(({ isCode, lines }) => (isCode ? lines.join('\n') : outsideCodeSpans(lines.join('\n'), change))).join('\n');
}

function outsideCodeSpans(text: string, change: (prose: string) => string): string {
  const spans: string[] = [];
  // A private-use character stands for each code span, so that a change can reach across it.
  const masked = text.replace(/(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n)[\s\S])*?[^`])\1(?!`)/g, (span) => {
    spans.push(span);
    return `\uE000${spans.length - 1}\uE001`;
  });
  return change(masked).replace(/\uE000(\d+)\uE001/g, (whole, index: string) => spans[Number(index)] ?? whole);
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
