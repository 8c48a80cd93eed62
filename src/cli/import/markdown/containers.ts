import { admonition, admonitionKind, admonitionTitle } from './markdown-forms.ts';
import { scanLines } from './text-edits.ts';

interface Container {
  readonly name: string;
  readonly title: string;
  readonly colons: number;
  readonly indent: string;
  /** Where its opening line is in the output. */
  readonly at: number;
  /** Most colons of a fence within it. */
  inner: number;
}

const OPENING = /^([ \t>]*)(:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[((?:[^\]\\]|\\.)*)\])?[ \t]*(?:\{[^}]*\})?[ \t]*(.*?)[ \t]*$/;
const CLOSING = /^[ \t>]*(:{3,})[ \t]*$/;

/**
 * Containers between lines of colons as this engine writes them: `::: tip Title`, `:::tip[Title]` and `:::tip Title` become
 * `:::tip[Title]`, `::: details Title` becomes `<details>`. Of others, such as `::: code-group`, what is within remains.
 */
export function rewriteContainers(text: string): string {
  if (!text.includes(':::')) return text;
  const output: string[] = [];
  const open: Container[] = [];
  for (const { text: line, isCode } of scanLines(text)) {
    const closing = isCode ? null : CLOSING.exec(line);
    const opening = isCode || closing ? null : OPENING.exec(line);
    if (opening) {
      const [, indent = '', colons = '', name = '', bracketed, rest = ''] = opening;
      open.push({
        name,
        indent,
        colons: colons.length,
        title: (bracketed ?? rest).replace(/\{[^{}]*\}$/, '').trimEnd(),
        at: output.length,
        inner: 2,
      });
      output.push('');
    } else if (closing) {
      const colons = (closing[1] ?? '').length;
      const container = open.at(-1);
      if (container && container.colons <= colons) {
        open.pop();
        close(container, output, open.at(-1));
      }
    } else {
      output.push(line);
    }
  }
  // A container that is never closed ends with the text.
  for (let container = open.pop(); container; container = open.pop()) close(container, output, open.at(-1));
  return output.join('\n');
}

function close({ name, title, indent, at, inner }: Container, output: string[], parent: Container | undefined): void {
  const kind = admonitionKind(name);
  if (kind !== undefined) {
    const fence = ':'.repeat(inner + 1);
    output[at] = `${indent}${fence}${kind}${title === '' ? '' : `[${admonitionTitle(title)}]`}`;
    output.push(`${indent}${fence}`);
    if (parent) parent.inner = Math.max(parent.inner, inner + 1);
  } else {
    if (parent) parent.inner = Math.max(parent.inner, inner);
    if (name === 'details') {
      output[at] = `${indent}<details>\n${indent}<summary>${title === '' ? 'Details' : title}</summary>\n`;
      output.push('', `${indent}</details>`);
    }
  }
}

const CALLOUT = /^([ \t]*)>[ \t]*\[!([\w-]+)(?:\|[^\]]*)?\]([+-]?)[ \t]*(.*?)[ \t]*$/;

/** The five kinds of alerts that GitHub has, which stay as they are. */
const GITHUB_ALERT = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/i;

/** Callouts of Obsidian: `> [!tip]- Title` becomes an admonition. Alerts of GitHub, which have no title, stay. */
export function rewriteCallouts(text: string): string {
  if (!text.includes('[!')) return text;
  const lines = scanLines(text);
  const output: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const { text: line, isCode } = lines[index] ?? { text: '', isCode: false };
    const [whole, indent = '', name = '', fold = '', title = ''] = (isCode ? null : CALLOUT.exec(line)) ?? [];
    if (whole === undefined || (GITHUB_ALERT.test(name) && fold === '' && title === '')) {
      output.push(line);
      continue;
    }
    const body: string[] = [];
    while (/^[ \t]*>/.test(lines[index + 1]?.text ?? '')) {
      index += 1;
      body.push((lines[index]?.text ?? '').replace(/^[ \t]*> ?/, ''));
    }
    const written = admonition(admonitionKind(name) ?? 'note', title, rewriteCallouts(body.join('\n')));
    output.push(...(output.at(-1)?.trim() ? [''] : []), ...written.split('\n').map((row) => (row === '' ? '' : indent + row)));
    if (lines[index + 1]?.text.trim()) output.push('');
  }
  return output.join('\n');
}
