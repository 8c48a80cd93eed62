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

/** Letters of scripts whose letters join, or whose joined forms authors choose. */
const JOINING = [
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}',
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}',
  '\\p{Script=Sinhala}\\p{Script=Myanmar}\\p{Script=Khmer}\\p{Script=Tibetan}\\p{Script=Nko}]',
].join('');

const RIGHT_TO_LEFT_LETTER = '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}]';

/**
 * Where hidden characters are needed: joiners within emoji and beside letters of scripts that shape them (Unicode Standard, sections 9.2,
 * 12.1 and 23.2), the text or emoji form of one symbol, flags of British nations, direction marks beside right-to-left letters.
 */
const NEEDED = new RegExp(
  [
    '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
    '(?<=[\\p{Emoji}\\u{2190}-\\u{2bff}\\u{3030}\\u{303d}\\u{3297}\\u{3299}])[\\u{fe0e}\\u{fe0f}](?![\\u{fe00}-\\u{fe0f}])',
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\u{fe0f}?)\\u{200d}(?=\\p{Extended_Pictographic})',
    // One joiner beside a letter of such a script and its marks, also at the end of a word or next to another script.
    `(?<=${JOINING}\\p{M}{0,4})[\\u{200c}\\u{200d}](?![\\u{200b}-\\u{200f}])|(?<![\\u{200b}-\\u{200f}])[\\u{200c}\\u{200d}](?=${JOINING})`,
    `(?<=${RIGHT_TO_LEFT_LETTER}[^\\p{L}\\n]{0,8})[\\u{200e}\\u{200f}\\u{61c}]|[\\u{200e}\\u{200f}\\u{61c}](?=[^\\p{L}\\n]{0,8}${RIGHT_TO_LEFT_LETTER})`,
  ].join('|'),
  'gu',
);

interface HiddenCharacter {
  readonly character: string;
  readonly codePoint: string;
  readonly line: number;
}

/** Every hidden character of `text` that its script or an emoji does not need, in order. Tabs and line breaks are not hidden. */
export function findHiddenCharacters(text: string): HiddenCharacter[] {
  const hidden: HiddenCharacter[] = [];
  let line = 1;
  let from = 0;
  const normalised = text.replace(/\r\n/g, '\n');
  const needed = new Set(
    Array.from(normalised.matchAll(NEEDED), ({ 0: { length }, index }) => Array.from({ length }, (_, at) => index + at)).flat(),
  );
  for (const match of normalised.matchAll(HIDDEN)) {
    if (needed.has(match.index)) continue;
    line += normalised.slice(from, match.index).split('\n').length - 1;
    from = match.index;
    const value = match[0].codePointAt(0) ?? 0;
    hidden.push({ character: match[0], codePoint: `U+${value.toString(16).toUpperCase().padStart(4, '0')}`, line });
  }
  return hidden;
}
