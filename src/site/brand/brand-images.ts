import { type Palette, paletteOf, schemesOf } from '../../publication/appearance/palette.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { outlineText } from './outline-text.ts';

/** Size of a picture of links, in pixels, as networks ask for it. */
const SOCIAL_IMAGE = { width: 1200, height: 630 } as const;

type Named = Pick<Publisher, 'name' | 'look'>;

/** The first letter of the name on the accent colour, as an SVG; a disc if the engine's font lacks the letter. */
export async function letterIcon(publisher: Named): Promise<string> {
  const { background, accent } = colorsOf(publisher);
  const letter = await outlineText(firstLetter(publisher.name), 44);
  const mark = letter
    ? `<path transform="translate(${round((64 - letter.width) / 2)} ${round((64 + letter.capHeight) / 2)})" d="${letter.path}"/>`
    : '<circle cx="32" cy="32" r="14"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="10" fill="${accent}"/><g fill="${background}">${mark}</g></svg>`;
}

/** The name and the address on the background, as an SVG of 1200 × 630 pixels. */
export async function socialImage(publisher: Named & Pick<Publisher, 'base_url'>): Promise<string> {
  const { background, text, accent, 'text-muted': muted } = colorsOf(publisher);
  const { width, height } = SOCIAL_IMAGE;
  const margin = 96;
  const room = width - 2 * margin;
  const line = async (words: string, fontSize: number, y: number, fill: string): Promise<string> => {
    const outline = await outlineText(words, fontSize);
    if (outline === undefined) return '';
    const scale = Math.min(1, room / outline.width);
    return `<path transform="translate(${margin} ${y}) scale(${round(scale)})" fill="${fill}" d="${outline.path}"/>`;
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${background}"/><rect width="${width}" height="16" fill="${accent}"/>${await line(publisher.name, 128, 350, text)}${await line(new URL(publisher.base_url).host, 40, 524, muted)}</svg>`;
}

/** Colours of the scheme that readers get without a setting of theirs. */
function colorsOf({ look }: Named): Palette {
  return paletteOf(look, schemesOf(look)[0] ?? 'light');
}

function firstLetter(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? name.slice(0, 1)).toLocaleUpperCase('en');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
