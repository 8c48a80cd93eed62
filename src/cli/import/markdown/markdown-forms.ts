import { ADMONITION_KINDS, type AdmonitionKind } from '../../../text/markdown/admonition-lines.ts';

/** Names of admonitions in all generators, and ours. */
const KINDS: Readonly<Record<string, AdmonitionKind>> = {
  ...ADMONITION_KINDS,
  ...{ aside: 'note', seealso: 'note', abstract: 'note', summary: 'note', tldr: 'note', todo: 'note', callout: 'note' },
  ...{ question: 'note', help: 'note', faq: 'note', example: 'note', quote: 'note', cite: 'note', secondary: 'note', admonition: 'note' },
  ...{ check: 'tip', done: 'tip', attention: 'warning', warn: 'warning', alert: 'warning', failure: 'warning' },
  ...{ fail: 'warning', missing: 'warning', bug: 'warning' },
};

/** Our kind for a name of an admonition; `undefined` if it is none. */
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
export function admonition(kind: AdmonitionKind, title: string | undefined, text: string): string {
  const inner = Math.max(2, ...[...text.matchAll(/^[ \t]*(:{3,})/gm)].map(([, colons = '']) => colons.length));
  const fence = ':'.repeat(inner + 1);
  if (text.trim() === '') return `${fence}${kind}\n${title ?? ''}\n${fence}`;
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
  return address.replace(/[\s<>()\\]/g, (character) =>
    character === '(' || character === ')' ? `%${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character),
  );
}

/** Blocks in a cell of a table. */
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
