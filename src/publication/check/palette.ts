import type { Look } from '../../schemas/publisher.ts';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** The colours of the engine, which hold where a publication sets none. */
const DEFAULTS = {
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

/**
 * The colours of one scheme, `#rrggbb`, by the name of their custom property without `--color-`. `surface` is the background of code, notes
 * and buttons that are switched off; `accent` is that of links and buttons, and the background of text in the colour `background`.
 */
export type Palette = Readonly<Record<keyof (typeof DEFAULTS)['light'], string>>;

export const PALETTE_NAMES = Object.keys(DEFAULTS.light) as readonly (keyof Palette)[];

type Settable = keyof Look['colors'];

export function schemesOf({ color_scheme: scheme }: Look): readonly Scheme[] {
  return scheme === 'auto' ? SCHEMES : [scheme];
}

/** What the publication sets, and the rest derived from it, readable. Colours of the engine stay where they can be read on the background. */
export function paletteOf(look: Look, scheme: Scheme): Palette {
  const defaults: Palette = DEFAULTS[scheme];
  const set = (name: Settable): string | undefined => setColor(look, name, scheme);
  const background = set('background') ?? defaults.background;
  const isRecoloured = set('background') !== undefined || set('text') !== undefined;
  const text = set('text') ?? nearestReadable(defaults.text, [background], COMFORTABLE_CONTRAST);
  const tinted = isRecoloured ? mixColors(background, text, 0.045) : defaults.surface;
  // On a medium background even black or white barely passes.
  const surface = contrastRatio(text, tinted) < MIN_TEXT_CONTRAST ? background : tinted;
  const onBoth = [background, surface];
  const readable = (color: string): string => nearestReadable(color, onBoth);
  const { accent: stated } = look.colors;
  // A single colour is for the other scheme.
  const accent = set('accent') ?? readable(typeof stated === 'string' ? stated : defaults.accent);
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
export function contrastFindings(look: Look) {
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
  const color = look.colors[name];
  if (typeof color === 'object') return color[scheme];
  return scheme === (look.color_scheme === 'dark' ? 'dark' : 'light') ? color : undefined;
}

/** Lowest contrast of text with its background (WCAG 2.2, success criterion 1.4.3, level AA). */
export const MIN_TEXT_CONTRAST = 4.5;

type Triple = readonly [number, number, number];

/** Contrast ratio of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastRatio(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour nearest to `color` with enough contrast to every background: it differs in lightness (OKLCH). Black or white if nothing else has. */
export function nearestReadable(color: string, backgrounds: readonly string[], ratio = MIN_TEXT_CONTRAST): string {
  const passes = (candidate: string): boolean => backgrounds.every((background) => contrastRatio(candidate, background) >= ratio);
  if (passes(color)) return color;
  const [lightness, chroma, hue] = toOklch(color);
  for (let step = 1; step <= LIGHTNESS_STEPS; step += 1) {
    const distance = step / LIGHTNESS_STEPS;
    for (const moved of [lightness - distance, lightness + distance]) {
      if (moved < 0 || moved > 1) continue;
      const candidate = fromOklch([moved, chroma, hue]);
      if (passes(candidate)) return candidate;
    }
  }
  const worst = (candidate: string): number => Math.min(...backgrounds.map((background) => contrastRatio(candidate, background)));
  return worst('#000000') > worst('#ffffff') ? '#000000' : '#ffffff';
}

function mixColors(one: string, other: string, share: number): string {
  const [a, b] = [channels(one), channels(other)];
  return toHex([0, 1, 2].map((index) => (a[index] ?? 0) * (1 - share) + (b[index] ?? 0) * share));
}

const LIGHTNESS_STEPS = 500;

function channels(color: string): Triple {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** @param rgb Channels from 0 to 1; others become the nearest of these. */
export function toHex(rgb: readonly number[]): string {
  return `#${rgb
    .map((channel) =>
      Math.round(Math.min(Math.max(channel, 0), 1) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** WCAG says 0.03928 where sRGB has 0.04045; for colours of 8 bits it makes no difference. */
function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function gamma(channel: number): number {
  return channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055;
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Lightness from 0 to 1, chroma, and hue in radians; matrices of bottosson.github.io/posts/oklab. */
function toOklch(color: string): Triple {
  const [red, green, blue] = channels(color).map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), Math.atan2(b, a)];
}

function fromOklch([lightness, chroma, hue]: Triple): string {
  for (let share = 1; share > 0; share -= 0.02) {
    const rgb = linearRgb(lightness, chroma * share * Math.cos(hue), chroma * share * Math.sin(hue));
    if (rgb.every((channel) => channel >= -0.0005 && channel <= 1.0005)) return toHex(rgb.map(gamma));
  }
  return toHex(linearRgb(lightness, 0, 0).map(gamma));
}

function linearRgb(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}
