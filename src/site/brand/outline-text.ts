import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkitten';

/** The font of headings. Its outlines are the same on every machine, other than fonts of the system. */
const FONT_FILE = '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2';

/** A line of text as outlines. */
export interface TextOutline {
  /** Data of an SVG path whose baseline begins at 0 0. */
  readonly path: string;
  /** Length of the line in pixels. */
  readonly width: number;
  /** Height of capital letters in pixels. */
  readonly capHeight: number;
}

let loading: Promise<Font> | undefined;

/** The outlines of a line of text; `undefined` if the font lacks one of its characters. */
export async function outlineText(text: string, fontSize: number): Promise<TextOutline | undefined> {
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
