import type { Element, ElementContent } from 'hast';

/** A node of the MathML that Temml makes. */
interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly MathNode[];
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
}

/** Renders a formula in LaTeX as MathML. */
export type RenderMath = (latex: string, isDisplay: boolean) => Element;

/**
 * Loads the renderer of formulas. What it returns throws an Error that says what is wrong with a formula.
 *
 * @see {@link https://temml.org/docs/en/supported Temml, supported functions}
 */
export async function loadMath(): Promise<RenderMath> {
  const { default: temml } = await import('temml');
  return (latex, isDisplay) => {
    const options = { displayMode: isDisplay, throwOnError: true, trust: false, maxExpand: 1_000, maxSize: [25, 25] as [number, number] };
    const math = elementOf(temml.__renderToMathMLTree(latex, options) as MathNode);
    if (math === undefined) throw new Error('Temml returned no MathML');
    return { ...math, properties: { ...(isDisplay ? { display: 'block' } : {}), alttext: latex } };
  };
}

/** Elements and attributes without which a formula is complete, or which lead out of it. */
const OMITTED = new Set(['annotation', 'annotation-xml']);
const ATTRIBUTE = /^(?!on|href|src|style|id|class)[a-z][a-z-]*$/;

/** The same node for our pages, whose policy allows no inline styles: a class or an attribute instead. */
function elementOf(node: MathNode): Element | undefined {
  if (node.type === undefined || OMITTED.has(node.type)) return undefined;
  const { style = {}, classes = [] } = node;
  const attributes = Object.entries(node.attributes ?? {}).filter(([name]) => ATTRIBUTE.test(name));
  const names = [...classes.filter((name) => /^tml-(left|right)$/.test(name)), ...layoutClasses(style)];
  return {
    type: 'element',
    tagName: node.type,
    properties: {
      ...Object.fromEntries(attributes.map(([name, value]) => [name, String(value)])),
      ...(style['color'] ? { mathcolor: style['color'] } : {}),
      ...(style['backgroundColor'] ? { mathbackground: style['backgroundColor'] } : {}),
      ...(names.length > 0 ? { className: names } : {}),
    },
    children: (node.children ?? []).flatMap(contentOf),
  };
}

function contentOf(node: MathNode): ElementContent[] {
  if (node.type === undefined || node.type === 'text') {
    // A text, or a group without an element of its own.
    return node.text === undefined ? (node.children ?? []).flatMap(contentOf) : [{ type: 'text', value: node.text }];
  }
  const element = elementOf(node);
  return element === undefined ? [] : [element];
}

function layoutClasses(style: Readonly<Record<string, string>>): string[] {
  const isTight = style['paddingLeft'] === '0em' && style['paddingRight'] === '0em';
  return [...(isTight ? ['math-tight'] : []), ...(style['border']?.includes('solid') ? ['math-boxed'] : [])];
}
