/** A normalized word of a text, and its place. */
export interface TextWord {
  readonly word: string;
  /** Line of the text, from 1. */
  readonly line: number;
  /** Number of its sentence: no rule matches across sentences. */
  readonly sentence: number;
  /** Whether it begins a sentence, clause, quotation, list item or cell. */
  readonly opens: boolean;
}

/** Look-alikes of Latin letters: letters of other scripts, digits and signs. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аеорсухіѕјһԁԛԝ', 'aeopcyxisjhdqw'],
    ['οαειντρκυη', 'oaeivtpkun'],
    ['0134578@$', 'oieastbas'],
  ].flatMap(([from = '', to = '']) => [...from].map((character, index) => [character, to.charAt(index)] as const)),
);

/** A word: letters, digits and joiners; with an underscore, a function name is one word. */
const WORD = /[\p{L}\p{N}@$_']+/gu;

/** A line that begins or ends a code block. */
const FENCE = /^[ \t]{0,8}(?:`{3}|~{3})[^\n]*/gm;

/** The end of a sentence: a mark before white space or a bracket, a blank line, the next list item or table cell. */
const SENTENCE_END = /[.!?](?=[\s"')\]])|[。！？|]|\n\s*\n|\n\s*(?:[-*+>#]|\d+[.)])/;

/** The end or start of a clause. */
const CLAUSE_END = /[,;:()[\]{}"“”„«»<>=*#—–…。、，：；!?.-]|(?:^|\s)'/;

/** Quotes, and emphasis marks that are also parts of names. */
const EDGES: ReadonlySet<string> = new Set(["'", '_']);

/** Elided articles and pronouns of French and Italian. */
const ELIDED = /^(?:[cdjlmnst]|qu)'(?=\p{L}{3})/u;

/** Fewest single letters in a row that count as a spelled-out word. */
const SPELLED_MIN = 8;

/** The words of a text, in order. Case, accents, width, look-alike letters and invisible characters make no difference. */
export function wordsOfText(text: string): TextWord[] {
  const folded = text
    // A code block begins a new clause; the name of its language is not part of the text.
    .replace(FENCE, '|')
    .replace(/\p{Cf}|[\ufe00-\ufe0f]/gu, '')
    // Ligatures of whole phrases, whose decomposition would make the text many times as long.
    .replace(/[\ufdf0-\ufdfc]/g, ' ')
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\u2018\u2019`]/g, "'");
  const words: TextWord[] = [];
  let end = 0;
  let line = 1;
  let sentence = 0;
  for (const match of folded.matchAll(WORD)) {
    const between = folded.slice(end, match.index);
    const isEnd = end > 0 && between !== ' ' && SENTENCE_END.test(between);
    line += between.split('\n').length - 1;
    if (isEnd) sentence += 1;
    const opens = end === 0 || isEnd || (between !== ' ' && CLAUSE_END.test(between));
    const word = plainWord(match[0]);
    if (word !== '') words.push({ word, line, sentence, opens });
    end = match.index + match[0].length;
  }
  return words;
}

/** Runs of single letters such as `i g n o r e`, joined, with the line on which each begins. */
export function spelledOut(words: readonly TextWord[]): { readonly letters: string; readonly line: number }[] {
  const runs: { letters: string; line: number }[] = [];
  let letters = '';
  let line = 1;
  for (const { word, line: at } of [...words, { word: '', line: 1 }]) {
    if (word.length === 1) {
      if (letters === '') line = at;
      letters += word;
      continue;
    }
    if (letters.length >= SPELLED_MIN) runs.push({ letters, line });
    letters = '';
  }
  return runs;
}

/** A word without quotes and emphasis marks at its edges, and with look-alikes replaced if it also has Latin letters. */
function plainWord(word: string): string {
  let start = 0;
  let end = word.endsWith("'s") ? word.length - 2 : word.length;
  while (EDGES.has(word.charAt(start))) start += 1;
  while (end > start && EDGES.has(word.charAt(end - 1))) end -= 1;
  const bare = word.slice(start, end).replace(ELIDED, '');
  const isPlain = /^[a-z'_]*$/.test(bare) || !/[a-z]/.test(bare);
  return isPlain ? bare : Array.from(bare, (character) => LOOK_ALIKES[character] ?? character).join('');
}
