import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type CssNode, lexer, parse, walk } from 'css-tree';
import type { AtRule, Declaration, Root } from 'postcss';
import { nearestName } from '../../search/format/spelling.ts';
import type { ContentProblem } from '../content-problem.ts';
import { PUBLIC_FOLDER } from './check-look.ts';
import { THEME_PROPERTIES, type ValueKind } from './theme-properties.ts';

/** A style sheet of a publication, by its path from the publication's root. */
export interface StyleSheet {
  readonly file: string;
  readonly root: Root;
}

/** An address in a style sheet, with its line. */
export interface StyleAddress {
  readonly line: number;
  readonly address: string;
  /** Whether another style sheet is there. */
  readonly isImport: boolean;
}

/** Every address that a style sheet loads from. */
export function addressesOf({ root }: StyleSheet): StyleAddress[] {
  const addresses: StyleAddress[] = [];
  root.walkAtRules('import', (rule) => {
    const [address] = addressesIn(rule.params, 'import');
    if (address !== undefined) addresses.push({ line: lineOf(rule), address, isImport: true });
  });
  root.walkDecls((declaration) => {
    for (const address of addressesIn(declaration.value)) addresses.push({ line: lineOf(declaration), address, isImport: false });
  });
  return addresses;
}

/** Addresses that lead out of the site, or to files that are missing. */
export function checkAddresses(root: string, sheet: StyleSheet): ContentProblem[] {
  return addressesOf(sheet).flatMap(({ line, address }) => {
    const message = addressProblem(root, sheet.file, address);
    return message === undefined ? [] : [{ file: sheet.file, line, field: '', message }];
  });
}

/** The file that a relative address means, from the publication's root. */
export function fileAt(sheet: string, address: string): string {
  return posix.join(posix.dirname(sheet), decoded(address.replace(/[?#].*$/, '')));
}

function addressProblem(root: string, sheet: string, address: string): string | undefined {
  if (address === '' || address.startsWith('#')) return undefined;
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|\\)/i.test(address)) {
    const shown = address.length > 80 ? `${address.slice(0, 80)}…` : address;
    return `loads ${shown}, and pages load nothing from elsewhere; put the file into the publication, and name it by its path, such as url("./fonts/text.woff2")`;
  }
  const file = address.startsWith('/') ? `${PUBLIC_FOLDER}${decoded(address.replace(/[?#].*$/, ''))}` : fileAt(sheet, address);
  if (file.startsWith('..')) return `loads ${address}, which is outside of the publication; move the file into it`;
  return isFile(join(root, file)) ? undefined : `loads ${address}, and ${file} is missing`;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Names and values that no browser takes: as errors those of the engine's custom properties, as warnings all others, because CSS may be newer
 * than this check.
 *
 * @param sheets All style sheets of the publication, which may define properties for each other.
 */
export function checkDeclarations(sheets: readonly StyleSheet[]): ContentProblem[] {
  const defined = new Set<string>();
  const used = new Set<string>();
  for (const { root } of sheets) {
    root.walkAtRules('property', ({ params }) => void defined.add(params.trim()));
    root.walkDecls(({ prop, value }) => {
      if (prop.startsWith('--')) defined.add(prop);
      for (const [, name = ''] of value.matchAll(/var\(\s*(--[^\s,)]+)/g)) used.add(name);
    });
  }
  const own = new Set([...defined].filter((name) => used.has(name)));
  return sheets.flatMap(({ file, root }) => {
    const problems: ContentProblem[] = [];
    root.walkDecls((declaration) => {
      for (const { message, level } of declarationFindings(declaration, own, defined))
        problems.push({ file, line: lineOf(declaration), field: declaration.prop, message, level });
    });
    return problems;
  });
}

interface Finding {
  readonly message: string;
  readonly level: 'error' | 'warning';
}

function declarationFindings(declaration: Declaration, own: ReadonlySet<string>, defined: ReadonlySet<string>): Finding[] {
  const { prop, value } = declaration;
  const names = [...THEME_PROPERTIES.keys()];
  const undefinedNames = [...value.matchAll(/var\(\s*(--[^\s,)]+)\s*([,)])/g)].flatMap(([, name = '', next]) => {
    const near = nearestName(name, [...names, ...own]);
    if (THEME_PROPERTIES.has(name) || defined.has(name) || next === ',' || near === undefined) return [];
    return [{ message: `uses ${name}, which nothing defines. Did you mean "${near}"?`, level: 'warning' as const }];
  });
  if (prop.startsWith('--')) {
    const kind = THEME_PROPERTIES.get(prop);
    if (kind !== undefined) return [...undefinedNames, ...valueFindings(value, kind)];
    const near = own.has(prop) ? undefined : nearestName(prop, names);
    return near === undefined
      ? undefinedNames
      : [...undefinedNames, { message: `is not a property of the engine, and nothing uses it. Did you mean "${near}"?`, level: 'warning' }];
  }
  // Descriptors of @font-face and the like have other names.
  if (declaration.parent?.type !== 'rule' || isDynamic(value)) return undefinedNames;
  const known = Object.keys(lexer.properties);
  if (!known.includes(prop.toLowerCase()) && !prop.startsWith('-')) {
    const near = nearestName(prop, known);
    return [
      ...undefinedNames,
      { message: `is not a known property of CSS${near === undefined ? '' : `. Did you mean "${near}"?`}`, level: 'warning' },
    ];
  }
  const parsed = parsedValue(value);
  const isRefused = parsed === undefined || (known.includes(prop.toLowerCase()) && lexer.matchProperty(prop, parsed).error !== null);
  return isRefused
    ? [...undefinedNames, { message: `${value} is no value of ${prop}; browsers ignore it`, level: 'warning' }]
    : undefinedNames;
}

/** What is wrong with the value of a property of the engine. */
function valueFindings(value: string, { property, name }: ValueKind): Finding[] {
  if (isDynamic(value)) return [];
  const parsed = parsedValue(value);
  const isTaken = parsed !== undefined && lexer.matchProperty(property, parsed).error === null;
  return isTaken ? [] : [{ message: `must be ${name}; ${value} is not`, level: 'error' }];
}

/** Whether a value depends on other properties, or is a keyword for every property. */
function isDynamic(value: string): boolean {
  return /\b(?:var|env|attr)\(/i.test(value) || /^(?:inherit|initial|unset|revert|revert-layer)$/i.test(value.trim());
}

function parsedValue(value: string): CssNode | undefined {
  try {
    return parse(value, { context: 'value' });
  } catch {
    return undefined;
  }
}

/** Addresses in a value: `url()`, also in `image-set()`, which takes strings as well. */
function addressesIn(text: string, atrule?: string): string[] {
  const addresses: string[] = [];
  let node: CssNode;
  try {
    node = parse(text, atrule === undefined ? { context: 'value' } : { context: 'atrulePrelude', atrule });
  } catch {
    return [];
  }
  walk(node, function (part) {
    const isAddress =
      part.type === 'Url' || (part.type === 'String' && (atrule !== undefined || /image-set$/i.test(this.function?.name ?? '')));
    if (isAddress && typeof part.value === 'string') addresses.push(part.value);
  });
  return addresses;
}

function lineOf({ source }: Declaration | AtRule): number {
  return source?.start?.line ?? 1;
}
