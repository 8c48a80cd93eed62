import type { Heading, Nodes, Root } from 'mdast';
import { nodesOf, plainText } from './markdown-tree.ts';
import { parseText } from './parse-text.ts';

function titleHeading(root: Root): Heading | undefined {
  return root.children.find((node): node is Heading => node.type === 'heading' && node.depth === 1 && titleText(node) !== '');
}

function titleText(heading: Heading): string {
  return plainText(heading)
    .trimEnd()
    .replace(/\{#[^{}\s]+\}$/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A text below its title: without the `# heading` that repeats it, and the levels by which others move down. The hashed text keeps the heading. */
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

export function isHeadingOfTitle(heading: Heading, root: Root, title: string): boolean {
  const words = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
  return heading === titleHeading(root) && words(titleText(heading)) === words(title);
}

const SUMMARY_MAX_LENGTH = 280;

/** A sentence is kept whole if the sentences before its end have this share of the length. */
const SENTENCE_MIN_SHARE = 0.25;

/** Lines of markdown dialects that are no prose: imports, markers of containers, templates. */
const NO_PROSE = /^(?:import\s|export\s|:{3,}|!{3}\s|\?{3}\+?\s|\{%|\{\{|\[\[toc\]\]$|@\w+)/i;

/** A summary from the first paragraph with prose, as plain text; `undefined` if the text has none. */
export function summaryOfText(root: Root): string | undefined {
  const first = (nodes: readonly Nodes[]): string | undefined => nodes.map(proseOf).find((text) => text !== '');
  const paragraph = first(root.children) ?? first(nodesOf(root));
  return paragraph === undefined ? undefined : cutSummary(paragraph);
}

export function cutSummary(text: string, maxLength = SUMMARY_MAX_LENGTH): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  const beginning = line.slice(0, maxLength + 1);
  const ends = [...beginning.matchAll(/[^\s.][.!?…]["')\]»”’]*(?= )|[。！？]/gu)].map(({ 0: end, index }) => index + end.length);
  const isAbbreviation = (end: number): boolean => /\b(?:e\.g|i\.e|z\. ?B|d\. ?h|vs|etc|cf|[A-Z])\.$/.test(line.slice(0, end));
  const sentenceEnd = ends.findLast((end) => end <= maxLength && !isAbbreviation(end));
  if (sentenceEnd !== undefined && sentenceEnd >= maxLength * SENTENCE_MIN_SHARE) return line.slice(0, sentenceEnd).trim();
  const words = line.slice(0, maxLength).replace(/\s+\S*$/, '');
  // A surrogate pair is never cut: the ellipsis replaces a whole character.
  const cut = words.length > 0 && words.length < maxLength ? words : [...line].slice(0, maxLength / 2).join('');
  return `${cut.replace(/(?<![\s,;:–-])[\s,;:–-]+$/, '')}…`;
}

function proseOf(node: Nodes): string {
  if (node.type !== 'paragraph') return '';
  if (!node.children.some((child) => child.type !== 'inlineMath' && /\p{L}/u.test(proseOfPhrase(child)))) return '';
  const text = node.children
    .map(proseOfPhrase)
    .join('')
    .split('\n')
    .filter((line) => !NO_PROSE.test(line.trim()))
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?\[\^[^[\]\s]+\]/g, '')
    .trim();
  return /\p{L}/u.test(text) ? text : '';
}

function proseOfPhrase(node: Nodes): string {
  if (node.type === 'inlineMath') return readableFormula(node.value);
  if (node.type === 'image' || node.type === 'imageReference') return '';
  // Left out with the blank before it.
  if (node.type === 'footnoteReference') return `[^${node.identifier}]`;
  const isNested = 'children' in node && node.type !== 'footnoteDefinition';
  return isNested ? node.children.map(proseOfPhrase).join('') : plainText(node);
}

/** Whether a text without its title begins with its summary, which a page above it need not show then. */
export function beginsWithSummary(markdown: string, summary: string): boolean {
  // Neither a heading nor a formula above the first paragraph parts it from the summary.
  const first = parseText(markdown).children.find(
    (node) => node.type !== 'heading' && node.type !== 'math' && (node.type !== 'paragraph' || proseOf(node) !== ''),
  );
  const prose = first === undefined ? '' : proseOf(first);
  return prose !== '' && (prose.startsWith(summary) || cutSummary(prose) === summary);
}

const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', varepsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', iota: 'ι' },
  ...{ kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', upsilon: 'υ', phi: 'φ' },
  ...{ varphi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Xi: 'Ξ', Pi: 'Π', Sigma: 'Σ' },
  ...{ Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', cdot: '·', times: '×', div: '÷', pm: '±', leq: '≤', le: '≤', geq: '≥', ge: '≥', neq: '≠' },
  ...{ approx: '≈', equiv: '≡', propto: '∝', infty: '∞', to: '→', rightarrow: '→', Rightarrow: '⇒', in: '∈', sum: '∑', prod: '∏' },
  ...{ int: '∫', partial: '∂', nabla: '∇', degree: '°', circ: '°', ldots: '…', dots: '…', sin: 'sin', cos: 'cos', tan: 'tan' },
  ...{ log: 'log', ln: 'ln', exp: 'exp', min: 'min', max: 'max', lim: 'lim', quad: ' ' },
};

const SUPERSCRIPTS: Readonly<Record<string, string>> = { 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** A formula in LaTeX as plain text: `F = μ N` of `F = \mu N`. An ellipsis in place of a formula that has no such form. */
export function readableFormula(latex: string): string {
  const text = latex
    .replace(/\\(?:text|mathrm|mathbf|mathit|operatorname)\{([^{}]*)\}/g, '$1')
    .replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, (_, above: string, below: string) => `${grouped(above)}/${grouped(below)}`)
    .replace(/\\sqrt\{([^{}]*)\}/g, (_, root: string) => `√${grouped(root)}`)
    .replace(/\\(?:left|right)(?=[()[\]|])/g, '')
    .replace(/\\[,;:! ]/g, ' ')
    .replace(/\\([%$#&_])/g, '$1')
    .replace(/\\([A-Za-z]+)/g, (command, name: string) => (Object.hasOwn(SYMBOLS, name) ? (SYMBOLS[name] ?? command) : command))
    .replace(/\^\{?(\d)\}?(?![\d])/g, (_, digit: string) => SUPERSCRIPTS[digit] ?? '')
    .replace(/_\{([^{}]*)\}/g, '_$1')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\\{}]/.test(text) ? '…' : text;
}

function grouped(part: string): string {
  return /[+\-·×\s]/.test(part.trim()) ? `(${part.trim()})` : part.trim();
}

export interface TextDescription {
  readonly title: string | undefined;
  readonly summary: string | undefined;
}

export function describeText(root: Root): TextDescription {
  const heading = titleHeading(root);
  return { title: heading && titleText(heading), summary: summaryOfText(root) };
}

export const TITLE_MAX_LENGTH = 200;

export function titleInText({ title }: TextDescription): string | undefined {
  return title?.slice(0, TITLE_MAX_LENGTH).trim();
}
