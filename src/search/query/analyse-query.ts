import { analyseWords, compoundNames, nameTerm, operatorRanges, type Token } from '../analysis/analyse.ts';
import { STEMMERS, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import { normaliseSpelling, tokenise } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';

/** Most analysers of one query: each costs an analysis and look-ups in the index. */
const ANALYSERS_MAX = 6;

const EVIDENCE_WORDS_MAX = 64;

/** A query, and what all its analyses begin with. */
export interface QueryText {
  readonly text: string;
  /** From `tokenise`. */
  readonly words: readonly TextRange[];
  readonly operators: readonly TextRange[];
}

export function readQueryText(text: string): QueryText {
  return { text, words: tokenise(text), operators: operatorRanges(text) };
}

/**
 * The tokens of a query from each analyser, without the stop words of the query's language.
 *
 * That is the language whose analyser drops most of the query, or the first of several: "what is the Kapsel" is English, "die Kapsel der
 * Zeit" German. Otherwise a German document that quotes "what is the" would win every English query, because those words are rare in
 * German. Stop words of other languages count only for their own analyser: "how to do die casting" finds the English document among German
 * ones. "die casting" alone looks German in a corpus with German, and matches by "casting". If the query consists of stop words of its
 * language, like "die", every analyser keeps its tokens.
 *
 * @param analysers From `analysersFor`; of more than six, those of {@link chooseAnalysers}.
 */
export function analyseQuery(query: Pick<QueryText, 'text' | 'words'>, analysers: readonly string[]): Token[][] {
  const { text } = query;
  const asked = askedMeaning(text);
  const words = query.words.filter(({ start, end }) => asked === undefined || end <= asked.start || start >= asked.end);
  const analysed = chooseAnalysers(query, analysers).map((analyser) => analyseWords(text, words, analyser));
  if (analysed.length === 1) return analysed;
  const least = Math.min(...analysed.map(({ length }) => length));
  const content = new Set(analysed.find(({ length }) => length === least)?.map(rangeKey));
  if (content.size === 0) return analysed;
  return analysed.map((tokens) => tokens.filter((token) => content.has(rangeKey(token))));
}

/** "mean" in "what does X mean": it asks for a definition, which seldom has the word. English and German. */
const ASKED_MEANING =
  /^\s*what (?:does|do|did)\s.{1,80}\s(mean|stand for|refer to)\s*\??\s*$|^\s*was (bedeute[nt]|hei(?:ß|ss)(?:en|t)|meint)\s/diu;

function askedMeaning(query: string): TextRange | undefined {
  const { indices } = ASKED_MEANING.exec(query) ?? {};
  const range = indices?.[1] ?? indices?.[2];
  return range && { start: range[0], end: range[1] };
}

/** A number that tells the ranges of a query apart. */
export function rangeKey({ start, end }: TextRange): number {
  return start * 2 ** 26 + end;
}

/** At most six, in their order: English and the unknown, then those with the most stop words in the query, then those in its script. */
export function chooseAnalysers(query: Pick<QueryText, 'text' | 'words'>, analysers: readonly string[]): readonly string[] {
  if (analysers.length <= ANALYSERS_MAX) return analysers;
  const words = query.words.slice(0, EVIDENCE_WORDS_MAX).map(({ start, end }) => query.text.slice(start, end));
  const ranked = analysers.map((analyser, position) => ({ analyser, position, evidence: evidenceFor(analyser, words) }));
  ranked.sort((a, b) => b.evidence - a.evidence || a.position - b.position);
  const chosen = new Set(ranked.slice(0, ANALYSERS_MAX).map(({ analyser }) => analyser));
  return analysers.filter((analyser) => chosen.has(analyser));
}

function evidenceFor(analyser: string, words: readonly string[]): number {
  if (analyser === 'en' || analyser === UNKNOWN_ANALYSER) return Number.POSITIVE_INFINITY;
  const stopWords = stopWordsOf(analyser);
  const script = STEMMERS.get(analyser)?.stemmable;
  const spelled = words.map((word) => normaliseSpelling(word, analyser));
  const hasScript = spelled.some((word) => script?.test(word));
  return spelled.filter((word) => stopWords.has(word)).length + (hasScript ? 0.5 : 0);
}

export interface NameCandidate extends TextRange {
  /** Its terms, one for each analyser that gives another. */
  readonly terms: readonly string[];
  /** Whether it is all that the query asks for. */
  readonly isWhole: boolean;
  /** Whether it looks like a name: in quotation marks or backticks, or with a capital. */
  readonly isMarked: boolean;
  /** Whether it is an operator, which no word says. */
  readonly isOperator?: true;
}

/** Most parts of a query that are looked up as names, besides the query itself. */
const PARTS_MAX = 6;

/** Text in quotation marks or backticks, bounded so that marks without an end cost little. */
const QUOTED = /"[^"]{1,200}"|“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|`[^`]{1,200}`/g;

/** Begins a question that asks for more than the meaning of a name: "how do I get a …", "wo finde ich …". English and German. */
const ASKING =
  /(?<!\p{L})(?:how|can|could|may|must|should|would|will|do|does|did|when|where|why|i|my|me|we|our|you|your|wie|kann|könnte|darf|muss|soll|wann|wo|warum|ich|mein|meine|meinen|meinem|meiner|mir|mich|man|wir|unser|unsere)(?!\p{L})/iu;

/**
 * The names that a query may ask for: the query itself, also without the stop words that it begins with ("what is …"), and in it what is in
 * quotation marks or backticks, operators, and compounds with a stop word, such as `Retry-After`: words find other compounds. What follows
 * "how do I get a …" is a part like others.
 *
 * @param analyses The tokens of the query from each analyser, without stop words.
 */
export function nameCandidates(
  { text: query, operators }: QueryText,
  analysers: readonly string[],
  analyses: readonly (readonly Token[])[],
): NameCandidate[] {
  const found = new Map<string, NameCandidate>();
  const add = (start: number, end: number, isWhole: boolean, isMarked: boolean, more: Pick<NameCandidate, 'isOperator'> = {}): void => {
    // The terms of other names have no operators: the rest of the query would be all that it asks for.
    if (operators.some((operator) => operator.start >= start && operator.end <= end && end - start > operator.end - operator.start)) return;
    const name = query.slice(start, end);
    const terms = new Set(analysers.flatMap((analyser) => nameTerm(name, analyser) ?? []));
    const key = [...terms].join(' ');
    if (terms.size > 0 && !found.has(key)) found.set(key, { start, end, isWhole, isMarked, terms: [...terms], ...more });
  };
  const isAnalysed = (start: number): boolean => analyses.some((tokens) => tokens.some((token) => token.start === start));
  const losesWord = ({ start, end }: TextRange): boolean =>
    tokenise(query.slice(start, end)).some((word) => !isAnalysed(start + word.start));
  const compounds = compoundNames(query).filter(losesWord);
  let contentStart = query.length;
  for (const [first] of [compounds, operators, ...analyses]) if (first !== undefined) contentStart = Math.min(contentStart, first.start);
  add(0, query.length, true, true);
  if (contentStart > 0 && contentStart < query.length) {
    const asked = askedMeaning(query);
    const isNamed = asked !== undefined || !ASKING.test(query.slice(0, contentStart));
    const end = asked !== undefined && asked.start > contentStart ? asked.start : query.length;
    if (isNamed || /\p{Lu}/u.test(query.slice(contentStart))) add(contentStart, end, isNamed, true);
  }
  const parts = [
    ...quotedRanges(query).map((range) => ({ ...range, isMarked: true })),
    ...compounds.map(({ name, start, end }) => ({ start, end, isMarked: /[\p{Lu}:]/u.test(name) })),
  ];
  // Of an operator nothing else is found.
  const isAlone = analyses.every((tokens) => tokens.length === 0);
  for (const { start, end } of operators.slice(0, PARTS_MAX)) add(start, end, isAlone, true, { isOperator: true });
  for (const { start, end, isMarked } of parts.slice(0, PARTS_MAX)) add(start, end, false, isMarked);
  return [...found.values()];
}

/** What a query has in quotation marks or backticks, without them. */
export function quotedRanges(query: string): TextRange[] {
  return Array.from(query.matchAll(QUOTED), ({ 0: quoted, index }) => ({ start: index + 1, end: index + quoted.length - 1 }));
}
