import { changeLinesOutsideFences } from './write-markup.ts';

export type AdmonitionKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

export const ADMONITION_KINDS: Readonly<Record<string, AdmonitionKind>> = {
  note: 'note',
  info: 'note',
  tip: 'tip',
  hint: 'tip',
  success: 'tip',
  important: 'important',
  warning: 'warning',
  caution: 'caution',
  danger: 'caution',
  error: 'caution',
};

export const DETAILS = 'details';

/** One of several alternative texts, such as commands for different systems. Adjacent tabs form a group. */
export const TAB = 'tab';

const OPENING = /^([ \t>]*)(:{3,})([ \t]*)([a-zA-Z][\w-]*)([ \t]+)(?![[{\s])(.*)$/;
const SPACED = /^([ \t>]*)(:{3,})([ \t]+)([a-zA-Z][\w-]*)(.*)$/;
const FENCE = /^[ \t>]*(`{3,}|~{3,})/;

/**
 * Writes the opening lines of VitePress and Docusaurus, `::: tip Title` and `:::tip Title`, as the directive `:::tip`, with spaces for the
 * title: lines and offsets stay the same. {@link admonitionTitle} reads the title.
 *
 * @see {@link https://vitepress.dev/guide/markdown#custom-containers VitePress}, {@link https://docusaurus.io/docs/markdown-features/admonitions Docusaurus}
 */
export function alignAdmonitions(text: string): string {
  if (!text.includes(':::')) return text;
  return changeLinesOutsideFences(text, FENCE, (line) => {
    const opening = SPACED.exec(line) ?? OPENING.exec(line);
    if (opening === null) return line;
    const [, indent = '', colons = '', , name = '', rest = ''] = opening;
    const isDirective = /^[[{]/.test(rest);
    return `${indent}${colons}${name}${isDirective ? rest : ''}`.padEnd(line.length);
  });
}

export function admonitionTitle(openingLine: string): string | undefined {
  const [, , , , , , title] = OPENING.exec(openingLine) ?? [];
  return title?.trim();
}
