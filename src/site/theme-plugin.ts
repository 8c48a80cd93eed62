import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { THEME_FILE } from '../publication/check/check-theme.ts';
import { type Palette, paletteOf, schemesOf } from '../publication/check/palette.ts';
import { FONT_NAMES, type Look } from '../schemas/publisher.ts';
import { reloadPages, type VitePlugin } from './component-overrides.ts';

/** Vite treats ids with this ending as style sheets, but not if they begin with `\0`. */
const LOOK_ID = '/@akg/look.css';
const NO_THEME_ID = '/@akg/no-theme.css';

/** Provides `virtual:look.css`, the colours and fonts of publisher.yaml, and `virtual:theme.css`, the publication's theme.css if it has one. */
export function themePlugin(root: string, readLook: () => Look): VitePlugin {
  const file = join(root, THEME_FILE);
  const ids = (): Readonly<Record<string, string>> => ({
    'virtual:look.css': LOOK_ID,
    'virtual:theme.css': existsSync(file) ? file : NO_THEME_ID,
  });
  return {
    name: 'theme',
    enforce: 'pre',
    resolveId: (id: string) => ids()[id],
    load(id: string) {
      if (id === LOOK_ID) return lookCss(readLook());
      return id === NO_THEME_ID ? '' : undefined;
    },
    configureServer(server) {
      server.watcher.add(file);
      reloadPages(server, (changed) => changed === file);
    },
  };
}

const RADII: Readonly<Record<Look['corners'], string>> = { square: '0', soft: '0.25rem', round: '0.75rem' };

const FONTS: ReadonlySet<string> = new Set(FONT_NAMES);

/** The style sheet of `look` in publisher.yaml: colours of every scheme, and what differs from `styles/tokens.css`. */
export function lookCss(look: Look): string {
  const schemes = schemesOf(look);
  const [colors, others] = [paletteOf(look, schemes[0] ?? 'light'), paletteOf(look, schemes.at(-1) ?? 'light')];
  const declarations = [
    `color-scheme: ${schemes.join(' ')}`,
    ...(Object.keys(colors) as (keyof Palette)[]).map(
      (name) => `--color-${name}: ${colors[name] === others[name] ? colors[name] : `light-dark(${colors[name]}, ${others[name]})`}`,
    ),
    ...rest(look),
  ];
  // The choice of the reader: scripts/color-scheme.js.
  const chosen = schemes.length === 1 ? [] : schemes.map((scheme) => `[data-color-scheme=${scheme}] {\n  color-scheme: ${scheme};\n}\n`);
  // The engine's fonts have the faces that its styles use; families of a publication may lack a bold or an italic one.
  const hasOwnFonts = Object.values(look.fonts).some((font) => !FONTS.has(font));
  const synthesis = hasOwnFonts ? 'body {\n  font-synthesis: weight style;\n}\n' : '';
  return `@layer engine {\n:root {\n${declarations.map((declaration) => `  ${declaration};\n`).join('')}}\n${chosen.join('')}${synthesis}}\n`;
}

function rest({ fonts, corners }: Look): string[] {
  const roles = Object.entries(fonts).map(([role, font]) => `--font-${role}: ${FONTS.has(font) ? `var(--font-${font})` : font}`);
  return [...roles, `--radius: ${RADII[corners]}`];
}
