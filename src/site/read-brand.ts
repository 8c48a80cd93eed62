import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { imageMetadata } from 'astro/assets/utils';
import { create, type Font } from 'fontkitten';
import type { Sharp } from 'sharp';
import { PUBLIC_FOLDER } from '../publication/check/check-look-and-theme.ts';
import { type Palette, paletteOf, schemesOf } from '../publication/check/palette.ts';
import type { Publisher } from '../schemas/publisher.ts';

interface PictureFile {
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** A logo: markup in the colour of the text, or a file for each colour scheme. */
type Logo = { readonly svg: string } | { readonly light: PictureFile; readonly dark?: PictureFile | undefined };

export interface Brand {
  readonly logo?: Logo | undefined;
  /** Icons for browser tabs, the preferred one last. */
  readonly icons: readonly { readonly href: string; readonly type?: string; readonly sizes?: string }[];
  /** Beside the title of the home page. */
  readonly homeImage?: PictureFile | undefined;
  /** Absent if the publication has none and none can be made. */
  readonly socialImage?: { readonly path: string; readonly alt: string } | undefined;
  /** Whether each capsule has a picture of its own, at {@link capsuleImagePath}. */
  readonly hasCapsuleImages?: boolean;
}

export interface BrandFiles {
  readonly brand: Brand;
  /** By path from the site's root. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const FAVICON_SVG = '/favicon.svg';
const FAVICON_ICO = '/favicon.ico';
const TOUCH_ICON = '/apple-touch-icon.png';
const SOCIAL_IMAGE_FILE = '/og-image.png';

const LOGO_HEIGHT = { beside: 20, instead: 30 } as const;

/** Most capsules of a publication whose capsules have pictures of their own: each takes about 50 ms of the first build, and a file. */
export const CAPSULE_IMAGES_MAX = 500;

/** Reads the logo, icons and picture of links of a publication, and makes those that it lacks. Pictures of so many capsules will be drawn. */
export async function readBrand(root: string, publisher: Publisher, capsules = 0): Promise<BrandFiles> {
  const { look } = publisher;
  const files = new Map<string, Uint8Array>();
  const isPublic = (path: string): boolean => existsSync(join(root, PUBLIC_FOLDER, path));
  const read = (path: string): Promise<Uint8Array> => readFile(join(root, PUBLIC_FOLDER, path));
  const add = (path: string, bytes: Uint8Array | undefined): boolean => {
    if (bytes !== undefined) files.set(path, bytes);
    return bytes !== undefined;
  };

  const icon = look.favicon ?? FAVICON_SVG;
  const isGiven = isPublic(icon);
  const source = isGiven ? await read(icon) : new TextEncoder().encode(await letterIcon(publisher));
  if (!isGiven) add(icon, source);
  const small = isPublic(FAVICON_ICO) ? undefined : await pngOf(source, 32);
  const hasIco = small === undefined ? isPublic(FAVICON_ICO) : add(FAVICON_ICO, icoOf(small));
  if (!isPublic(TOUCH_ICON)) add(TOUCH_ICON, await touchIconOf(source, paletteOf(look, 'light').background));

  const isSocialImageGiven = look.social_image !== undefined || isPublic(SOCIAL_IMAGE_FILE);
  const hasSocialImage =
    isSocialImageGiven || add(SOCIAL_IMAGE_FILE, await pngOf(new TextEncoder().encode(await socialImage(publisher)), 1200, 630));
  return {
    brand: {
      logo: await readLogo(publisher, read),
      homeImage: publisher.home.image && (await pictureFile(publisher.home.image.file, read)),
      icons: [
        ...(hasIco ? [{ href: FAVICON_ICO, sizes: '32x32' }] : []),
        { href: icon, type: icon.endsWith('.png') ? 'image/png' : 'image/svg+xml' },
      ],
      socialImage: hasSocialImage
        ? { path: look.social_image?.file ?? SOCIAL_IMAGE_FILE, alt: look.social_image?.alt ?? publisher.name }
        : undefined,
      ...(capsules > 0 && capsules <= CAPSULE_IMAGES_MAX && (await loadSharp()) !== undefined && { hasCapsuleImages: true }),
    },
    files,
  };
}

type ReadFile = (path: string) => Promise<Uint8Array>;

async function readLogo({ look }: Publisher, read: ReadFile): Promise<Logo | undefined> {
  if (look.logo === undefined) return undefined;
  const height = look.logo_has_name ? LOGO_HEIGHT.instead : LOGO_HEIGHT.beside;
  if (typeof look.logo === 'object' && look.color_scheme === 'auto')
    return { light: await pictureFile(look.logo.light, read, height), dark: await pictureFile(look.logo.dark, read, height) };
  const logo = typeof look.logo === 'string' ? look.logo : look.logo[look.color_scheme === 'dark' ? 'dark' : 'light'];
  const svg = logo.endsWith('.svg') ? inlineSvg(new TextDecoder().decode(await read(logo)), height) : undefined;
  return svg === undefined ? { light: await pictureFile(logo, read, height) } : { svg };
}

async function pictureFile(src: string, read: ReadFile, height?: number): Promise<PictureFile> {
  const size = await imageMetadata(await read(src), src);
  const scale = height === undefined ? 1 : height / size.height;
  return { src, width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
}

/** Size of a picture of links, in pixels, as networks ask for it. */
const SOCIAL_IMAGE = { width: 1200, height: 630 } as const;

type Named = Pick<Publisher, 'name' | 'look'>;

async function letterIcon(publisher: Named): Promise<string> {
  const { background, accent } = colorsOf(publisher);
  const letter = await outlineText(firstLetter(publisher.name), 44);
  const mark = letter
    ? `<path transform="translate(${round((64 - letter.width) / 2)} ${round((64 + letter.capHeight) / 2)})" d="${letter.path}"/>`
    : '<circle cx="32" cy="32" r="14"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="10" fill="${accent}"/><g fill="${background}">${mark}</g></svg>`;
}

/** The name and the address on the background, as an SVG of 1200 × 630 pixels. */
async function socialImage(publisher: Named & Pick<Publisher, 'base_url'>): Promise<string> {
  const { background, text, accent, 'text-muted': muted } = colorsOf(publisher);
  const { width, height } = SOCIAL_IMAGE;
  const margin = 96;
  const line = async (words: string, fontSize: number, y: number, fill: string): Promise<string> => {
    const outline = await outlineText(words, fontSize);
    if (outline === undefined) return '';
    const scale = Math.min(1, (width - 2 * margin) / outline.width);
    return `<path transform="translate(${margin} ${y}) scale(${round(scale)})" fill="${fill}" d="${outline.path}"/>`;
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${background}"/><rect width="${width}" height="16" fill="${accent}"/>${await line(publisher.name, 128, 350, text)}${await line(new URL(publisher.base_url).host, 40, 524, muted)}</svg>`;
}

/** What the picture of a capsule shows: its title with its state, and its evidence from 1 to {@link EVIDENCE_MAX} unless it is retracted. */
export interface CapsuleImage {
  readonly title: string;
  readonly isRetracted: boolean;
  readonly evidence?: { readonly level: number; readonly label: string };
}

const EVIDENCE_MAX = 5;
const TITLE_LINES_MAX = 4;

/** Draws the picture of a capsule as SVG, or the publication's picture if the engine's font lacks a character of the title. */
export async function capsuleImage({ title, isRetracted, evidence }: CapsuleImage, publisher: Publisher): Promise<string> {
  const { background, text, accent, border, retracted, 'text-muted': muted } = colorsOf(publisher);
  const { width, height } = SOCIAL_IMAGE;
  const margin = 80;
  const room = width - 2 * margin;
  const titleLines = async (fontSize: number): Promise<readonly (TextOutline | undefined)[]> => {
    const lines: string[] = [];
    for (const word of title.split(' ')) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && ((await outlineText(longer, fontSize))?.width ?? 0) <= room) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const outlines = await Promise.all(lines.map((line) => outlineText(line, fontSize)));
    const fits = outlines.length <= TITLE_LINES_MAX && outlines.every((line) => line === undefined || line.width <= room);
    return fits || fontSize < 40 ? outlines : titleLines(fontSize * 0.85);
  };
  const [lines, foot, label] = [
    await titleLines(76),
    await outlineText(`${publisher.name} · ${new URL(publisher.base_url).host}`, 34),
    await outlineText(evidence?.label ?? '', 34),
  ];
  if (lines.includes(undefined) || foot === undefined) return socialImage(publisher);
  const size = (lines[0]?.capHeight ?? 0) * 1.72;
  const draw = (outline: TextOutline | undefined, x: number, y: number, fill: string): string =>
    outline
      ? `<path transform="translate(${x} ${round(y)}) scale(${round(Math.min(1, (width - margin - x) / (outline.width || 1)))})" fill="${fill}" d="${outline.path}"/>`
      : '';
  const bar = (at: number): string =>
    `<rect x="${margin + at * 30}" y="446" width="24" height="24" fill="${at < (evidence?.level ?? 0) ? text : border}"/>`;
  const shown =
    evidence === undefined
      ? ''
      : `${Array.from({ length: EVIDENCE_MAX }, (_, at) => bar(at)).join('')}${draw(label, margin + 30 * EVIDENCE_MAX + 14, 470, text)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${background}"/><rect width="${width}" height="16" fill="${isRetracted ? retracted : accent}"/>${lines.map((line, at) => draw(line, margin, 130 + at * size, isRetracted ? retracted : text)).join('')}${shown}${draw(foot, margin, 550, muted)}</svg>`;
}

/** A picture of links as PNG; `undefined` without sharp. */
export async function socialPng(svg: string): Promise<Uint8Array | undefined> {
  return (await loadSharp(72))?.(new TextEncoder().encode(svg)).png({ palette: true }).toBuffer();
}

function colorsOf({ look }: Named): Palette {
  return paletteOf(look, schemesOf(look)[0] ?? 'light');
}

function firstLetter(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? name.slice(0, 1)).toLocaleUpperCase('en');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The font of headings. Its outlines are the same on every machine, other than fonts of the system. */
const FONT_FILE = '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2';

interface TextOutline {
  /** Data of an SVG path whose baseline begins at 0 0. */
  readonly path: string;
  readonly width: number;
  /** Height of capital letters in pixels. */
  readonly capHeight: number;
}

let loading: Promise<Font> | undefined;

/** The outlines of a line of text; `undefined` if the font lacks one of its characters. */
async function outlineText(text: string, fontSize: number): Promise<TextOutline | undefined> {
  loading ??= loadFont();
  const font = await loading;
  const scale = fontSize / font.unitsPerEm;
  let width = 0;
  let path = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (!font.hasGlyphForCodePoint(code)) return undefined;
    const glyph = font.glyphForCodePoint(code);
    // The y axis of fonts points up.
    path += glyph.path.scale(scale, -scale).translate(width, 0).toSVG();
    width += glyph.advanceWidth * scale;
  }
  return { path, width, capHeight: font.capHeight * scale };
}

async function loadFont(): Promise<Font> {
  const font = create(await readFile(createRequire(import.meta.url).resolve(FONT_FILE)));
  if (font.isCollection) throw new Error(`${FONT_FILE} is a collection of fonts`);
  return font;
}

/** What cannot stand in a page: comments that do not end, styles and scripts, which the policy of pages forbids, and names, which other markup may have as well. */
const NOT_INLINE = /<!|<(style|script|foreignObject|image|use|a)\b|\s(style|id|class|href|xlink:href|on[a-z]+)\s*=/i;

/** Beginnings and ends of what is not part of the picture. */
const SHOWN_NOWHERE = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!DOCTYPE', '>'],
  ['<title', '</title>'],
  ['<desc', '</desc>'],
  ['<metadata', '</metadata>'],
] as const;

/** Attributes of the element `svg` that its content inherits. */
const INHERITED = /\s(?:fill|stroke)(?:-[a-z]+)?="[^"]*"/g;

/**
 * An SVG in `currentColor` as markup of a page, where it takes the colour of the text in every colour scheme; `undefined` for any other
 * picture. It is decoration for screen readers.
 */
export function inlineSvg(source: string, height: number): string | undefined {
  const text = SHOWN_NOWHERE.reduce((rest, [begin, end]) => without(rest, begin, end), source).trim();
  const [, attributes = '', content = ''] = /^<svg\b([^>]*)>(.*)<\/svg>$/s.exec(text) ?? [];
  const box = /\sviewBox="([^"]+)"/.exec(attributes)?.[1];
  const [, , boxWidth = 0, boxHeight = 0] = (box ?? '').split(/[\s,]+/).map(Number);
  if (box === undefined || !(boxWidth > 0 && boxHeight > 0)) return undefined;
  if (!/currentColor/i.test(text) || NOT_INLINE.test(content)) return undefined;
  const inherited = (attributes.match(INHERITED) ?? []).join('');
  const width = Math.round((height * boxWidth) / boxHeight);
  return `<svg viewBox="${box}" width="${width}" height="${height}"${inherited} aria-hidden="true" focusable="false">${content.trim()}</svg>`;
}

function without(text: string, begin: string, end: string): string {
  const [kept = '', ...parts] = text.split(begin);
  return kept + parts.map((part) => (part.includes(end) ? part.slice(part.indexOf(end) + end.length) : begin + part)).join('');
}

/** Reads pictures with sharp, an optional package that is missing where no binary of it fits the machine. */
async function loadSharp(density = 300): Promise<((picture: Uint8Array) => Sharp) | undefined> {
  const sharp = await import('sharp').then(
    (module) => module.default,
    () => undefined,
  );
  return sharp && ((picture) => sharp(picture, { density }));
}

/** A picture as PNG with these sides, on a transparent background; `undefined` without sharp. */
async function pngOf(picture: Uint8Array, width: number, height = width): Promise<Uint8Array | undefined> {
  return (await loadSharp())?.(picture).resize(width, height, { fit: 'contain', background: '#0000' }).png().toBuffer();
}

/** A picture of 180 pixels on a background, which iOS shows with round corners; `undefined` without sharp. */
async function touchIconOf(picture: Uint8Array, background: string): Promise<Uint8Array | undefined> {
  const pixels = await loadSharp();
  if (pixels === undefined) return undefined;
  const side = 180;
  const padding = 20;
  const icon = await pixels(picture)
    .resize(side - 2 * padding, side - 2 * padding, { fit: 'contain', background: '#0000' })
    .toBuffer();
  return pixels(icon)
    .extend({ top: padding, bottom: padding, left: padding, right: padding, background })
    .flatten({ background })
    .png()
    .toBuffer();
}

/** An icon file with one PNG of 32 pixels: header and directory entry of the ICO format, then the picture. */
function icoOf(png: Uint8Array): Uint8Array {
  const headerBytes = 22;
  const file = new Uint8Array(headerBytes + png.length);
  const view = new DataView(file.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, 1, true);
  file.set([32, 32], 6);
  view.setUint16(10, 1, true);
  view.setUint16(12, 32, true);
  view.setUint32(14, png.length, true);
  view.setUint32(18, headerBytes, true);
  file.set(png, headerBytes);
  return file;
}
