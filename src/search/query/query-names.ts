import type { Token } from '../analysis/analyse.ts';
import { compoundNames, nameTerm, operatorRanges } from '../analysis/name-terms.ts';
import { tokenise } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';

/** A part of a query that may be a name. */
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

/**
 * Words at the beginning of a question that asks for more than the meaning of a name: "how do I get a …", "wo finde ich …". English and German;
 * in other languages such a question counts as one for the name.
 */
const ASKING =
  /(?<!\p{L})(?:how|can|could|may|must|should|would|will|do|does|did|when|where|why|i|my|me|we|our|you|your|wie|kann|könnte|darf|muss|soll|wann|wo|warum|ich|mein|meine|meinen|meinem|meiner|mir|mich|man|wir|unser|unsere)(?!\p{L})/iu;

/**
 * The names that a query may ask for: the query itself, also without the stop words that it begins with ("what is …"), and in it what is in
 * quotation marks or backticks, operators, and compounds with a stop word, such as `Retry-After`: words find other compounds. What follows
 * "how do I get a …" is a part like others.
 *
 * @param analyses The tokens of the query from each analyser, without stop words.
 */
export function nameCandidates(query: string, analysers: readonly string[], analyses: readonly (readonly Token[])[]): NameCandidate[] {
  const found = new Map<string, NameCandidate>();
  const operators = operatorRanges(query);
  const add = (start: number, end: number, isWhole: boolean, isMarked: boolean, more: Pick<NameCandidate, 'isOperator'> = {}): void => {
    // The terms of other names have no operators: the rest of the query would be all that it asks for.
    if (operators.some((operator) => operator.start >= start && operator.end <= end && end - start > operator.end - operator.start)) return;
    const name = query.slice(start, end);
    const terms = new Set(analysers.flatMap((analyser) => nameTerm(name, analyser) ?? []));
    const key = [...terms].join(' ');
    if (terms.size > 0 && !found.has(key)) found.set(key, { start, end, isWhole, isMarked, terms: [...terms], ...more });
  };
  const kept = new Set(analyses.flat().map(({ start }) => start));
  const losesWord = ({ start, end }: TextRange): boolean => tokenise(query.slice(start, end)).some((word) => !kept.has(start + word.start));
  const compounds = compoundNames(query).filter(losesWord);
  const contentStart = Math.min(
    query.length,
    ...[...compounds, ...operators, ...analyses.flatMap((tokens) => tokens.slice(0, 1))].map(({ start }) => start),
  );
  add(0, query.length, true, true);
  if (contentStart < query.length) {
    const isNamed = !ASKING.test(query.slice(0, contentStart));
    add(contentStart, query.length, isNamed, isNamed || /\p{Lu}/u.test(query.slice(contentStart)));
  }
  const parts = [
    ...quotedRanges(query).map((range) => ({ ...range, isMarked: true })),
    ...compounds.map(({ name, start, end }) => ({ start, end, isMarked: /\p{Lu}/u.test(name) })),
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
