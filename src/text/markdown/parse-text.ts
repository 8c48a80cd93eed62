import type { Nodes, Root } from 'mdast';
import { directiveFromMarkdown } from 'mdast-util-directive';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { directive } from 'micromark-extension-directive';
import { gfm } from 'micromark-extension-gfm';
import { TEXT_BOUNDS } from '../../schemas/limits.ts';
import { admonitionTitle, alignAdmonitions } from './admonition-lines.ts';
import { definitionSyntax, descriptionFromMarkdown, joinDefinitionLists } from './definition-lists.ts';
import { knownHtml, neededEndTag } from './html-elements.ts';
import { walk } from './markdown-tree.ts';
import { mathFromMarkdown, mathSyntax } from './math-syntax.ts';
import { boundedMarkup, ComplexMarkup, refuseMarkup, requireFlatTree } from './parsing-limits.ts';

const COLON = 58;

/** Blocks between lines of `:::`, without the directives in text, which would take the colon of "10:30". */
const containers = { flow: { [COLON]: [directive().flow?.[COLON] ?? []].flat().slice(0, 1) } };

const EXTENSIONS = [gfm(), definitionSyntax, containers, mathSyntax, knownHtml, boundedMarkup];
const MDAST_EXTENSIONS = [gfmFromMarkdown(), descriptionFromMarkdown, directiveFromMarkdown(), mathFromMarkdown];

/** Trees of the last parsed texts: several things are made of each, one after the other. */
const parsed = new Map<string, Root>();

/** Enough for a publication of a hundred texts; tens of MB. */
const PARSED_MAX = 256;

/**
 * Parses a text of the publisher: GitHub-flavoured markdown with definition lists, blocks between lines of `:::`, and formulas. Tags that are
 * no elements of HTML are text. The tree has the offsets and lines of `text`; it is shared, so it must not be changed. The time grows with the
 * length of a text, whatever is in it.
 *
 * @throws {ComplexMarkup} If it goes beyond `TEXT_BOUNDS`.
 * @see {@link https://github.github.com/gfm/ GitHub Flavored Markdown}
 */
export function parseText(text: string): Root {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const refused = refuseMarkup(text, TEXT_BOUNDS);
  if (refused !== undefined) throw new ComplexMarkup(refused.line, refused.message);
  const root = fromMarkdown(alignAdmonitions(text), { extensions: EXTENSIONS, mdastExtensions: MDAST_EXTENSIONS });
  requireFlatTree(root);
  if (text.includes(':')) joinDefinitionLists(root, text);
  if (text.includes(':::')) addTitles(root, text.split('\n'));
  if (text.includes('{#')) readHeadingIds(root);
  if (text.includes('<')) showUnendedTags(root, text);
  const [oldest] = parsed.keys();
  if (oldest !== undefined && parsed.size >= PARSED_MAX) parsed.delete(oldest);
  parsed.set(text, root);
  return root;
}

function addTitles(root: Root, lines: readonly string[]): void {
  walk(root, (node) => {
    if (node.type !== 'containerDirective') return;
    const title = admonitionTitle(lines[(node.position?.start.line ?? 0) - 1] ?? '');
    if (title === undefined || title === '') return;
    node.children.unshift({ type: 'paragraph', data: { directiveLabel: true }, children: [{ type: 'text', value: title }] });
  });
}

/** A heading that names its own id: `## Set up {#setup}`. */
const OWN_ID = /\{#([\w-]+)\}$/;

function readHeadingIds(root: Root): void {
  walk(root, (node) => {
    const last = node.type === 'heading' ? node.children.at(-1) : undefined;
    const own = last?.type === 'text' ? OWN_ID.exec(last.value.trimEnd()) : null;
    if (node.type !== 'heading' || last?.type !== 'text' || own === null) return;
    last.value = last.value.slice(0, own.index).trimEnd();
    node.data = { ...node.data, hProperties: { id: own[1] ?? '' } };
  });
}

/** Makes text of tags in lines that nothing ends, as in "Replace `<title>`" or "an `Option<B>`": they would change or hide everything after them. */
function showUnendedTags(root: Root, text: string): void {
  const lastEnds = new Map(
    [...text.matchAll(/<\/([A-Za-z][A-Za-z0-9-]*)\s*>/g)].map(({ 1: name = '', index }) => [name.toLowerCase(), index]),
  );
  walk(root, (node) => {
    if (!('children' in node) || node.type === 'root') return;
    const children: Nodes[] = node.children;
    for (const [index, child] of children.entries()) {
      const name = child.type === 'html' ? neededEndTag(child.value) : undefined;
      if (child.type !== 'html' || name === undefined || (lastEnds.get(name) ?? -1) > (child.position?.start.offset ?? 0)) continue;
      children[index] = { ...child, type: 'text' };
    }
  });
}
