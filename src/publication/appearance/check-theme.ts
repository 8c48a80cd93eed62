import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postcss, { type Declaration } from 'postcss';
import type { Look } from '../../schemas/appearance.ts';
import type { ContentProblem } from '../content-problem.ts';
import { addressesOf, checkAddresses, checkDeclarations, fileAt, type StyleSheet } from './check-style-sheet.ts';
import { contrastRatio, MIN_TEXT_CONTRAST, nearestReadable } from './contrast.ts';
import { opaqueColor } from './opaque-color.ts';
import { type Palette, paletteOf, type Scheme, schemesOf } from './palette.ts';

/** Style sheet of a publication, loaded after those of the engine. */
export const THEME_FILE = 'theme.css';

/** A colour of theme.css that this check understands. */
interface ThemeColor {
  readonly name: keyof Palette;
  /** As it is written. */
  readonly written: string;
  /** `#rrggbb` */
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

/** theme.css and all style sheets that it imports, as far as they can be parsed. */
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
  return unreadable(paletteOf(look, scheme), set, scheme);
}

function unreadable(base: Palette, set: ReadonlyMap<keyof Palette, ThemeColor>, scheme: Scheme): ContentProblem[] {
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

/** The colour that a declaration sets in a scheme. */
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

/** The part of `light-dark()` that holds in a scheme; any other value as it is. */
function inScheme(value: string, scheme: Scheme): string {
  const parts = /^light-dark\((.*)\)$/is.exec(value)?.[1];
  if (parts === undefined) return value;
  const [light = '', dark = ''] = postcss.list.comma(parts);
  return scheme === 'light' ? light : dark;
}
