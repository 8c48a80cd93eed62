import type { Heading, Root } from 'mdast';
import { plainText } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';

/** The first `# heading` of a text that is not within a quote or a list. */
function titleHeading(root: Root): Heading | undefined {
  return root.children.find((node): node is Heading => node.type === 'heading' && node.depth === 1 && titleText(node) !== '');
}

/** A heading as a title: without an id such as `{#setup}` at its end, on one line. */
function titleText(heading: Heading): string {
  return plainText(heading)
    .trimEnd()
    .replace(/\{#[^{}\s]+\}$/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The title that a text states in its first `# heading`. */
export function titleOfText(root: Root): string | undefined {
  const heading = titleHeading(root);
  return heading && titleText(heading);
}

/**
 * A text for a place that already shows its title: without the first `# heading` if that is the title, and the levels by which other headings
 * must move down to stay below the title. The published text itself, which is hashed, keeps the heading.
 */
export function textBelowTitle(markdown: string, title: string): { readonly markdown: string; readonly headingShift: 0 | 1 } {
  // Most texts have no first-level heading, and need not be parsed for this.
  if (!/^ {0,3}#[ \t]|^ {0,3}=+[ \t]*$/m.test(markdown)) return { markdown, headingShift: 0 };
  const root = parseText(markdown);
  const heading = titleHeading(root);
  const isTitle = heading !== undefined && isHeadingOfTitle(heading, root, title);
  const [start, end] = [heading?.position?.start.offset, heading?.position?.end.offset];
  const isRepeated = isTitle && start !== undefined && end !== undefined;
  const others = root.children.some((node) => node.type === 'heading' && node.depth === 1 && !(isRepeated && node === heading));
  return {
    markdown: isRepeated ? `${markdown.slice(0, start)}${markdown.slice(end)}`.replace(/^\n+/, '') : markdown,
    headingShift: others ? 1 : 0,
  };
}

/** Whether a heading of a text is the one that repeats its title. */
export function isHeadingOfTitle(heading: Heading, root: Root, title: string): boolean {
  return heading === titleHeading(root) && sameWords(titleText(heading), title);
}

function sameWords(a: string, b: string): boolean {
  const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
  return words(a) === words(b);
}
