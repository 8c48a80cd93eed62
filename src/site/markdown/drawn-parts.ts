import type { Element, ElementContent } from 'hast';
import type { Code, Nodes, Root } from 'mdast';
import { walk, withoutComments } from '../../publication/lint/markdown.ts';
import type { InlineMath, MathBlock } from '../../publication/markdown/math-syntax.ts';
import { type CodeInfo, codeInfo } from './code-block.ts';
import { type HighlightCode, hasColours, loadHighlighter } from './highlight-code.ts';
import { type DiagramLanguage, diagramLanguage, loadDiagrams } from './render-diagram.ts';
import { loadMath } from './render-math.ts';
import type { TextLabels } from './text-labels.ts';

type Formula = InlineMath | MathBlock;

/** A part of a text that cannot be drawn, and why. */
export interface UndrawnPart {
  /** Line of the text, from 1. */
  readonly line: number;
  readonly kind: 'diagram' | 'formula';
  readonly reason: string;
}

/** The code, formulas and diagrams of a text, rendered. What renders them is loaded only for texts that have such a part. */
export class DrawnParts {
  /** Whether the text has raw HTML other than comments. */
  readonly hasHtml: boolean;
  /** What cannot be drawn and stays as code. */
  readonly undrawn: readonly UndrawnPart[];
  readonly #drawn: ReadonlyMap<Nodes, Element>;
  readonly #highlight: HighlightCode | undefined;

  private constructor(
    drawn: ReadonlyMap<Nodes, Element>,
    undrawn: readonly UndrawnPart[],
    highlight: HighlightCode | undefined,
    hasHtml: boolean,
  ) {
    this.#drawn = drawn;
    this.undrawn = undrawn;
    this.#highlight = highlight;
    this.hasHtml = hasHtml;
  }

  /** Renders the parts of a text. */
  static async load(root: Root, labels: TextLabels): Promise<DrawnParts> {
    const formulas: (Formula | Code)[] = [];
    const diagrams: { readonly node: Code; readonly language: DiagramLanguage }[] = [];
    const languages = new Set<string>();
    let hasMarks = false;
    let hasHtml = false;
    walk(root, (node) => {
      if (node.type === 'html') hasHtml ||= withoutComments(node.value).trim() !== '';
      if (node.type === 'math' || node.type === 'inlineMath') formulas.push(node);
      if (node.type !== 'code') return;
      const { language, markedLines } = codeInfo(node);
      const drawnAs = diagramLanguage(language);
      if (drawnAs !== undefined) diagrams.push({ node, language: drawnAs });
      else if (language === 'math') formulas.push(node);
      else if (hasColours(language)) languages.add(language);
      hasMarks ||= markedLines.size > 0;
    });
    const drawn = new Map<Nodes, Element>();
    const undrawn: UndrawnPart[] = [];
    const draw = (node: Formula | Code, kind: UndrawnPart['kind'], render: () => Element): void => {
      try {
        drawn.set(node, render());
      } catch (error) {
        const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
        undrawn.push({ line: node.position?.start.line ?? 1, kind, reason: reason.trim() });
      }
    };
    if (formulas.length > 0) {
      const renderMath = await loadMath();
      for (const node of formulas) {
        const isBlock = node.type !== 'inlineMath';
        draw(node, 'formula', () => {
          const math = renderMath(node.value, isBlock || node.isDisplay);
          return isBlock ? scrolled('math', labels.formula, math) : math;
        });
      }
    }
    if (diagrams.length > 0) {
      const render = await loadDiagrams(new Set(diagrams.map(({ language }) => language)));
      for (const [index, { node, language }] of diagrams.entries())
        draw(node, 'diagram', () => diagramFigure(render(node.value, language, index + 1), node, labels));
    }
    const highlight = languages.size > 0 || hasMarks ? await loadHighlighter(languages) : undefined;
    return new DrawnParts(drawn, undrawn, highlight, hasHtml);
  }

  /** A formula or a diagram; `undefined` if it stays as code. */
  get(node: Nodes): Element | undefined {
    return this.#drawn.get(node);
  }

  /** The coloured content of a block of code; `undefined` if it has no colours. */
  highlighted({ value }: Code, { language, markedLines }: CodeInfo): ElementContent[] | undefined {
    return this.#highlight?.(value, language, markedLines);
  }
}

/** A block that scrolls by keyboard if it is too wide. */
function scrolled(className: string, label: string, content: Element): Element {
  return {
    type: 'element',
    tagName: 'div',
    properties: { className: ['scroll', className], role: 'group', ariaLabel: label, tabIndex: 0 },
    children: [content],
  };
}

/** A diagram with its caption, and its source as the text that says the same. */
function diagramFigure(drawing: Element, node: Code, labels: TextLabels): Element {
  const caption = codeInfo(node).title ?? /^[ \t]*(?:accTitle|title)[ \t]*:?[ \t]+(\S.*)$/m.exec(node.value)?.[1];
  const text = (value: string): ElementContent => ({ type: 'text', value });
  const element = (tagName: string, properties: Element['properties'], children: ElementContent[]): Element => ({
    type: 'element',
    tagName,
    properties,
    children,
  });
  const source = element('pre', { tabIndex: 0 }, [element('code', {}, [text(`${node.value}\n`)])]);
  return element('figure', { className: ['diagram'] }, [
    scrolled('drawing', caption ?? labels.diagram, drawing),
    ...(caption === undefined ? [] : [element('figcaption', {}, [text(caption)])]),
    element('details', {}, [element('summary', {}, [text(labels.diagramSource)]), source]),
  ]);
}
