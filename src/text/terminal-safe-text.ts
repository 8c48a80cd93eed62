/** Control, format and unassigned characters, which a terminal may interpret. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Untrusted text for a terminal, on one line: invisible characters become their code points. */
export function terminalLine(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** Untrusted text in its lines, whose other invisible characters become their code points. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => terminalLine(line.replaceAll('\t', '    ')))
    .join('\n');
}

/** The same for a terminal, with a margin before every line that no other output has. */
export function terminalBlock(text: string): string {
  return visibleLines(text).replace(/^/gm, '  | ');
}

export function minuteText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
