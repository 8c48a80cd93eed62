/** Lowest contrast of text with its background (WCAG 2.2, success criterion 1.4.3, level AA). */
export const MIN_TEXT_CONTRAST = 4.5;

type Triple = readonly [number, number, number];

/** Contrast ratio of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastRatio(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The colour nearest to `color` whose contrast with every one of `backgrounds` is high enough: it keeps hue and, as far as the screen can
 * show it, chroma, and differs in lightness (OKLCH). `color` itself if that is enough; black or white if nothing else is.
 */
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

/** A mixture of two colours; `share` of the second one, from 0 to 1. */
export function mixColors(one: string, other: string, share: number): string {
  const [a, b] = [channels(one), channels(other)];
  return toHex([0, 1, 2].map((index) => (a[index] ?? 0) * (1 - share) + (b[index] ?? 0) * share));
}

const LIGHTNESS_STEPS = 500;

function channels(color: string): Triple {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function toHex(rgb: readonly number[]): string {
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

/** The colour with the highest chroma, up to the given one, that sRGB contains. */
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
