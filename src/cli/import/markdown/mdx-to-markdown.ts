import type { Nodes, Paragraph, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { plainText } from '../../../text/markdown/markdown-tree.ts';
import { attributesOf, declare, evaluateProgram, ImportedFile, type Scope } from './jsx-values.ts';
import { type Component, type ComponentContext, type MdxHost, renderComponent } from './mdx-components.ts';
import { applyEdits, continuationPrefix, dedent, indentFollowing, outsideCode, replaceEnclosed, type TextEdit } from './text-edits.ts';

/** MDX does not parse. */
export class MdxSyntaxError extends Error {
  override readonly name = 'MdxSyntaxError';
}

/**
 * The text of an MDX file as markdown: imports, exports and comments are gone, components are reduced to text. What is markdown stays as its
 * author wrote it.
 *
 * @param properties Values of `props` for an included file.
 * @throws {MdxSyntaxError} If the text is not MDX.
 */
export function mdxToMarkdown(text: string, host: MdxHost, properties: Scope = new Map()): string {
  let root: Root;
  const source = maskComments(text);
  try {
    root = fromMarkdown(source, { extensions: [gfm(), mdxjs()], mdastExtensions: [gfmFromMarkdown(), mdxFromMarkdown()] });
  } catch (error) {
    throw new MdxSyntaxError(error instanceof Error ? error.message : String(error));
  }
  const scope = new Map<string, unknown>([['props', Object.fromEntries(properties)]]);
  for (const node of root.children) if (node.type === 'mdxjsEsm') declare(node.data?.estree, scope);
  return new Converter(source, scope, host).blocks(root.children);
}

/** HTML comments become spaces: MDX has none, Docusaurus allows them in `.md`. Offsets and lines stay the same. */
function maskComments(text: string): string {
  return outsideCode(text, (prose) => replaceEnclosed(prose, '<!--', '-->', (comment) => comment.replace(/[^\n]/g, ' ')));
}

class Converter {
  readonly #source: string;
  readonly #scope: Scope;
  readonly #host: MdxHost;

  constructor(source: string, scope: Scope, host: MdxHost) {
    this.#source = source;
    this.#scope = scope;
    this.#host = host;
  }

  /** Markdown of blocks, each without the indentation that it has in the source. */
  blocks(nodes: readonly Nodes[]): string {
    let result = '';
    let previous: Nodes | undefined;
    for (const node of nodes) {
      const text = this.#block(node)
        .replace(/(?<![ \t])[ \t]+$/gm, (spaces) => (spaces === '  ' ? spaces : ''))
        .replace(/^\n+/, '')
        .trimEnd();
      if (text === '') continue;
      if (previous !== undefined) result += this.#isTight(previous, node) ? '\n' : '\n\n';
      result += text;
      previous = node;
    }
    return result;
  }

  /** Whether two blocks are on consecutive lines and need no blank line between them. */
  #isTight(before: Nodes, after: Nodes): boolean {
    const between = this.#source.slice(before.position?.end.offset, after.position?.start.offset);
    return before.type === 'definition' && after.type === 'definition' && !/\n[ \t]*\n/.test(between);
  }

  #block(node: Nodes): string {
    const alone = node.type === 'paragraph' ? loneComponents(node) : undefined;
    if (alone) return alone.map((child) => this.#component(child, true)).join('\n\n');
    const edits: TextEdit[] = [];
    this.#collect(node, edits);
    const { start, end } = rangeOf(node);
    return dedent(applyEdits(this.#source, edits, start, end), (node.position?.start.column ?? 1) - 1);
  }

  /** Collects the replacements within a node, the node included. */
  #collect(node: Nodes, edits: TextEdit[]): void {
    const replacement = this.#replacement(node);
    if (replacement !== undefined) {
      const range = rangeOf(node);
      const isInline = node.type === 'mdxJsxTextElement' || node.type === 'mdxTextExpression';
      edits.push({ ...range, text: isInline ? replacement : indentFollowing(replacement, continuationPrefix(this.#source, range.start)) });
    } else if ('children' in node) {
      for (const child of node.children) this.#collect(child, edits);
    }
  }

  /** Markdown that takes the place of a node; `undefined` if the node stays. */
  #replacement(node: Nodes): string | undefined {
    switch (node.type) {
      case 'mdxjsEsm':
        return '';
      case 'mdxJsxFlowElement':
        return this.#component(node, true);
      case 'mdxJsxTextElement':
        return this.#component(node, false);
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#expression(node);
      case 'paragraph':
        return loneComponents(node)
          ?.map((child) => this.#component(child, true))
          .join('\n\n');
      default:
        return undefined;
    }
  }

  #expression(node: Extract<RootContent, { type: 'mdxFlowExpression' | 'mdxTextExpression' }>): string {
    const program = node.data?.estree;
    if (program?.body.length === 0) return '';
    const value = evaluateProgram(program, this.#scope);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    this.#host.note(
      node.position?.start.line ?? 1,
      `the expression {${shortened(node.value)}} has no value without running it, and is left out`,
    );
    return '';
  }

  #component(node: Component, isBlock: boolean): string {
    const context = this.#context(node, isBlock);
    const imported = this.#scope.get(context.name);
    if (imported instanceof ImportedFile && /\.mdx?$/.test(imported.target)) {
      const included = this.#host.include(imported.target, false, context.attributes);
      if (included !== undefined) return included;
    }
    return renderComponent(context);
  }

  #context(node: Component, isBlock: boolean): ComponentContext {
    const attributes = attributesOf(node.attributes, this.#scope);
    return {
      node,
      name: node.name ?? '',
      attributes,
      text: (...names) => {
        for (const name of names) {
          const value = attributes.get(name);
          if (typeof value === 'number') return String(value);
          if (typeof value === 'string' && value.trim() !== '') return value.trim().replace(/\s+/g, ' ');
        }
        return undefined;
      },
      address: (...names) => {
        for (const name of names) {
          const value = attributes.get(name);
          if (typeof value === 'string' && value !== '') return value;
          if (value instanceof ImportedFile) return value.target;
        }
        return undefined;
      },
      isBlock,
      inner: () => (isBlock ? this.#inner(node) : this.#inline(node)),
      childComponents: () => childElements(node).map((child) => this.#context(child, isBlock)),
      scope: this.#scope,
      host: this.#host,
    };
  }

  #inner(node: Component): string {
    if (node.type === 'mdxJsxFlowElement') return this.blocks(node.children);
    // Blocks within an element that begins on a line of text: `<p>text</p>`, `<Tab>text</Tab>`.
    return node.children.every(isComponentOrSpace)
      ? childElements(node)
          .map((child) => this.#component(child, true))
          .join('\n\n')
      : this.#inline(node);
  }

  #inline(node: Component): string {
    if (node.children.length === 0) return '';
    if (node.type === 'mdxJsxFlowElement') return this.blocks(node.children);
    const edits: TextEdit[] = [];
    for (const child of node.children) this.#collect(child, edits);
    const from = rangeOf(node.children[0] as Nodes).start;
    const to = rangeOf(node.children.at(-1) as Nodes).end;
    return applyEdits(this.#source, edits, from, to).trim() === '' ? ' ' : applyEdits(this.#source, edits, from, to);
  }
}

/** The elements of a paragraph that holds nothing else. */
function loneComponents(node: Paragraph): Component[] | undefined {
  const children: readonly Nodes[] = node.children;
  return children.some(isComponent) && children.every(isComponentOrSpace) ? children.filter(isComponent) : undefined;
}

/** Elements directly within another, also those that stand in a paragraph of their own. */
function childElements(node: Component): Component[] {
  return (node.children as readonly Nodes[]).flatMap((child) =>
    isComponent(child) ? [child] : child.type === 'paragraph' ? (loneComponents(child) ?? []) : [],
  );
}

function isComponent(node: Nodes): node is Component {
  return node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement';
}

function isComponentOrSpace(node: Nodes): boolean {
  if (isComponent(node)) return true;
  if (node.type === 'mdxTextExpression') return node.value.trim() === '' || /^(['"])\s*\1$/.test(node.value.trim());
  return node.type === 'text' && plainText(node).trim() === '';
}

function rangeOf(node: Nodes): { readonly start: number; readonly end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** The beginning of a code, on one line. */
function shortened(code: string): string {
  const line = code.trim().replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}
