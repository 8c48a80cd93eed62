import type { Look, SchemeColor } from '../../schemas/appearance.ts';
import { contrastRatio, MIN_TEXT_CONTRAST, mixColors, nearestReadable } from './contrast.ts';

/** The colour schemes. */
export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** The colours of one scheme, `#rrggbb`, by the name of their custom property without `--color-`. */
export interface Palette {
  readonly background: string;
  /** Background of code, notes and buttons that are switched off. */
  readonly surface: string;
  readonly text: string;
  readonly 'text-muted': string;
  readonly border: string;
  readonly 'border-strong': string;
  /** Links and buttons; also the background of text in the colour `background`. */
  readonly accent: string;
  readonly verified: string;
  readonly superseded: string;
  readonly retracted: string;
}

/** The colours of the engine, which hold where a publication sets none. */
const DEFAULTS: Readonly<Record<Scheme, Palette>> = {
  light: {
    background: '#fcfbf8',
    surface: '#f3f1eb',
    text: '#191a1c',
    'text-muted': '#55575a',
    border: '#d6d3ca',
    'border-strong': '#b9b5a8',
    accent: '#1b4b8f',
    verified: '#1a6a41',
    superseded: '#865100',
    retracted: '#a3241f',
  },
  dark: {
    background: '#141517',
    surface: '#1d1f22',
    text: '#eae7e0',
    'text-muted': '#a9a8a4',
    border: '#3a3c40',
    'border-strong': '#5a5d63',
    accent: '#98bdf3',
    verified: '#82c9a0',
    superseded: '#e2b167',
    retracted: '#f2998c',
  },
};

/** Names of all colours. */
export const PALETTE_NAMES = Object.keys(DEFAULTS.light) as readonly (keyof Palette)[];

/** The colours that `look` of a publication may set. */
const SETTABLE = ['background', 'text', 'accent'] as const;
type Settable = (typeof SETTABLE)[number];

/** A set colour that is hard to read. */
export interface ContrastFinding {
  readonly color: Settable;
  readonly scheme: Scheme;
  readonly value: string;
  /** Contrast with the background, or with code's background where that is lower. */
  readonly ratio: number;
  /** The nearest colour that can be read. */
  readonly suggestion: string;
}

/** The schemes that readers of a publication get. */
export function schemesOf({ color_scheme: scheme }: Look): readonly Scheme[] {
  return scheme === 'auto' ? SCHEMES : [scheme];
}

/**
 * The colours of one scheme: what the publication sets, and the rest derived from it, so that it can be read. Colours of the engine stay
 * where they can be read on the background.
 */
export function paletteOf(look: Look, scheme: Scheme): Palette {
  const defaults = DEFAULTS[scheme];
  const set = (name: Settable): string | undefined => setColor(look, name, scheme);
  const background = set('background') ?? defaults.background;
  const isRecoloured = set('background') !== undefined || set('text') !== undefined;
  const text = set('text') ?? nearestReadable(defaults.text, [background], COMFORTABLE_CONTRAST);
  const tinted = isRecoloured ? mixColors(background, text, 0.045) : defaults.surface;
  // On a medium background even black or white barely passes.
  const surface = contrastRatio(text, tinted) < MIN_TEXT_CONTRAST ? background : tinted;
  const onBoth = [background, surface];
  const readable = (color: string): string => nearestReadable(color, onBoth);
  const accent = set('accent') ?? readable(derivedAccent(look, scheme) ?? defaults.accent);
  return {
    background,
    surface,
    text,
    'text-muted': isRecoloured
      ? nearestReadable(mixColors(background, text, 0.7), onBoth, MIN_TEXT_CONTRAST + 0.5)
      : defaults['text-muted'],
    border: isRecoloured ? mixColors(background, text, 0.17) : defaults.border,
    'border-strong': isRecoloured ? mixColors(background, text, 0.32) : defaults['border-strong'],
    accent,
    verified: readable(defaults.verified),
    superseded: readable(defaults.superseded),
    retracted: readable(defaults.retracted),
  };
}

/** Contrast of running text where the engine chooses it (WCAG 2.2, 1.4.6, level AAA). */
const COMFORTABLE_CONTRAST = 7;

/** The set colours whose text is hard to read, in the schemes that readers get. */
export function contrastFindings(look: Look): ContrastFinding[] {
  return schemesOf(look).flatMap((scheme) => {
    const { background, surface, text, accent } = paletteOf(look, scheme);
    return (['text', 'accent'] as const).flatMap((color) => {
      const value = color === 'text' ? text : accent;
      const ratio = Math.min(contrastRatio(value, background), contrastRatio(value, surface));
      if (ratio >= MIN_TEXT_CONTRAST) return [];
      return [{ color, scheme, value, ratio, suggestion: nearestReadable(value, [background, surface]) }];
    });
  });
}

function setColor(look: Look, name: Settable, scheme: Scheme): string | undefined {
  const color: SchemeColor | undefined = look.colors[name];
  if (typeof color === 'object') return color[scheme];
  return scheme === singleScheme(look) ? color : undefined;
}

/** The scheme that a single colour is for. */
function singleScheme({ color_scheme: scheme }: Look): Scheme {
  return scheme === 'dark' ? 'dark' : 'light';
}

function derivedAccent(look: Look, scheme: Scheme): string | undefined {
  const { accent } = look.colors;
  return typeof accent === 'string' && scheme !== singleScheme(look) ? accent : undefined;
}
