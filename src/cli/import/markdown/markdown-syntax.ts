import { ADMONITION_KINDS, type AdmonitionKind, type TAB } from '../../../text/markdown/admonition-lines.ts';
import { walk } from '../../../text/markdown/markdown-tree.ts';
import { parseText } from '../../../text/markdown/parse-text.ts';

const KINDS: Readonly<Record<string, AdmonitionKind>> = {
  ...ADMONITION_KINDS,
  ...{ aside: 'note', seealso: 'note', abstract: 'note', summary: 'note', tldr: 'note', todo: 'note', callout: 'note' },
  ...{ question: 'note', help: 'note', faq: 'note', example: 'note', quote: 'note', cite: 'note', secondary: 'note', admonition: 'note' },
  ...{ check: 'tip', done: 'tip', attention: 'warning', warn: 'warning', alert: 'warning', failure: 'warning' },
  ...{ fail: 'warning', missing: 'warning', bug: 'warning' },
};

export function admonitionKind(name: string): AdmonitionKind | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
}

function admonitionTitle(title: string): string {
  return title
    .replace(/!?(?<!\\)\[((?:[^\][\\]|\\.)*)\]\((?:<[^<>\n]*>|[^()<\n]|\([^()\n]*\))*\)/g, '$1')
    .replace(/(?<!\\)[[\]]/g, '\\$&')
    .trim();
}

/** An admonition; its fence is longer than those within it. A title alone becomes its text. */
export function admonition(kind: AdmonitionKind | typeof TAB, title: string | undefined, text: string): string {
  const inner = Math.max(2, ...[...text.matchAll(/^[ \t]*(:{3,})/gm)].map(([, colons = '']) => colons.length));
  const fence = ':'.repeat(inner + 1);
  if (text.trim() === '' && kind !== 'tab') return `${fence}${kind}\n${title ?? ''}\n${fence}`;
  const label = title === undefined || title === '' ? '' : `[${admonitionTitle(title)}]`;
  return `${fence}${kind}${label}\n${text.trim()}\n${fence}`;
}

/** A fenced code block; its fence is longer than those within it. */
export function codeBlock(code: string, info: string): string {
  const inner = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(inner + 1);
  return `${fence}${info}\n${code.replace(/^\n+/, '').trimEnd()}\n${fence}`;
}

/** A text that becomes a link, an emphasis or a list item: on one line, without the characters that would end them. */
export function escapeText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\[\]*_`<]/g, '\\$&');
}

export function destination(address: string): string {
  const balanced = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return balanced.replace(/[\s<>\\]/g, encodeURIComponent);
}

export function tableCell(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{2,}/g, '<br>')
    .replaceAll('\n', ' ')
    .replace(/(?<!\\)\|/g, '\\|');
}

/** The lines of a markdown text with their state: cheap, and right also where a parser of markdown would read containers differently. */
export function scanLines(text: string) {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const [, ticks = '', rest = ''] = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const isOpening = fence === undefined && ticks !== '' && !(ticks.startsWith('`') && rest.includes('`'));
    const isCode = fence !== undefined || isOpening;
    if (isOpening) fence = ticks;
    else if (fence !== undefined && ticks.startsWith(fence) && rest.trim() === '') fence = undefined;
    return { text: line, isCode };
  });
}

/** Changes the parts of a text that are neither fenced code nor code spans. */
export function outsideCode(text: string, change: (prose: string) => string): string {
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
  return change(masked).replace(/\uE000(\d+)\uE001/g, (_, index: string) => spans[Number(index)] ?? '');
}

/** Replaces what matches outside code and formulas as a parser finds them, also where they are indented. */
export function replaceOutsideCode(text: string, pattern: RegExp, write: (...match: readonly (string | undefined)[]) => string): string {
  const code: (readonly [from: number, to: number])[] = [];
  walk(parseText(text), ({ type, position }) => {
    if (/^(?:code|inlineCode|math|inlineMath)$/.test(type)) code.push([position?.start.offset ?? 0, position?.end.offset ?? 0]);
  });
  return text.replace(pattern, (whole: string, ...rest) => {
    const at = Number(rest.at(-2));
    return code.some(([from, to]) => at >= from && at < to) ? whole : write(whole, ...rest.slice(0, -2));
  });
}

/** At most one blank line in a row outside code, none at both ends, one final newline; no spaces at the ends of blank lines. */
export function tidyBlankLines(text: string): string {
  const kept: string[] = [];
  for (const { text: line, isCode } of scanLines(text)) {
    const isBlank = !isCode && line.trim() === '';
    if (isBlank && (kept.length === 0 || kept.at(-1) === '')) continue;
    kept.push(isBlank ? '' : line);
  }
  while (kept.at(-1) === '') kept.pop();
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}

/** A text whose headings from a level on are one level higher. */
export function withRaisedHeadings(text: string, fromLevel: number): string {
  const raised = (line: string): string =>
    line.replace(/^( {0,3})#(#{1,5})(?=[ \t]|$)/, (mark, indent: string, rest: string) =>
      rest.length >= fromLevel - 1 ? indent + rest : mark,
    );
  return scanLines(text)
    .map(({ text: line, isCode }) => (isCode ? line : raised(line)))
    .join('\n');
}
