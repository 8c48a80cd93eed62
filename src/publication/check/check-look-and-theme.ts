import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type CssNode, lexer, parse, walk } from 'css-tree';
import { type CssColor, transform } from 'lightningcss';
import postcss, { type AtRule, type Declaration, type Root } from 'postcss';
import { HOME_PAGE_ID } from '../../schemas/paths.ts';
import { FONT_NAMES, LINKED_PAGES, type Look, type Publisher, type SiteLink } from '../../schemas/publisher.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { decoded } from '../../text/markdown/resolve-links.ts';
import type { ContentProblem, FieldFinding } from '../content-problem.ts';
import {
  contrastFindings,
  contrastRatio,
  MIN_TEXT_CONTRAST,
  nearestReadable,
  PALETTE_NAMES,
  type Palette,
  paletteOf,
  type Scheme,
  schemesOf,
  toHex,
} from './palette.ts';

/** Style sheet of a publication, loaded after those of the engine. */
export const THEME_FILE = 'theme.css';

interface ThemeColor {
  readonly name: keyof Palette;
  readonly written: string;
  readonly value: string;
  readonly line: number;
}

const TEXT_COLORS = ['text', 'text-muted', 'accent', 'verified', 'superseded', 'retracted'] as const;

/**
 * Mistakes in the publication's theme.css and the style sheets that it imports: CSS that cannot be read, addresses of other sites and of
 * missing files, names and values that no browser takes, and custom properties of colours that make text hard to read. Compared are the colours of
 * `:root` in theme.css, at the top and under `prefers-color-scheme`, unless they are transparent or depend on other properties.
 */
export async function checkTheme(root: string, look: Look): Promise<ContentProblem[]> {
  const problems: ContentProblem[] = [];
  const sheets = await readSheets(root, problems);
  for (const sheet of sheets) problems.push(...checkAddresses(root, sheet));
  problems.push(...checkDeclarations(sheets));
  const theme = sheets.find(({ file }) => file === THEME_FILE);
  if (theme !== undefined) problems.push(...schemesOf(look).flatMap((scheme) => unreadableIn(theme, look, scheme)));
  return problems;
}

async function readSheets(root: string, problems: ContentProblem[]): Promise<StyleSheet[]> {
  const sheets: StyleSheet[] = [];
  const files = [THEME_FILE];
  for (const file of files) {
    const css = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (css === undefined) continue;
    try {
      const sheet = { file, root: postcss.parse(css) };
      sheets.push(sheet);
      for (const { address, isImport } of addressesOf(sheet)) {
        const imported = fileAt(file, address);
        if (isImport && !/^[a-z]+:|^\//i.test(address) && !imported.startsWith('..') && !files.includes(imported)) files.push(imported);
      }
    } catch (error) {
      if (!(error instanceof postcss.CssSyntaxError)) throw error;
      problems.push({ file, line: error.line ?? 1, field: '', message: `is not valid CSS: ${error.reason}` });
    }
  }
  return sheets;
}

function unreadableIn({ root }: StyleSheet, look: Look, scheme: Scheme): ContentProblem[] {
  const set = new Map<keyof Palette, ThemeColor>();
  root.walkDecls(/^--color-/, (declaration) => {
    const color = colorOf(declaration, scheme);
    if (color !== undefined) set.set(color.name, color);
  });
  const base = paletteOf(look, scheme);
  const shown = (name: keyof Palette): string => set.get(name)?.value ?? base[name];
  const backgrounds = ['background', 'surface'] as const;
  return TEXT_COLORS.flatMap((name) => {
    const origin = set.get(name) ?? backgrounds.map((background) => set.get(background)).find((color) => color !== undefined);
    const ratio = Math.min(...backgrounds.map((background) => contrastRatio(shown(name), shown(background))));
    if (origin === undefined || ratio >= MIN_TEXT_CONTRAST) return [];
    const suggestion = nearestReadable(shown(name), backgrounds.map(shown));
    return [
      {
        file: THEME_FILE,
        line: origin.line,
        field: `--color-${origin.name}`,
        message: `--color-${name} ${set.get(name)?.written ?? base[name]} has a contrast of ${ratio.toFixed(2)}:1 with the ${scheme} background, and text needs ${MIN_TEXT_CONTRAST}:1 (WCAG 2.2, 1.4.3); the nearest colour that passes is ${suggestion}`,
        level: 'warning' as const,
      },
    ];
  });
}

function colorOf(declaration: Declaration, scheme: Scheme): ThemeColor | undefined {
  const rule = declaration.parent;
  if (rule?.type !== 'rule' || !/^(:root|html)$/.test((rule as postcss.Rule).selector.trim())) return undefined;
  const media = rule.parent;
  if (media?.type === 'atrule') {
    const { name, params } = media as postcss.AtRule;
    if (name !== 'media' || params.replaceAll(' ', '') !== `(prefers-color-scheme:${scheme})`) return undefined;
  }
  const written = inScheme(declaration.value.trim(), scheme);
  const value = opaqueColor(written);
  if (value === undefined) return undefined;
  return { name: declaration.prop.slice('--color-'.length) as keyof Palette, written, value, line: declaration.source?.start?.line ?? 1 };
}

function inScheme(value: string, scheme: Scheme): string {
  const parts = /^light-dark\((.*)\)$/is.exec(value)?.[1];
  if (parts === undefined) return value;
  const [light = '', dark = ''] = postcss.list.comma(parts);
  return scheme === 'light' ? light : dark;
}

interface StyleSheet {
  readonly file: string;
  readonly root: Root;
}

/** `isImport` where another style sheet is. */
function addressesOf({ root }: StyleSheet) {
  const addresses: { readonly line: number; readonly address: string; readonly isImport: boolean }[] = [];
  root.walkAtRules('import', (rule) => {
    const [address] = addressesIn(rule.params, 'import');
    if (address !== undefined) addresses.push({ line: lineOf(rule), address, isImport: true });
  });
  root.walkDecls((declaration) => {
    for (const address of addressesIn(declaration.value)) addresses.push({ line: lineOf(declaration), address, isImport: false });
  });
  return addresses;
}

function checkAddresses(root: string, sheet: StyleSheet): ContentProblem[] {
  return addressesOf(sheet).flatMap(({ line, address }) => {
    const message = addressProblem(root, sheet.file, address);
    return message === undefined ? [] : [{ file: sheet.file, line, field: '', message }];
  });
}

function fileAt(sheet: string, address: string): string {
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

/** Errors are those of the engine's custom properties; all others are warnings, because CSS may be newer than this check. */
function checkDeclarations(sheets: readonly StyleSheet[]): ContentProblem[] {
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
      for (const finding of [...undefinedNames(declaration, own, defined), ...declarationFindings(declaration, own)])
        problems.push({ file, line: lineOf(declaration), field: declaration.prop, ...finding });
    });
    return problems;
  });
}

type Finding = Required<Pick<ContentProblem, 'message' | 'level'>>;

function undefinedNames({ value }: Declaration, own: ReadonlySet<string>, defined: ReadonlySet<string>): Finding[] {
  return [...value.matchAll(/var\(\s*(--[^\s,)]+)\s*([,)])/g)].flatMap(([, name = '', next]) => {
    const near = suggestName(name, [...THEME_PROPERTIES.keys(), ...own]);
    if (THEME_PROPERTIES.has(name) || defined.has(name) || next === ',' || near === undefined) return [];
    return [{ message: `uses ${name}, which nothing defines. Did you mean "${near}"?`, level: 'warning' }];
  });
}

function declarationFindings({ prop, value, parent }: Declaration, own: ReadonlySet<string>): Finding[] {
  const warning = (message: string): Finding[] => [{ message, level: 'warning' }];
  if (prop.startsWith('--')) {
    const kind = THEME_PROPERTIES.get(prop);
    if (kind !== undefined)
      return isDynamic(value) || isValueOf(kind.property, value)
        ? []
        : [{ message: `must be ${kind.name}; ${value} is not`, level: 'error' }];
    const near = own.has(prop) ? undefined : suggestName(prop, [...THEME_PROPERTIES.keys()]);
    return near === undefined ? [] : warning(`is not a property of the engine, and nothing uses it. Did you mean "${near}"?`);
  }
  // Descriptors of @font-face and the like have other names.
  if (parent?.type !== 'rule' || isDynamic(value)) return [];
  const known = Object.keys(lexer.properties);
  const isKnown = known.includes(prop.toLowerCase());
  if (!isKnown && !prop.startsWith('-')) {
    const near = suggestName(prop, known);
    return warning(`is not a known property of CSS${near === undefined ? '' : `. Did you mean "${near}"?`}`);
  }
  return isValueOf(isKnown ? prop : undefined, value) ? [] : warning(`${value} is no value of ${prop}; browsers ignore it`);
}

/** Whether a value can be read, and a property takes it, if one is named. */
function isValueOf(property: string | undefined, value: string): boolean {
  try {
    const parsed = parse(value, { context: 'value' });
    return property === undefined || lexer.matchProperty(property, parsed).error === null;
  } catch {
    return false;
  }
}

function isDynamic(value: string): boolean {
  return /\b(?:var|env|attr)\(/i.test(value) || /^(?:inherit|initial|unset|revert|revert-layer)$/i.test(value.trim());
}

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

/** Sizes and distances of `src/site/styles/tokens.css`. */
const LENGTHS = [
  ...['text', 'ui', 'small', 'list', 'item', '1', '2', '3', 'display'].map((name) => `size-${name}`),
  ...[1, 2, 3, 4, 5, 6].map((step) => `space-${step}`),
  ...['radius', 'measure', 'measure-wide', 'rail', 'margin', 'gutter', 'page-width'],
];

const FONT_ROLES = ['text', 'headings', 'interface', 'code'];

interface ValueKind {
  readonly property: 'color' | 'font-family' | 'padding-left';
  readonly name: string;
}

const COLOR: ValueKind = { property: 'color', name: 'a colour such as #1b4b8f' };
const LENGTH: ValueKind = { property: 'padding-left', name: 'a length such as 1.5rem' };
const FONTS: ValueKind = { property: 'font-family', name: 'font families such as "Inter", sans-serif' };

/** The custom properties that a publication may set, and the kind of their values. docs/appearance.md lists them. */
export const THEME_PROPERTIES: ReadonlyMap<string, ValueKind> = new Map([
  ...PALETTE_NAMES.map((name) => [`--color-${name}`, COLOR] as const),
  ...LENGTHS.map((name) => [`--${name}`, LENGTH] as const),
  ...[...FONT_ROLES, ...FONT_NAMES].map((name) => [`--font-${name}`, FONTS] as const),
]);

/** Browsers without any newer notation of colours, in the encoding of lightningcss: Chrome 60. */
const OLD_BROWSERS = { chrome: 60 << 16 };

/** A colour in any notation of CSS as `#rrggbb`, the nearest in sRGB; `undefined` if it is transparent, depends on other properties, or is none. */
function opaqueColor(value: string): string | undefined {
  let color: string | undefined;
  try {
    const [fallback = ''] = /(?<=color:)[^;}]+/.exec(compiled(`a{color:${value}}`)) ?? [];
    compiled(`a{color:${fallback}}`, (parsed) => {
      if (typeof parsed === 'object' && parsed.type === 'rgb' && parsed.alpha === 1)
        color = toHex([parsed.r, parsed.g, parsed.b].map((channel) => channel / 255));
    });
  } catch {
    return undefined;
  }
  return color;
}

function compiled(css: string, visit?: (color: CssColor) => void): string {
  const visitor = visit === undefined ? {} : { visitor: { Color: visit } };
  const { code } = transform({ filename: 'color.css', code: Buffer.from(css), minify: true, targets: OLD_BROWSERS, ...visitor });
  return code.toString();
}

/** Folder of a publication whose files are served as they are. */
export const PUBLIC_FOLDER = 'public';

/** Lowest contrast of large text (WCAG 2.2, 1.4.3): below, nothing can be read. */
const MIN_LARGE_CONTRAST = 3;

export function checkLook(root: string, look: Look): FieldFinding[] {
  return [
    ...contrastFindings(look).map(({ color, scheme, value, ratio, suggestion }) => {
      const written = look.colors[color];
      const isDerived = written === undefined;
      return {
        path: ['colors', ...(isDerived ? ['background'] : typeof written === 'object' ? [color, scheme] : [color])],
        message: `${value} on the ${scheme} background has a contrast of ${ratio.toFixed(2)}:1, and text needs ${MIN_TEXT_CONTRAST}:1 (WCAG 2.2, 1.4.3); the nearest colour that passes is "${suggestion}"`,
        level: ratio < MIN_LARGE_CONTRAST ? ('error' as const) : ('warning' as const),
      };
    }),
    ...missingFiles(root, namedFiles(look)),
  ];
}

function missingFiles(root: string, named: readonly { readonly path: readonly string[]; readonly file: string }[]) {
  return named
    .filter(({ file }) => !existsSync(join(root, PUBLIC_FOLDER, file)))
    .map(({ path, file }) => ({ path, message: `${file} is missing: put the file at ${PUBLIC_FOLDER}${file}`, level: 'error' as const }));
}

function namedFiles({ logo, favicon, social_image: image }: Look): { readonly path: readonly string[]; readonly file: string }[] {
  const logos = typeof logo === 'object' ? Object.entries(logo).map(([scheme, file]) => ({ path: ['logo', scheme], file })) : [];
  return [
    ...logos,
    ...(typeof logo === 'string' ? [{ path: ['logo'], file: logo }] : []),
    ...(favicon === undefined ? [] : [{ path: ['favicon'], file: favicon }]),
    ...(image === undefined ? [] : [{ path: ['social_image', 'file'], file: image.file }]),
  ];
}

interface LinkTargets {
  /** Ids of the publisher's pages, those with mistakes included. */
  readonly pages: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** Why a link to this site leads nowhere; `undefined` for a good link and for one to another site. */
export function missingPath(root: string, href: string, exists: LinkTargets['exists']): string | undefined {
  const path = href.replace(/[?#].*$/s, '');
  if (!path.startsWith('/') || exists(path) || existsSync(join(root, PUBLIC_FOLDER, path))) return undefined;
  return `${path} is not a page of this site or a file in ${PUBLIC_FOLDER}/`;
}

/** Links of navigation, footer and home page that lead nowhere, and texts and pictures that are missing. */
export function checkSiteLinks(root: string, { navigation = [], footer, home }: Publisher, { pages, exists }: LinkTargets): FieldFinding[] {
  const named = [...Object.keys(LINKED_PAGES), ...pages.filter((id) => id !== HOME_PAGE_ID)];
  const pageProblem = (page: string, known: readonly string[]): string | undefined => {
    if (known.includes(page)) return undefined;
    const nearest = suggestName(page, known);
    return `there is no page "${page}". ${nearest === undefined ? `Write content/pages/${page}.md, or name one of ${known.join(', ')}` : `Did you mean "${nearest}"?`}`;
  };
  const linkProblem = (link: SiteLink): string | undefined => {
    return 'page' in link ? pageProblem(link.page, named) : missingPath(root, link.href, exists);
  };
  const links = (path: readonly PropertyKey[], list: readonly SiteLink[]): FieldFinding[] =>
    list.flatMap((link, index) => {
      const message = linkProblem(link);
      return message === undefined ? [] : [{ path: [...path, index], message }];
    });
  return [
    ...links(['navigation'], navigation),
    ...(footer.columns ?? []).flatMap((column, index) => links(['footer', 'columns', index, 'links'], column.links)),
    ...links(['home', 'actions'], home.actions),
    ...home.sections.flatMap((section, index) => {
      const message = section.section === 'text' && section.page !== undefined ? pageProblem(section.page, pages) : undefined;
      return message === undefined ? [] : [{ path: ['home', 'sections', index], message }];
    }),
    ...missingFiles(root, home.image === undefined ? [] : [{ path: ['home', 'image', 'file'], file: home.image.file }]),
  ];
}
