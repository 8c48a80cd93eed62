import { analyse, type Token } from '../analysis/analyse.ts';
import type { SearchBudget } from '../format/index-block.ts';
import { isCommonWord, isCorrectable } from '../format/spelling.ts';
import {
  COMPOUND_WEIGHT,
  CORRECTED_TERM_WEIGHT,
  CORRECTED_WORDS_MAX,
  DEGREE_WEIGHT,
  INFLECTED_TERM_WEIGHT,
  NAME_WEIGHT,
  OPERATOR_WEIGHT,
  PHRASE_WEIGHT,
  WHOLE_NAME_WEIGHT,
} from '../ranking-parameters.ts';
import type { TextRange } from '../search-document.ts';
import {
  analyseQuery,
  chooseAnalysers,
  type NameCandidate,
  nameCandidates,
  type QueryText,
  quotedRanges,
  rangeKey,
  readQueryText,
} from './analyse-query.ts';
import { type IndexedTerm, type IndexReader, lookUpAcross } from './index-reader.ts';

export interface QueryTerm {
  readonly term: string;
  readonly indexed: IndexedTerm;
  /** Its occurrences in the query: words or parts of words. */
  readonly places: readonly TextRange[];
  /** Number of its occurrences; corrected words and compounds count less. */
  readonly weight: number;
  /** Whether it stands for another word or for two, of which it says less. */
  readonly isCorrected?: boolean;
}

/** A name in a query that documents of the index have. */
export interface QueryName extends QueryTerm {
  /** Whether it is all that the query asks for. */
  readonly isWhole: boolean;
  /** Whether nothing marks it as a name: texts in which it is a compound among others have no more of the query than its words. */
  readonly isPlain: boolean;
}

/** Two adjacent terms of a query, in this order: positions in the plan's terms. */
export interface QueryPair {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** The terms of a query in an index, and its other words. */
export interface QueryPlan {
  readonly query: QueryText;
  /** Distinct, in the order of the query. */
  readonly terms: readonly QueryTerm[];
  /** Distinct, in the order of the query. */
  readonly pairs: readonly QueryPair[];
  readonly names: readonly QueryName[];
  readonly corrections: readonly { readonly word: string; readonly readAs: string }[];
  /** Words without a match or correction in the index. */
  readonly unknown: readonly string[];
  /** Stop words of the query's language. */
  readonly ignored: readonly string[];
  /** Whether every word that was looked up was read, in part at least. A budget leaves out the commonest, of which the plan then says nothing. */
  readonly isComplete: boolean;
}

/**
 * Analyses a query for each language of the index, and corrects words that none of the segments, which are searched together, knows. A term
 * that several analysers give at one position counts once.
 */
export async function planQuery(
  reader: IndexReader,
  text: string,
  budget: SearchBudget,
  segments: readonly IndexReader[],
): Promise<QueryPlan> {
  const query = readQueryText(text);
  const analysers = chooseAnalysers(query, [...new Set(segments.flatMap(({ head }) => head.readings))]);
  const analyses = analyseQuery(query, analysers);
  let isComplete = true;
  const lookUp: LookUp = async (terms) => {
    const found = await lookUpAcross(reader, segments, terms, budget);
    for (const { parts, isWhole } of found.values()) if (parts.length === 0 && !isWhole) isComplete = false;
    return found;
  };
  const candidates = nameCandidates(query, analysers, analyses);
  const respelled = analyses.map((tokens, at) => tokens.map((token) => respelledTerm(text, token, analysers[at] ?? '')));
  const inflected = analyses.map((tokens, at) => tokens.map((token) => (analysers[at] === 'en' ? inflectedTerms(text, token) : [])));
  const joined = analysers.map((analyser) => joinedWords(query, analyser, analyses));
  const known = await lookUp([
    ...analyses.flat().map(({ term }) => term),
    ...candidates.flatMap(({ terms }) => terms),
    ...respelled.flat().filter((term) => term !== undefined),
    ...inflected.flat(2),
    ...joined.flat().map(({ term }) => term),
  ]);
  const names = knownNames(candidates, known);
  const unknownWords = findUnknownWords(analyses, known);
  const tokenKeys = new Set(analyses.flat().map(rangeKey));
  // A run of characters without spaces has terms of its parts alone: nothing could be put in its place.
  const replaceable = new Map([...unknownWords].filter(([key]) => tokenKeys.has(key)));
  const corrected = await correctWords(segments, analysers, text, replaceable, lookUp);
  const builder = new PlanBuilder(quotedRanges(text));
  const degrees = askedDegrees(text);
  for (const [at, tokens] of analyses.entries()) {
    builder.startAnalysis();
    const wholes = joined[at]?.filter(({ term }) => known.has(term)) ?? [];
    for (const token of [...wholes, ...tokens].sort((a, b) => a.start - b.start)) {
      const indexed = known.get(token.term);
      if (indexed !== undefined) {
        const weight = wholes.includes(token) ? COMPOUND_WEIGHT : degrees.includes(token.end) ? DEGREE_WEIGHT : 1;
        builder.add(token.term, indexed, weight, token);
        const other = respelled[at]?.[tokens.indexOf(token)] ?? token.term;
        const respelling = known.get(other);
        if (respelling !== undefined && respelling.documentFrequency >= USUAL_SPELLING_RATIO * indexed.documentFrequency)
          builder.add(other, respelling, CORRECTED_TERM_WEIGHT, token);
        for (const term of inflected[at]?.[tokens.indexOf(token)] ?? []) {
          const form = known.get(term);
          if (form !== undefined) builder.add(term, form, INFLECTED_TERM_WEIGHT, token);
        }
      } else
        for (const replacement of corrected.get(rangeKey(token))?.terms[at] ?? [])
          builder.add(replacement.term, replacement.indexed, CORRECTED_TERM_WEIGHT, token);
    }
  }
  const named = (place: TextRange): boolean => names.some(({ places: [name] }) => name.start <= place.start && place.end <= name.end);
  const words = [...unknownWords].map(([key, place]) => ({
    word: text.slice(place.start, place.end),
    readAs: corrected.get(key)?.readAs,
    isNamed: named(place),
  }));
  return {
    query,
    ...builder.plan(),
    names,
    corrections: words.flatMap(({ word, readAs }) => (readAs === undefined ? [] : [{ word, readAs }])),
    unknown: [
      ...words.filter(({ readAs, isNamed }) => readAs === undefined && !isNamed).map(({ word }) => word),
      ...query.operators.filter((place) => !named(place)).map(({ start, end }) => text.slice(start, end)),
    ],
    ignored: ignoredWords(query, analyses, named),
    isComplete,
  };
}

/** Questions for a degree: "how long", "wie lange" ask for a number, and answers seldom have the adverb. */
export const ASKED_DEGREE =
  /(?<!\p{L})(?:how (?:long|old|often|far|large|big|small|short|many|much|few|high|tall|deep|fast|soon)|wie (?:lange?|alt|oft|weit|groß|gross|klein|kurz|viele?n?|hoch|tief|schwer|schnell))(?!\p{L})/giu;

/** The ends of the adverbs for which a question asks so. */
export function askedDegrees(query: string): number[] {
  return Array.from(query.matchAll(ASKED_DEGREE), ({ 0: asked, index }) => index + asked.length);
}

const JOINED_WORDS_MAX = 6;

/** Longest word that is looked up together with another, in UTF-16 code units. */
const JOINED_WORD_MAX_LENGTH = 12;
/** Words of scripts with spaces, and numbers. */
const JOINABLE = /^(?:(?![\u0e00-\u{3ffff}])[\p{L}\p{N}])+$/u;

/** Two words of a query as one, `dryrun` of "dry run" and `login` of "log-in": the first is no stop word, and one space or hyphen divides them. */
function joinedWords({ text, words: places }: QueryText, analyser: string, analyses: readonly (readonly Token[])[]): Token[] {
  const content = new Set(analyses.flat().map(({ start }) => start));
  const words = places.filter(({ start, end }) => end - start <= JOINED_WORD_MAX_LENGTH && JOINABLE.test(text.slice(start, end)));
  const joined = words.flatMap(({ start, end }, at) => {
    const next = words[at + 1];
    if (next?.start !== end + 1 || !/[ -]/.test(text.charAt(end)) || !content.has(start)) return [];
    const [whole] = analyse(text.slice(start, end) + text.slice(next.start, next.end), analyser, 1);
    return whole === undefined ? [] : [{ term: whole.term, start, end: next.end }];
  });
  return joined.slice(0, JOINED_WORDS_MAX);
}

function knownNames(candidates: readonly NameCandidate[], known: ReadonlyMap<string, IndexedTerm>): QueryName[] {
  const names = new Map<string, QueryName>();
  for (const { start, end, terms, isWhole, isMarked, isOperator } of candidates) {
    for (const term of terms) {
      const indexed = known.get(term);
      if (indexed === undefined || names.has(term)) continue;
      names.set(term, {
        term,
        indexed,
        places: [{ start, end }],
        weight: isWhole ? WHOLE_NAME_WEIGHT : isOperator ? OPERATOR_WEIGHT : NAME_WEIGHT,
        isWhole,
        isPlain: !isMarked,
      });
    }
  }
  return [...names.values()];
}

function ignoredWords({ text, words }: QueryText, analyses: readonly Token[][], isNamed: (word: TextRange) => boolean): string[] {
  const starts = new Set(analyses.flat().map(({ start }) => start));
  const ignored = words.filter((word) => !starts.has(word.start) && !isNamed(word));
  return [...new Set(ignored.map(({ start, end }) => text.slice(start, end)))];
}

/** The ranges of a query that may be misspelt, by `rangeKey`: words unknown in every analysis; of an unknown name its unknown parts, and the whole. */
function findUnknownWords(analyses: readonly Token[][], known: ReadonlyMap<string, IndexedTerm>): Map<number, TextRange> {
  if (analyses.every((tokens) => tokens.every(({ term }) => known.has(term)))) return new Map();
  const knownPlaces = new Set<number>();
  const places = new Map<number, TextRange>();
  for (const tokens of analyses) {
    for (const word of groupByWord(tokens)) {
      const unknown = unknownPlaces(word, known);
      for (const place of [word, ...word.tokens]) {
        if (unknown.includes(place)) places.set(rangeKey(place), place);
        else knownPlaces.add(rangeKey(place));
      }
    }
  }
  for (const key of knownPlaces) places.delete(key);
  // Ranges were collected by analysis, and some analyses drop words that are unknown in others.
  return new Map([...places].sort(([, a], [, b]) => a.start - b.start || b.end - a.end));
}

function unknownPlaces(word: WordTokens, known: ReadonlyMap<string, IndexedTerm>): TextRange[] {
  const [whole, ...parts] = word.tokens;
  if (whole === undefined || whole.end < word.end) return word.tokens.some(({ term }) => known.has(term)) ? [] : [word];
  if (known.has(whole.term)) return [];
  if (parts.length === 0) return [word, whole];
  const unknown = parts.filter(({ term }) => !known.has(term));
  return unknown.length === 0 ? [] : [word, whole, ...unknown];
}

type WordTokens = TextRange & { readonly tokens: readonly Token[] };

/** Tokens that overlap: a name and its parts, or the character pairs of a run without spaces. */
function groupByWord(tokens: readonly Token[]): WordTokens[] {
  const words: { start: number; end: number; tokens: Token[] }[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (last === undefined || token.start >= last.end) words.push({ start: token.start, end: token.end, tokens: [token] });
    else {
      last.end = Math.max(last.end, token.end);
      last.tokens.push(token);
    }
  }
  return words;
}

type LookUp = (terms: Iterable<string>) => Promise<ReadonlyMap<string, IndexedTerm>>;

interface CorrectedWord {
  readonly readAs: string;
  /** Its terms in each analysis. */
  readonly terms: readonly { readonly term: string; readonly indexed: IndexedTerm }[][];
}

/**
 * Whether a word may be a misspelling of another one. Another initial of a capitalised word makes another name, `maples` of "Naples", and a vowel at
 * the end another word, `past` of "pasta", unless a key repeated it.
 */
function mayMean(written: string, readAs: string): boolean {
  if (/(.)(?!\1)[aeiouy]$/i.test(written) && written.slice(0, -1).toLowerCase() === readAs) return false;
  return !/^\p{Lu}/u.test(written) || written.charAt(0).toLowerCase() === readAs.charAt(0);
}

async function correctWords(
  segments: readonly IndexReader[],
  analysers: readonly string[],
  query: string,
  unknown: ReadonlyMap<number, TextRange>,
  lookUp: LookUp,
): Promise<Map<number, CorrectedWord>> {
  const corrected = new Map<number, CorrectedWord>();
  if (unknown.size === 0) return corrected;
  const words = [...unknown]
    .map(([key, { start, end }]) => ({ key, written: query.slice(start, end), word: query.slice(start, end).toLowerCase() }))
    .filter(({ word }) => isCorrectable(word));
  const spelled = await otherSpellings(words.slice(0, CORRECTED_WORDS_MAX), analysers, lookUp);
  const candidates = words.filter(({ key, word }) => spelled.has(key) || !isCommonWord(word)).slice(0, CORRECTED_WORDS_MAX);
  if (candidates.length === 0) return corrected;
  const needsDictionary = candidates.some(({ key }) => !spelled.has(key));
  const spellings = needsDictionary ? await Promise.all(segments.map((segment) => segment.spelling())) : [];
  const nearest = candidates.map((candidate) => {
    const { key, written, word } = candidate;
    const readAs = spelled.get(key) ?? spellings.map((spelling) => spelling.suggest(word)).find((word) => word !== undefined);
    return { ...candidate, readAs: readAs === undefined || mayMean(written, readAs) ? readAs : undefined };
  });
  const unread = nearest.filter(({ readAs }) => readAs === undefined).map(({ word }) => word);
  const divided = await dividedWords(unread, analysers, lookUp);
  const found = nearest.flatMap(({ key, word, readAs = divided.get(word) }) =>
    readAs === undefined ? [] : [{ key, readAs, tokens: analyseQuery(readQueryText(readAs), analysers) }],
  );
  const indexed = await lookUp(found.flatMap(({ tokens }) => tokens.flat().map(({ term }) => term)));
  for (const { key, readAs, tokens } of found) {
    const terms = tokens.map((analysis) =>
      analysis.flatMap(({ term }) => {
        const entry = indexed.get(term);
        return entry === undefined ? [] : [{ term, indexed: entry }];
      }),
    );
    if (terms.some((ofAnalysis) => ofAnalysis.length > 0)) corrected.set(key, { readAs, terms });
  }
  return corrected;
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

/** A word is also looked for in its other spelling if so many times as many documents have that. By measurement on five collections. */
const USUAL_SPELLING_RATIO = 3;

/** The term of a word in its other spelling, `canonic` of "canonicalisation", which has the term `canonicalis`. */
function respelledTerm(query: string, { start, end }: TextRange, analyser: string): string | undefined {
  const word = query.slice(start, end).toLowerCase();
  if (!isCorrectable(word) || !SPELLED_TWO_WAYS.test(word)) return undefined;
  // Of "authorise", the rule for its ending holds, which is the later one.
  const other = SPELLINGS.map(([from, to]) => word.replace(from, to)).findLast((spelling) => spelling !== word);
  return other === undefined ? undefined : analyse(other, analyser, 1)[0]?.term;
}

/** Forms of verbs that no rule of a stemmer brings together. */
const IRREGULAR_VERBS =
  'become became,begin began begun,break broke broken,bring brought,build built,buy bought,catch caught,choose chose chosen,die died dying,draw drew drawn,drive drove driven,fall fell fallen,feed fed,fight fought,find found,flee fled,fly flew flown,forget forgot forgotten,give gave given,grow grew grown,hide hid hidden,hold held,keep kept,know knew known,lead led,lose lost,meet met,pay paid,rise rose risen,seek sought,sell sold,send sent,speak spoke spoken,spend spent,steal stole stolen,strike struck,take took taken,teach taught,tell told,think thought,throw threw thrown,understand understood,wear wore worn,win won,write wrote written'
    .split(',')
    .map((forms) => forms.split(' '));

/** The terms of the other forms of an irregular English verb: `keep` of "kept". */
function inflectedTerms(query: string, { start, end }: TextRange): string[] {
  const word = query.slice(start, end).toLowerCase();
  const forms = IRREGULAR_VERBS.find((verb) => verb.includes(word)) ?? [];
  return forms.filter((form) => form !== word).flatMap((form) => analyse(form, 'en', 1).map(({ term }) => term));
}

/** The other spelling of each unknown word, `colour` of "color", if documents have it. */
async function otherSpellings(
  words: readonly { readonly key: number; readonly word: string }[],
  analysers: readonly string[],
  lookUp: LookUp,
): Promise<Map<number, string>> {
  const variants = words.flatMap(({ key, word }) =>
    SPELLINGS.map(([from, to]) => word.replace(from, to))
      .filter((variant) => variant !== word)
      .map((variant) => ({
        key,
        variant,
        terms: analyseQuery(readQueryText(variant), analysers).flatMap((tokens) => tokens.map(({ term }) => term)),
      })),
  );
  const spelled = new Map<number, string>();
  if (variants.length === 0) return spelled;
  const known = await lookUp(variants.flatMap(({ terms }) => terms));
  for (const { key, variant, terms } of variants)
    if (!spelled.has(key) && terms.some((term) => (known.get(term)?.parts.length ?? 0) > 0)) spelled.set(key, variant);
  return spelled;
}

/** Most unknown words of a query that are read as two, and the longest of them: bounds the look-ups. */
const DIVIDED_WORDS_MAX = 2;
const DIVIDED_MAX_LENGTH = 20;

/** Shorter parts of a word are syllables. In UTF-16 code units. */
const FIRST_PART_MIN_LENGTH = 3;
const SECOND_PART_MIN_LENGTH = 2;

/** Unknown words as the two that documents have, "dry run" of `dryrun`: those of which the rarer one has most documents. */
async function dividedWords(words: readonly string[], analysers: readonly string[], lookUp: LookUp): Promise<Map<string, string>> {
  const termsOf = (part: string): string[] => analysers.flatMap((analyser) => analyse(part, analyser)[0]?.term ?? []);
  const divisions = [...new Set(words)]
    .filter(({ length }) => length <= DIVIDED_MAX_LENGTH)
    .slice(0, DIVIDED_WORDS_MAX)
    .flatMap((word) =>
      Array.from({ length: Math.max(0, word.length - FIRST_PART_MIN_LENGTH - SECOND_PART_MIN_LENGTH + 1) }, (_, at) => {
        const parts = [word.slice(0, at + FIRST_PART_MIN_LENGTH), word.slice(at + FIRST_PART_MIN_LENGTH)];
        return { word, parts, terms: parts.map(termsOf) };
      }),
    )
    .filter(({ terms: [first = []] }) => first.length > 0);
  const divided = new Map<string, string>();
  if (divisions.length === 0) return divided;
  const known = await lookUp(divisions.flatMap(({ terms }) => terms.flat()));
  const documents = (terms: readonly string[]): number =>
    // A second part that is a stop word of every language is in any text.
    terms.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...terms.map((term) => known.get(term)?.documentFrequency ?? 0));
  const most = new Map<string, number>();
  for (const { word, parts, terms } of divisions) {
    const least = Math.min(...terms.map(documents));
    if (least <= (most.get(word) ?? 0)) continue;
    most.set(word, least);
    divided.set(word, parts.join(' '));
  }
  return divided;
}

class PlanBuilder {
  readonly #terms: (QueryTerm & { readonly places: TextRange[]; weight: number })[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new Map<number, QueryPair>();
  readonly #phrases: readonly TextRange[];
  #before: { number: number; weight: number }[] = [];
  #here: { number: number; weight: number }[] = [];
  #start = -1;
  #startBefore = -1;

  /** @param phrases Ranges in which adjacent words are asked for as such. */
  constructor(phrases: readonly TextRange[]) {
    this.#phrases = phrases;
  }

  startAnalysis(): void {
    [this.#before, this.#here, this.#start] = [[], [], -1];
  }

  add(term: string, indexed: IndexedTerm, weight: number, token: Token): void {
    const before = this.#start;
    if (token.start !== before) [this.#before, this.#here, this.#start, this.#startBefore] = [this.#here, [], token.start, before];
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#terms.length;
      this.#numbers.set(term, number);
      this.#terms.push({ term, indexed, places: [], weight: 0, isCorrected: weight === CORRECTED_TERM_WEIGHT });
    }
    this.#here.push({ number, weight });
    // A name and its part can give the same term at one position: one occurrence, as in a document.
    const built = this.#terms[number];
    if (!built.places.some(({ start }) => start === token.start)) {
      built.weight += weight;
      built.places.push({ start: token.start, end: token.end });
    }
    const isPhrase = this.#phrases.some(({ start, end }) => start <= this.#startBefore && token.end <= end);
    for (const first of this.#before) {
      const key = first.number * 2 ** 26 + number;
      const pair = { first: first.number, second: number, weight: first.weight * weight * (isPhrase ? PHRASE_WEIGHT : 1) };
      if (!this.#pairs.has(key)) this.#pairs.set(key, pair);
    }
  }

  plan(): { terms: readonly QueryTerm[]; pairs: QueryPair[] } {
    return { terms: this.#terms, pairs: [...this.#pairs.values()] };
  }
}
