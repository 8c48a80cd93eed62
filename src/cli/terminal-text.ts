/** Characters that a terminal may obey instead of showing, or that change how what follows is shown. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A text of a stranger for a terminal, on one line: what is no visible character is written as its code point. */
export function terminalLine(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** A text of a stranger for a terminal, with its lines, each behind a margin that no line of ours begins with. */
export function terminalBlock(text: string): string {
  return text
    .split('\n')
    .map((line) => `  | ${terminalLine(line.replaceAll('\t', '    '))}`)
    .join('\n');
}
