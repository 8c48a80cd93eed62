import type { Element, ElementContent, Root as HtmlRoot } from 'hast';
import { element } from '../../text/html-tree.ts';

/** Draws a diagram as SVG for a page. `number`: its place among the diagrams of the page, from 1. */
type RenderDiagram = (source: string, language: DiagramLanguage, number: number) => Element;

export const DIAGRAM_LANGUAGES = { mermaid: 'mermaid', dot: 'dot', graphviz: 'dot' } as const;
export type DiagramLanguage = (typeof DIAGRAM_LANGUAGES)[keyof typeof DIAGRAM_LANGUAGES];

/** What draws each language: optional packages of a publication. */
const LIBRARIES = { mermaid: 'beautiful-mermaid', dot: '@viz-js/viz' } as const satisfies Record<DiagramLanguage, string>;

export class MissingLibrary extends Error {
  readonly library: string;

  constructor(library: string) {
    super(`the package ${library} is not installed`);
    this.library = library;
  }
}

function installed<T>(module: Promise<T>): Promise<T | undefined> {
  return module.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
}

/**
 * Loads what draws diagrams of some languages. What it returns throws an Error that says what cannot be drawn.
 *
 * @see {@link https://github.com/lukilabs/beautiful-mermaid beautiful-mermaid}, {@link https://viz-js.com Viz.js, Graphviz in WebAssembly}
 */
export async function loadDiagrams(languages: ReadonlySet<DiagramLanguage>): Promise<RenderDiagram> {
  const [parse, mermaid, viz] = await Promise.all([
    loadParser(),
    languages.has('mermaid') ? installed(import('beautiful-mermaid')) : undefined,
    languages.has('dot') ? installed(import('@viz-js/viz').then(({ instance }) => instance())) : undefined,
  ]);
  return (source, language, number) => {
    if ((language === 'mermaid' ? mermaid : viz) === undefined) throw new MissingLibrary(LIBRARIES[language]);
    const svg =
      language === 'mermaid'
        ? mermaid?.renderMermaidSVG(withoutSettings(source), { transparent: true, padding: 4 })
        : viz?.renderString(source, { format: 'svg', graphAttributes: { bgcolor: 'transparent' } });
    const drawn = svg === undefined ? undefined : parse(svg);
    const shown = drawn && forPage(drawn, `diagram-${number}-`);
    if (shown === undefined || !hasShapes(shown)) throw new Error('nothing is drawn');
    // The library loses its way in some graphs, such as a node that leads only to itself.
    if (/NaN|Infinity/.test(String(shown.properties['viewBox']))) throw new Error('the library finds no place for every part');
    return shown;
  };
}

/** Front matter, directives and titles for assistive technology say nothing about the drawing, and are not read by the library. */
function withoutSettings(source: string): string {
  return source
    .replace(/^\s*---\n[\s\S]*?\n---\n/, '')
    .replace(/^[ \t]*%%.*$/gm, '')
    .replace(/^[ \t]*acc(Title|Descr)\s*:.*$/gm, '')
    .replace(/^\s*\n/, '');
}

async function loadParser(): Promise<(svg: string) => Element | undefined> {
  const { raw } = await import('hast-util-raw');
  return (svg) => {
    const tree = raw({ type: 'root', children: [{ type: 'raw', value: svg.slice(Math.max(0, svg.indexOf('<svg'))) }] }) as HtmlRoot;
    return tree.children.find((node): node is Element => node.type === 'element' && node.tagName === 'svg');
  };
}

/** Elements that show nothing by themselves. */
const FRAMES = new Set(['svg', 'g', 'defs', 'marker', 'title']);

function hasShapes({ children }: Element): boolean {
  return children.some(
    (child) => child.type === 'element' && (!FRAMES.has(child.tagName) || (child.tagName !== 'defs' && hasShapes(child))),
  );
}

const ELEMENTS = new Set('svg g defs marker path polygon polyline line rect circle ellipse text tspan linearGradient stop'.split(' '));
const PROPERTIES = new Set(
  [
    'viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points dx dy transform',
    'fill fillOpacity stroke strokeWidth strokeDashArray strokeLineCap strokeLineJoin strokeOpacity opacity',
    'fontSize fontWeight fontStyle textAnchor dominantBaseline textDecoration letterSpacing',
    'id markerWidth markerHeight refX refY orient markerStart markerEnd markerUnits offset stopColor',
  ].flatMap((line) => line.split(' ')),
);

/** The drawing with our colours, without scripts, links, styles and fonts; its ids begin with `prefix`. */
function forPage(svg: Element, prefix: string): Element {
  const width = Number.parseFloat(String(svg.properties['width'] ?? ''));
  const unit = String(svg.properties['width'] ?? '').endsWith('pt') ? 4 / 3 : 1;
  const height = Number.parseFloat(String(svg.properties['height'] ?? ''));
  const { children } = cleaned(svg, prefix);
  const size =
    Number.isFinite(width) && Number.isFinite(height) ? { width: Math.ceil(width * unit), height: Math.ceil(height * unit) } : {};
  const shown = children.filter((child) => !(child.type === 'element' && child.tagName === 'title'));
  return element('svg', shown, { viewBox: svg.properties['viewBox'] ?? null, ...size, ariaHidden: 'true', focusable: 'false' });
}

function cleaned(drawn: Element, prefix: string): Element {
  const properties = Object.entries(drawn.properties).flatMap(([name, value]): [string, Element['properties'][string]][] => {
    if (!PROPERTIES.has(name) || value === null || value === undefined) return [];
    if (name === 'id') return [[name, prefix + String(value)]];
    const stated = String(value);
    const reference = /^url\(#([\w-]+)\)$/.exec(stated);
    if (reference) return [[name, `url(#${prefix}${reference[1]})`]];
    return /url\(|javascript:/i.test(stated) ? [] : [[name, COLOURS[stated.toLowerCase()] ?? value]];
  });
  return {
    ...drawn,
    properties: Object.fromEntries(properties),
    children: drawn.children.flatMap((child): ElementContent[] => {
      if (child.type === 'text') return [child];
      if (child.type !== 'element' || !ELEMENTS.has(child.tagName))
        return child.type === 'element' && child.tagName === 'a' ? cleaned(child, prefix).children : [];
      return [cleaned(child, prefix)];
    }),
  };
}

/** Colours that the libraries use by default, in ours. */
const COLOURS: Readonly<Record<string, string>> = {
  black: 'var(--color-text)',
  '#000000': 'var(--color-text)',
  white: 'var(--color-background)',
  '#ffffff': 'var(--color-background)',
  'var(--bg)': 'var(--color-background)',
  'var(--fg)': 'var(--color-text)',
  'var(--_text)': 'var(--color-text)',
  'var(--_text-sec)': 'var(--color-text-muted)',
  'var(--_text-muted)': 'var(--color-text-muted)',
  'var(--_text-faint)': 'var(--color-text-muted)',
  'var(--_line)': 'var(--color-text-muted)',
  'var(--_arrow)': 'var(--color-text)',
  'var(--_node-fill)': 'var(--color-surface)',
  'var(--_node-stroke)': 'var(--color-border-strong)',
  'var(--_group-fill)': 'transparent',
  'var(--_group-hdr)': 'var(--color-surface)',
  'var(--_inner-stroke)': 'var(--color-border)',
  'var(--_key-badge)': 'var(--color-border)',
};
