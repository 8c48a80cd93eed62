import type { Element, ElementContent } from 'hast';
import type { BlockContent, DefinitionContent, Nodes, Paragraph, Parent, PhrasingContent, Root, Text } from 'mdast';
import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import type { Handlers, State as HtmlState } from 'mdast-util-to-hast';
import { factorySpace } from 'micromark-factory-space';
import { markdownSpace } from 'micromark-util-character';
import type { Code, Effects, Event, Extension, State, TokenizeContext } from 'micromark-util-types';
import type { Point } from 'unist';
import { COMMONMARK, walk } from './markdown-tree.ts';

export interface DefinitionList extends Parent {
  type: 'defList';
  children: (DefinitionTerm | DefinitionDescription)[];
}

export interface DefinitionTerm extends Parent {
  type: 'defListTerm';
  children: PhrasingContent[];
}

export interface DefinitionDescription extends Parent {
  type: 'defListDescription';
  /** Whether a blank line is above it, so that its paragraphs are shown as such. */
  spread: boolean;
  children: (BlockContent | DefinitionContent)[];
}

declare module 'mdast' {
  interface RootContentMap {
    defList: DefinitionList;
    defListTerm: DefinitionTerm;
    defListDescription: DefinitionDescription;
  }
  interface BlockContentMap {
    defList: DefinitionList;
    defListDescription: DefinitionDescription;
  }
}

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    defListDescription: 'defListDescription';
    defListDescriptionPrefix: 'defListDescriptionPrefix';
    defListDescriptionPrefixWhitespace: 'defListDescriptionPrefixWhitespace';
    /** Of tables, whose package is not imported here. */
    tableHead: 'tableHead';
    tableRow: 'tableRow';
  }
}

const COLON = 58;

/** Most spaces between the marker and the text, as in lists; more begin code. */
const SPACES_MAX = 4;

interface Found {
  readonly endLine?: number;
  /** The offset at which a description may begin. Micromark asks twice, and before the second time it ends the paragraph above. */
  readonly start?: number;
}

const found = new WeakMap<TokenizeContext, Found>();

/** Tokens of the markers and the indentation of containers, which a line may begin with. */
const PREFIX = /^(?:linePrefix|blockQuote(?:Prefix|Marker|PrefixWhitespace)|listItemIndent)$/;

const AFTER_TEXT = /^(?:content|linePrefix|lineEnding(?:Blank)?)$/;

/**
 * Syntax of descriptions: a colon and a space begin one, below a paragraph or another description, and it is a container as an item of a list is.
 * {@link joinDefinitionLists} makes terms of the paragraph above. Each line is looked at once.
 *
 * @see {@link https://michelf.ca/projects/php-markdown/extra/#def-list PHP Markdown Extra}
 */
export const definitionSyntax: Extension = {
  document: {
    [COLON]: {
      name: 'defListDescription',
      tokenize: tokenizeDescription,
      continuation: { tokenize: tokenizeContinuation },
      exit: (effects: Effects) => void effects.exit('defListDescription'),
    },
  },
};

function tokenizeDescription(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const context = this;
  const state = this.containerState ?? {};
  const indent = spacesAtEnd(this);
  let offset = 0;
  return (code) => {
    const { line, offset: start } = context.now();
    const { endLine, start: known } = found.get(context) ?? {};
    if (known !== start && endLine !== line && !isBelowParagraph(context.events)) return nok(code);
    found.set(context, { ...found.get(context), start });
    offset = start;
    effects.enter('defListDescription', { _container: true });
    effects.enter('defListDescriptionPrefix');
    effects.consume(code);
    return effects.check(COMMONMARK.blankLine, onBlank, effects.attempt({ tokenize: tokenizeSpaces, partial: true }, end, oneSpace));
  };

  function onBlank(code: Code): State | undefined {
    state['initialBlankLine'] = true;
    return end(code);
  }

  function oneSpace(code: Code): State | undefined {
    if (!markdownSpace(code)) return nok(code);
    effects.enter('defListDescriptionPrefixWhitespace');
    effects.consume(code);
    effects.exit('defListDescriptionPrefixWhitespace');
    return end;
  }

  function end(code: Code): State | undefined {
    const prefix = effects.exit('defListDescriptionPrefix');
    const isEmpty = state['initialBlankLine'] === true && prefix.end.offset === offset + 1;
    state.size = indent + context.sliceSerialize(prefix, true).length + (isEmpty ? 1 : 0);
    return ok(code);
  }
}

function tokenizeSpaces(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  return factorySpace(
    effects,
    (code) => (!markdownSpace(code) && this.events.at(-1)?.[1].type === 'defListDescriptionPrefixWhitespace' ? ok(code) : nok(code)),
    'defListDescriptionPrefixWhitespace',
    SPACES_MAX + 1,
  );
}

function tokenizeContinuation(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const context = this;
  const state = this.containerState ?? {};
  const size = state.size ?? 0;
  return effects.check(COMMONMARK.blankLine, onBlank, onText);

  function onBlank(code: Code): State | undefined {
    state.furtherBlankLines = state.furtherBlankLines === true || state.initialBlankLine === true;
    return factorySpace(effects, ok, 'linePrefix', size + 1)(code);
  }

  function onText(code: Code): State | undefined {
    const mayContinue = state.furtherBlankLines !== true && markdownSpace(code);
    state.furtherBlankLines = false;
    state.initialBlankLine = false;
    return mayContinue ? effects.attempt({ tokenize: tokenizeIndent, partial: true }, ok, ends)(code) : ends(code);
  }

  function ends(code: Code): State | undefined {
    found.set(context, { ...found.get(context), endLine: context.now().line });
    return nok(code);
  }

  function tokenizeIndent(this: TokenizeContext, inner: Effects, innerOk: State, innerNok: State): State {
    return factorySpace(inner, (code) => (spacesAtEnd(this) === size ? innerOk(code) : innerNok(code)), 'linePrefix', size + 1);
  }
}

function spacesAtEnd({ events, sliceSerialize }: TokenizeContext): number {
  const token = events.at(-1)?.[1];
  return token?.type === 'linePrefix' ? sliceSerialize(token, true).length : 0;
}

function isBelowParagraph(events: readonly Event[]): boolean {
  const last = events.findLast(([, { type }]) => !PREFIX.test(type))?.[1];
  const flow = last?.type === 'chunkFlow' ? (last._tokenizer?.events ?? []) : [];
  let blankLines = 0;
  const end = flow.findLastIndex(([phase, { type }]) => {
    if (type === 'lineEndingBlank' && phase === 'exit') blankLines += 1;
    return blankLines > 1 || !AFTER_TEXT.test(type);
  });
  const [, token] = flow[end] ?? [];
  if (token?.type !== 'tableRow') return token?.type === 'paragraph' || token?.type === 'chunkContent';
  // Until its second line, a paragraph may be the head of a table.
  const row = flow.findLastIndex(([phase, { type }], index) => index < end && phase === 'enter' && type === 'tableRow');
  return flow[row - 1]?.[1].type === 'tableHead';
}

export const descriptionFromMarkdown: MdastExtension = {
  enter: {
    defListDescription(token) {
      this.enter({ type: 'defListDescription', spread: false, children: [] }, token);
    },
  },
  exit: {
    defListDescription(token) {
      this.exit(token);
    },
  },
};

/** Makes lists of descriptions and the paragraph above them, each line of which is a term. A description without a term becomes text. */
export function joinDefinitionLists(root: Root, text: string): void {
  let lineStarts: readonly number[] | undefined;
  walk(root, (node) => {
    if (!('children' in node) || node.type === 'defList' || !node.children.some(({ type }) => type === 'defListDescription')) return;
    lineStarts ??= [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: { length }, index }) => index + length)];
    const joined: Nodes[] = [];
    for (const child of node.children) {
      const before = joined.at(-1);
      if (child.type !== 'defListDescription') joined.push(child);
      else if (before?.type === 'defList') addToList(before, [child]);
      else if (before?.type === 'paragraph') {
        joined.pop();
        const list = joined.at(-1);
        const parts = [...termsOf(before, text, lineStarts), child];
        if (list?.type === 'defList') addToList(list, parts);
        else joined.push(addToList({ type: 'defList', children: [], position: before.position }, parts));
      } else joined.push(...asText(child));
    }
    node.children.splice(0, node.children.length, ...(joined as never[]));
  });
}

function addToList(list: DefinitionList, parts: readonly (DefinitionTerm | DefinitionDescription)[]): DefinitionList {
  for (const part of parts) {
    const [above, own] = [list.children.at(-1)?.position, part.position];
    if (part.type === 'defListDescription') part.spread = (own?.start.line ?? 0) > (above?.end.line ?? 0) + 1;
    list.children.push(part);
    if (list.position !== undefined && own !== undefined) list.position = { ...list.position, end: own.end };
  }
  return list;
}

function termsOf({ children, position }: Paragraph, text: string, lineStarts: readonly number[]): DefinitionTerm[] {
  const terms: DefinitionTerm[] = [];
  let line = position?.start.line ?? 1;
  let term: PhrasingContent[] = [];
  const end = (): void => {
    const [from = 0, next = text.length] = lineStarts.slice(line - 1, line + 1);
    const written = text.slice(from, next);
    const place = (column: number): Point => ({ line, column: column + 1, offset: from + column });
    const own = { start: place(/^[\s>]*/.exec(written)?.[0].length ?? 0), end: place(written.trimEnd().length) };
    if (term.length > 0)
      terms.push({
        type: 'defListTerm',
        children: term,
        position: { start: term[0]?.position?.start ?? own.start, end: term.at(-1)?.position?.end ?? own.end },
      });
    term = [];
  };
  for (const child of children) {
    const values = child.type === 'text' ? child.value.split('\n') : [];
    if (values.length < 2 && child.type !== 'break') term.push(child);
    for (const [index, value] of values.length < 2 ? [] : values.entries()) {
      if (index > 0) {
        end();
        line += 1;
      }
      if (value !== '') term.push({ type: 'text', value });
    }
    line = Math.max(line, child.position?.end.line ?? line);
    if (child.type === 'break') {
      end();
      line = child.position?.end.line ?? line + 1;
    }
  }
  end();
  return terms;
}

function asText({ children, position }: DefinitionDescription): Nodes[] {
  const [first, ...others] = children;
  const colon: Text = { type: 'text', value: ': ' };
  if (first?.type === 'paragraph') return [{ ...first, children: [colon, ...first.children], position }, ...others];
  return [{ type: 'paragraph', children: [colon], position }, ...children];
}

const NEW_LINE: ElementContent = { type: 'text', value: '\n' };

export const definitionHandlers: Handlers = {
  defList: (state: HtmlState, node: DefinitionList) => htmlOf(state, node, 'dl', state.wrap(state.all(node), true)),
  defListTerm: (state: HtmlState, node: DefinitionTerm) => htmlOf(state, node, 'dt', state.all(node)),
  defListDescription: (state: HtmlState, node: DefinitionDescription) => {
    const children = state.all(node).flatMap((child, index): ElementContent[] => {
      const isParagraph = child.type === 'element' && child.tagName === 'p';
      const shown = isParagraph && !node.spread ? child.children : [child];
      return index === 0 && isParagraph && !node.spread ? shown : [NEW_LINE, ...shown];
    });
    return htmlOf(state, node, 'dd', children.length === 0 ? children : [...children, NEW_LINE]);
  },
};

function htmlOf(state: HtmlState, node: Nodes, tagName: string, children: ElementContent[]): Element {
  const element: Element = { type: 'element', tagName, properties: {}, children };
  state.patch(node, element);
  return element;
}
