import { analyse, analyseWords, compoundNames, nameTerm, operatorRanges, type Token } from '../analysis/analyse.ts';
import { STEMMERS, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import { normaliseSpelling, tokenise } from '../analysis/tokenise.ts';
import { isCorrectable } from '../format/spelling.ts';
import type { TextRange } from '../search-document.ts';

/** Most analysers of one query: each costs an analysis and look-ups in the index. */
const ANALYSERS_MAX = 6;

/** Words of a query from which its analysers are chosen. */
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
  const { text, words } = query;
  const analysed = chooseAnalysers(query, analysers).map((analyser) => analyseWords(text, words, analyser));
  if (analysed.length === 1) return analysed;
  const least = Math.min(...analysed.map(({ length }) => length));
  const content = new Set(analysed.find(({ length }) => length === least)?.map(rangeKey));
  if (content.size === 0) return analysed;
  return analysed.map((tokens) => tokens.filter((token) => content.has(rangeKey(token))));
}

/** A number that tells the ranges of a query apart. */
export function rangeKey({ start, end }: TextRange): number {
  return start * 2 ** 26 + end;
}

/** At most six, in their order: English and the unknown, then those with the most stop words in the query, then those in its script. */
export function chooseAnalysers(
  { text, words: places }: Pick<QueryText, 'text' | 'words'>,
  analysers: readonly string[],
): readonly string[] {
  if (analysers.length <= ANALYSERS_MAX) return analysers;
  const words = places.slice(0, EVIDENCE_WORDS_MAX).map(({ start, end }) => text.slice(start, end));
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

const QUOTATION_MARK = /["“„«`]/;

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
  if (!QUOTATION_MARK.test(query)) return [];
  return Array.from(query.matchAll(QUOTED), ({ 0: quoted, index }) => ({ start: index + 1, end: index + quoted.length - 1 }));
}

/** What is known of a query before anything is looked up. */
export interface QueryAnalysis {
  readonly readings: string;
  readonly query: QueryText;
  readonly analysers: readonly string[];
  readonly analyses: Token[][];
  readonly candidates: readonly NameCandidate[];
  /** For each analysis and token: its term in its other spelling. */
  readonly respelled: readonly (readonly (string | undefined)[])[];
  /** For each analysis and token: the terms of its other forms. */
  readonly inflected: readonly (readonly (readonly string[])[])[];
  /** For each analysis: pairs of words as one. */
  readonly joined: readonly (readonly Token[])[];
  /** All terms that are looked up. */
  readonly asked: readonly string[];
}

/** Several indexes are often searched for the same query, one after the other. */
let lastAnalysis: QueryAnalysis | undefined;

export function analysisOf(text: string, readings: readonly string[]): QueryAnalysis {
  const key = readings.join(' ');
  if (lastAnalysis?.query.text !== text || lastAnalysis.readings !== key)
    lastAnalysis = { ...analyseForPlan(text, readings), readings: key };
  return lastAnalysis;
}

function analyseForPlan(text: string, readings: readonly string[]): Omit<QueryAnalysis, 'readings'> {
  const query = readQueryText(text);
  const analysers = chooseAnalysers(query, readings);
  const analyses = analyseQuery(query, analysers);
  const candidates = nameCandidates(query, analysers, analyses);
  const respelled = analyses.map((tokens, at) => tokens.map((token) => respelledTerm(text, token, analysers[at] ?? '')));
  const inflected = analyses.map((tokens, at) => tokens.map((token) => (analysers[at] === 'en' ? inflectedTerms(text, token) : [])));
  const pairs = joinableWords(query, analyses);
  const joined = analysers.map((analyser) => joinedWords(text, pairs, analyser));
  const asked: string[] = [];
  for (const tokens of analyses) for (const { term } of tokens) asked.push(term);
  for (const { terms } of candidates) asked.push(...terms);
  for (const terms of respelled) for (const term of terms) if (term !== undefined) asked.push(term);
  for (const terms of inflected) for (const forms of terms) asked.push(...forms);
  for (const tokens of joined) for (const { term } of tokens) asked.push(term);
  return { query, analysers, analyses, candidates, respelled, inflected, joined, asked };
}

const ASKING_HOW = /how|wie/i;

/** Questions for a degree: "how long", "wie lange" ask for a number, and answers seldom have the adverb. */
const ASKED_DEGREE = /(?<!\p{L})(?:how|wie) (?:long|old|often|far|large|high|deep|soon|lange|alt|oft|weit|groß|hoch|tief)(?!\p{L})/giu;

/** Where the words for degrees end that a query asks for. */
export function askedDegrees(query: string): number[] {
  if (!ASKING_HOW.test(query)) return [];
  return Array.from(query.matchAll(ASKED_DEGREE), ({ 0: asked, index }) => index + asked.length);
}

const JOINED_WORDS_MAX = 6;

/** Longest word that is looked up together with another, in UTF-16 code units. */
const JOINED_WORD_MAX_LENGTH = 12;
/** Words of scripts with spaces, and numbers. */
const JOINABLE = /^(?:(?![\u0e00-\u{3ffff}])[\p{L}\p{N}])+$/u;

/** Adjacent words that may be one, `dryrun` of "dry run" and `login` of "log-in": the first is no stop word, and one space or hyphen divides them. */
function joinableWords({ text, words }: QueryText, analyses: readonly (readonly Token[])[]): readonly (readonly [TextRange, TextRange])[] {
  const isJoinable = ({ start, end }: TextRange): boolean => end - start <= JOINED_WORD_MAX_LENGTH && JOINABLE.test(text.slice(start, end));
  const isContent = (word: TextRange): boolean => analyses.some((tokens) => tokens.some(({ start }) => start === word.start));
  const pairs: [TextRange, TextRange][] = [];
  for (const [at, next] of words.entries()) {
    const word = words[at - 1];
    if (word === undefined || next.start !== word.end + 1 || !/[ -]/.test(text.charAt(word.end))) continue;
    if (isJoinable(word) && isJoinable(next) && isContent(word)) pairs.push([word, next]);
  }
  return pairs;
}

function joinedWords(query: string, pairs: readonly (readonly [TextRange, TextRange])[], analyser: string): Token[] {
  const joined: Token[] = [];
  for (const [first, second] of pairs) {
    if (joined.length === JOINED_WORDS_MAX) break;
    const [whole] = analyse(query.slice(first.start, first.end) + query.slice(second.start, second.end), analyser, 1);
    if (whole !== undefined) joined.push({ term: whole.term, start: first.start, end: second.end });
  }
  return joined;
}

/** Endings and syllables that British and American English spell differently, in both directions. */
export const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/our/, 'or'],
  [/or/, 'our'],
  [/re(?=[sd]?$)/, 'er'],
  [/er(?=s?$)/, 're'],
  [/is(?=e|ing|ation)/, 'iz'],
  [/iz(?=e|ing|ation)/, 'is'],
  [/lys(?=e|ing)/, 'lyz'],
  [/lyz(?=e|ing)/, 'lys'],
  [/ence/, 'ense'],
  [/ense/, 'ence'],
  [/og(?=s?$)/, 'ogue'],
  [/ogue(?=s?$)/, 'og'],
];

/** Words that have two spellings, both of which documents may have; the rules above also fit words that have only one, such as "tier". */
const SPELLED_TWO_WAYS =
  /.{3}(?:is|iz)(?:es?|ed|ing|ations?)$|.{2}ly[sz](?:es?|ed|ing)$|^(?:col|behavi|fav|flav|hon|lab|neighb|harb)ou?r|^(?:cent|met|lit|fib|theat)(?:er|re)s?$|^(?:def|off|lic)en[cs]es?$|^(?:catal|dial|anal)og(?:ue)?s?$/;

/** The term of a word in its other spelling, `canonic` of "canonicalisation", which has the term `canonicalis`. */
function respelledTerm(query: string, { start, end }: TextRange, analyser: string): string | undefined {
  const word = query.slice(start, end).toLowerCase();
  if (!isCorrectable(word) || !SPELLED_TWO_WAYS.test(word)) return undefined;
  // Of "authorise", the rule for its ending holds, which is the later one.
  const other = SPELLINGS.map(([from, to]) => word.replace(from, to)).findLast((spelling) => spelling !== word);
  return other === undefined ? undefined : analyse(other, analyser, 1)[0]?.term;
}

/** Forms of verbs that no rule of a stemmer brings together: those of texts about software and trade. Words that are also nouns are left out. */
const IRREGULAR_VERBS =
  'begin began begun,break broke broken,bring brought,build built,buy bought,choose chose chosen,forget forgot forgotten,hide hid hidden,hold held,keep kept,know knew known,lose lost,pay paid,send sent,sell sold,spend spent,steal stole stolen,throw threw thrown,write wrote written'
    .split(',')
    .map((forms) => forms.split(' '));

const VERBS_BY_FORM: ReadonlyMap<string, readonly string[]> = new Map(
  IRREGULAR_VERBS.flatMap((verb) => verb.map((form) => [form, verb] as const)),
);

/** The terms of the other forms of an irregular English verb: `keep` of "kept". */
function inflectedTerms(query: string, { start, end }: TextRange): readonly string[] {
  const word = query.slice(start, end).toLowerCase();
  const forms = VERBS_BY_FORM.get(word) ?? [];
  return forms.filter((form) => form !== word).flatMap((form) => analyse(form, 'en', 1).map(({ term }) => term));
}
