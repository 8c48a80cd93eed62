/** What cannot stand in a page: styles and scripts, which the policy of pages forbids, and names, which other markup may have as well. */
const NOT_INLINE = /<(style|script|foreignObject|image|use|a)\b|\s(style|id|class|href|xlink:href|on[a-z]+)\s*=/i;

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
 *
 * @param height In pixels; the width follows from the `viewBox`.
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

/** A text without everything from each beginning to the next end. */
function without(text: string, begin: string, end: string): string {
  let kept = '';
  let position = 0;
  for (;;) {
    const from = text.indexOf(begin, position);
    const to = from === -1 ? -1 : text.indexOf(end, from + begin.length);
    if (to === -1) return kept + text.slice(position);
    kept += text.slice(position, from);
    position = to + end.length;
  }
}
