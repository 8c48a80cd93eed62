/**
 * Characters that only machines see: control characters, soft hyphen, zero-width and bidirectional controls, invisible operators,
 * variation selectors, interlinear marks and Unicode tags. They can hide instructions in text (Unicode Technical Report 36; Trojan Source,
 * CVE-2021-42574).
 */
const HIDDEN = new RegExp(
  [
    '[\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}\\u{34f}\\u{61c}\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}]',
    '[\\u{200b}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{3164}\\u{fe00}-\\u{fe0f}\\u{feff}\\u{ffa0}\\u{fff9}-\\u{fffb}]',
    '[\\u{e0000}-\\u{e0fff}]',
  ].join('|'),
  'gu',
);

/** A hidden character, with its line in the text, from 1. */
interface HiddenCharacter {
  readonly character: string;
  readonly codePoint: string;
  readonly line: number;
}

/** Every hidden character of `text`, in order. Tabs and line breaks are not hidden. */
export function findHiddenCharacters(text: string): HiddenCharacter[] {
  const hidden: HiddenCharacter[] = [];
  let line = 1;
  let from = 0;
  const normalised = text.replace(/\r\n/g, '\n');
  for (const match of normalised.matchAll(HIDDEN)) {
    line += countLineFeeds(normalised, from, match.index);
    from = match.index;
    const value = match[0].codePointAt(0) ?? 0;
    hidden.push({ character: match[0], codePoint: `U+${value.toString(16).toUpperCase().padStart(4, '0')}`, line });
  }
  return hidden;
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index += 1) if (text.charCodeAt(index) === 10) count += 1;
  return count;
}
