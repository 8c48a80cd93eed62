import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

export interface SourceFile {
  /** Path from the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export interface ImportEdge {
  readonly specifier: string;
  readonly line: number;
}

/** Code that people write: programs in `src/site/public` are bundled from it. */
const isCode = (path: string): boolean => /\.(ts|mjs|astro)$/.test(path) && !path.startsWith('src/site/public/');

export function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

let sources: readonly SourceFile[] | undefined;

/** Every .ts, .astro and .mjs file of `src`. Parsing takes seconds, so files of tests in one process share the trees. */
export function readSourceFiles(): readonly SourceFile[] {
  sources ??= listFiles('src')
    .filter(isCode)
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
  return sources;
}

export function parseSource(path: string, text: string): SourceFile {
  return {
    path,
    text,
    tree: ts.createSourceFile(path, path.endsWith('.astro') ? astroCode(text) : text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS),
  };
}

/** Code of an Astro file with everything else blanked, so that line numbers stay. */
function astroCode(text: string): string {
  const kept: [number, number][] = [];
  const fence = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text);
  if (fence?.[1] !== undefined) kept.push([fence[0].indexOf(fence[1]), fence[0].indexOf(fence[1]) + fence[1].length]);
  for (const match of text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)) {
    const start = match.index + match[0].indexOf('>') + 1;
    kept.push([start, start + (match[1] ?? '').length]);
  }
  return [...text].length === 0
    ? ''
    : Array.from({ length: text.length }, (_, index) =>
        text[index] === '\n' || kept.some(([start, end]) => index >= start && index < end) ? text[index] : ' ',
      ).join('');
}

const nodes = new WeakMap<SourceFile, readonly ts.Node[]>();

/** Visits every node, parents first. Nodes are listed once, because many rules visit them all. */
export function walkCode(file: SourceFile, visit: (node: ts.Node) => void): void {
  const listed = nodes.get(file) ?? nodesOf(file);
  nodes.set(file, listed);
  for (const node of listed) visit(node);
}

function nodesOf(file: SourceFile): ts.Node[] {
  const all: ts.Node[] = [];
  const step = (node: ts.Node): void => {
    all.push(node);
    ts.forEachChild(node, step);
  };
  step(file.tree);
  return all;
}

export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

const imports = new WeakMap<SourceFile, ImportEdge[]>();

export function importsOf(file: SourceFile): readonly ImportEdge[] {
  const edges = imports.get(file) ?? readImports(file);
  imports.set(file, edges);
  return edges;
}

function readImports(file: SourceFile): ImportEdge[] {
  const edges: ImportEdge[] = [];
  walkCode(file, (node) => {
    let name: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) name = node.moduleSpecifier;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) name = node.arguments[0];
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) name = node.argument.literal;
    if (name && ts.isStringLiteralLike(name)) edges.push({ specifier: name.text, line: lineOf(file, node) });
  });
  return edges;
}
