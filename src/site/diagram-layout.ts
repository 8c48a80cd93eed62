export interface DrawnNode {
  readonly id: string;
  /** Broken into lines; what has no room is cut. */
  readonly label: string;
  readonly uri?: string;
  /** Names the class that colours the label. */
  readonly tone?: string;
  readonly isCentre?: boolean;
}

export interface DrawnLayer {
  readonly heading: string;
  readonly nodes: readonly DrawnNode[];
  /** Below the nodes. */
  readonly more?: string | undefined;
}

/** A line between two layers that follow each other; it begins at `lower`, in the first. */
export interface DrawnEdge {
  readonly lower: string;
  readonly upper: string;
  /** Names the class that tells kinds of lines apart. `flow` has an arrowhead. */
  readonly kind: string;
  /** Whether `upper` leads to `lower` as well: a dot at the beginning says so. */
  readonly isMutual?: boolean;
}

export interface LayeredDrawing {
  readonly layers: readonly DrawnLayer[];
  readonly edges: readonly DrawnEdge[];
}

interface PlacedNode extends DrawnNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lines: readonly string[];
}

interface PlacedEdge extends DrawnEdge {
  readonly path: string;
  readonly start: { readonly x: number; readonly y: number };
  readonly head?: string;
}

interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly isHeading: boolean;
}

/** A drawing with all coordinates in user units of its SVG: pixels, where it has room. */
export interface DrawingLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly texts: readonly PlacedText[];
}

/** From one line of a label to the next, in pixels. */
export const LINE_HEIGHT = 17;
const ACROSS = { shelf: 190, gap: 58, heading: 30, row: 40, labelLine: 22, maxLines: 3 } as const;
/** The width of a phone of 390 pixels without its margins. */
const DOWN = { width: 350, gutter: 72, heading: 34, row: 36, labelLine: 22, layerGap: 14, maxLines: 2 } as const;

/** Widths of characters at 14 pixels in the widest fonts of interfaces, by kind. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[fijlrtI1.,:;'’()| -]/, 4.7],
  [/[mwMW@%—]/, 12.6],
  [/[A-Z&]/, 9.6],
  [/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/, 14.5],
];
const OTHER_WIDTH = 7.9;

const FLOW = 'flow';

/** A cubic curve reaches three quarters of the way to its two control points. */
const BEND = 4 / 3;

function textWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDTHS.find(([kind]) => kind.test(character))?.[1] ?? OTHER_WIDTH), 0);
}

/** Breaks a label at spaces, after hyphens and within long words into lines of a width in pixels; the last of `most` is cut with an ellipsis. */
export function labelLines(label: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  const words = label.match(/[^\s-]+-*\s*|-+\s*|\s+/gu) ?? [];
  for (const word of words.flatMap((each) => (textWidth(each.trimEnd()) > width ? [...each] : [each]))) {
    if (line !== '' && textWidth((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += word;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  if (lines.length <= most) return lines;
  let last = [...(lines[most - 1] ?? '')];
  while (last.length > 0 && textWidth(`${last.join('')}…`) > width) last = last.slice(0, -1);
  return [...lines.slice(0, most - 1), `${last.join('').trimEnd()}…`];
}

/** Lays the layers out as columns, the first at the left, each centred on the tallest column. */
export function layoutAcross({ layers, edges }: LayeredDrawing): DrawingLayout {
  const lineCount = ({ label }: DrawnNode): number => labelLines(label, ACROSS.shelf, ACROSS.maxLines).length;
  const heightOf = ({ nodes, more }: DrawnLayer): number =>
    nodes.reduce((sum, node) => sum + nodeHeight(lineCount(node), ACROSS.row), 0) + (more === undefined ? 0 : ACROSS.row);
  const tallest = Math.max(...layers.map(heightOf));
  const nodes: PlacedNode[] = [];
  const texts: PlacedText[] = [];
  for (const [column, layer] of layers.entries()) {
    const x = column * (ACROSS.shelf + ACROSS.gap);
    texts.push({ x, y: 14, text: layer.heading, isHeading: true });
    let y = ACROSS.heading + (tallest - heightOf(layer)) / 2;
    for (const node of layer.nodes) {
      const lines = labelLines(node.label, ACROSS.shelf, ACROSS.maxLines);
      y += nodeHeight(lines.length, ACROSS.row);
      nodes.push({ ...node, x, y: round(y - 4), width: ACROSS.shelf, lines });
    }
    if (layer.more !== undefined) texts.push({ x, y: round(y + ACROSS.labelLine), text: layer.more, isHeading: false });
  }
  return {
    width: layers.length * ACROSS.shelf + (layers.length - 1) * ACROSS.gap,
    height: Math.ceil(ACROSS.heading + tallest + 14),
    nodes,
    edges: edges.map((edge) => acrossEdge(edge, find(nodes, edge.lower), find(nodes, edge.upper))),
    texts,
  };
}

/**
 * Stacks the layers for narrow screens, with lines as arcs in a gutter at the left. Where all lines are arrows, one arrow from layer to
 * layer replaces them, because a reader could not tell many arcs apart.
 */
export function layoutDown({ layers, edges }: LayeredDrawing): DrawingLayout {
  const nodes: PlacedNode[] = [];
  const texts: PlacedText[] = [];
  const arrows: PlacedEdge[] = [];
  const isFlow = edges.length > 0 && edges.every(({ kind }) => kind === FLOW);
  const gutter = isFlow ? 0 : DOWN.gutter;
  const width = DOWN.width - gutter;
  let y = 0;
  for (const [index, layer] of layers.entries()) {
    const [lower, upper] = [layers[index - 1]?.nodes[0]?.id, layer.nodes[0]?.id];
    const hasArrow = isFlow && lower !== undefined && upper !== undefined;
    if (hasArrow) {
      const start = { x: 6, y: y - 12 };
      arrows.push({ lower, upper, kind: FLOW, start, path: `M${start.x} ${start.y}v28`, head: `M${start.x - 4} ${start.y + 21}l4 7l4-7` });
    }
    texts.push({ x: gutter + (hasArrow ? 20 : 0), y: y + 16, text: layer.heading, isHeading: true });
    y += DOWN.heading - 10;
    for (const node of layer.nodes) {
      const lines = labelLines(node.label, width, DOWN.maxLines);
      y += nodeHeight(lines.length, DOWN.row);
      nodes.push({ ...node, x: gutter, y: round(y - 4), width, lines });
    }
    if (layer.more !== undefined) {
      texts.push({ x: gutter, y: round(y + DOWN.labelLine), text: layer.more, isHeading: false });
      y += DOWN.row - 6;
    }
    y += DOWN.layerGap;
  }
  return {
    width: DOWN.width,
    height: Math.ceil(y),
    nodes,
    edges: isFlow ? arrows : edges.map((edge) => arcEdge(edge, find(nodes, edge.lower), find(nodes, edge.upper), y)),
    texts,
  };
}

function nodeHeight(lines: number, row: number): number {
  return row + (lines - 1) * LINE_HEIGHT;
}

function find(nodes: readonly PlacedNode[], id: string): PlacedNode {
  const node = nodes.find((candidate) => candidate.id === id);
  if (node === undefined) throw new RangeError(`the drawing has a line to "${id}", which is not on it`);
  return node;
}

function acrossEdge(edge: DrawnEdge, left: PlacedNode, right: PlacedNode): PlacedEdge {
  const [start, end] = [
    { x: left.x + left.width, y: left.y },
    { x: right.x, y: right.y },
  ];
  const middle = round((start.x + end.x) / 2);
  const head = edge.kind === FLOW ? { head: `M${end.x - 7} ${end.y - 4}l7 4l-7 4` } : {};
  return { ...edge, ...head, start, path: `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}` };
}

function arcEdge(edge: DrawnEdge, start: PlacedNode, end: PlacedNode, height: number): PlacedEdge {
  const reach = Math.sqrt((end.y - start.y) / height);
  const bend = round(start.x - (DOWN.gutter - 4) * Math.min(1, 1.3 * reach) * BEND);
  return {
    ...edge,
    start: { x: start.x, y: start.y },
    path: `M${start.x} ${start.y}C${bend} ${start.y} ${bend} ${end.y} ${end.x} ${end.y}`,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function arrow(lower: string, upper: string): DrawnEdge {
  return { lower, upper, kind: FLOW };
}

/** What a drawing shows, in one sentence for each layer. */
export function describeDrawing({ layers }: LayeredDrawing): string {
  return layers
    .map(
      ({ heading, nodes, more }) =>
        `${heading}: ${[...nodes.map(({ label }) => label), ...(more === undefined ? [] : [more])].join('; ')}.`,
    )
    .join(' ');
}
