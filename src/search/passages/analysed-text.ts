import { analyse } from '../analysis/analyse.ts';
import type { TextRange } from '../search-document.ts';
import { type TextHeading, textHeadings, type VisibleRange, visibleRanges } from './markdown-blocks.ts';
import { type AnswerDetail, type AnswerType, hasAnswerOf } from './passage-query.ts';
import { type PassageUnit, passageUnits } from './passage-units.ts';
import { findOccurrences, type Hit, type Occurrences, TextOccurrences, type TokenLists, tokensByNumber } from './text-occurrences.ts';

/** Searches before a text is analysed as a whole, which takes as long as about seven of them: a text that is searched once never is. */
const SEARCHES_BEFORE_INDEXING = 6;

/** The occurrences of some terms in the units of a text. Occurrences are numbered in the order of the text. */
export interface UnitOccurrences extends TokenLists {
  /** For each occurrence: the position of its unit, or -1. */
  readonly units: Int32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Numbers of occurrences by term, ascending for each. */
  readonly tokens: Uint32Array;
}

/** A text keeps its units for two lengths: the length of quotes, and the length by which results are ranked. */
const UNIT_LENGTHS_MAX = 2;

/** The beginning of a sentence that says little without the one before it, by language. */
const REFERRING: ReadonlyMap<string, RegExp> = new Map([
  ['ar', /^(?:هو|هي|هم|هذا|هذه|وهو|وهي|وهذا|وهذه)\s/],
  ['de', /^["„(*_]{0,3}(?:Er|Es|Sie|Sein|Seine[mnrs]?|Ihre?[mnrs]?|Diese?[mnrs]?)\s/],
  ['en', /^["“(*_]{0,3}(?:It|He|She|They|Its|His|Her|Their|This|These|Those|Such)\s/],
  ['zh', /^(?:[它他她这這该該]|其(?![中他它次实實])|此(?!外))/],
]);

interface TextUnits {
  readonly units: readonly PassageUnit[];
  /** Of each type: for each unit 0 if it is unknown, 1 for no answer, 2 for one. */
  readonly answers: Map<AnswerType | AnswerDetail['type'], Uint8Array>;
  /** The unit of each token of the text, once that is analysed as a whole. */
  ofTokens: Int32Array | undefined;
}

/** A markdown text that is searched for the terms of many queries; shared work is done once. */
export class AnalysedText {
  readonly text: string;
  readonly #language: string;
  readonly title: string;
  readonly #askedBy: readonly string[];
  #titleTerms: ReadonlySet<string> | undefined;
  #askedTerms: ReadonlySet<string> | undefined;
  /** By the length of a unit, the one that was asked for last at the end. */
  readonly #units = new Map<number, TextUnits>();
  #headings: readonly TextHeading[] | undefined;
  #found: (Occurrences & { readonly terms: readonly string[] }) | undefined;
  #inUnits: { readonly of: Occurrences; readonly units: readonly PassageUnit[]; readonly found: UnitOccurrences } | undefined;
  #visible: readonly VisibleRange[] | undefined;
  #searches = 0;
  #occurrences: TextOccurrences | undefined;

  /** @param askedBy Words by which readers ask for the document as a whole, which its text may lack. */
  constructor(text: string, language: string, title = '', askedBy: readonly string[] = []) {
    this.text = text;
    this.#language = language;
    this.title = title;
    this.#askedBy = askedBy;
  }

  get titleTerms(): ReadonlySet<string> {
    this.#titleTerms ??= new Set(analyse(this.title, this.#language).map(({ term }) => term));
    return this.#titleTerms;
  }

  get askedTerms(): ReadonlySet<string> {
    this.#askedTerms ??= new Set(this.#askedBy.flatMap((words) => analyse(words, this.#language).map(({ term }) => term)));
    return this.#askedTerms;
  }

  /** The units of the text. @param maxLength Of a unit, in UTF-16 code units. */
  units(maxLength: number): readonly PassageUnit[] {
    return this.#unitsOf(maxLength).units;
  }

  #unitsOf(maxLength: number): TextUnits {
    const known = this.#units.get(maxLength);
    if (known !== undefined) return known;
    const units: TextUnits = { units: passageUnits(this.text, maxLength), answers: new Map(), ofTokens: undefined };
    for (const first of this.#units.keys()) if (this.#units.size >= UNIT_LENGTHS_MAX) this.#units.delete(first);
    this.#units.set(maxLength, units);
    return units;
  }

  /** Whether a unit has an answer of some type. @param number Its position among those of a length. */
  hasAnswer(type: AnswerType | AnswerDetail['type'], maxLength: number, number: number): boolean {
    const { units, answers } = this.#unitsOf(maxLength);
    let known = answers.get(type);
    if (known === undefined) {
      known = new Uint8Array(units.length);
      answers.set(type, known);
    }
    if (known[number] === 0) known[number] = hasAnswerOf(type, this.text.slice(units[number].start, units[number].end)) ? 2 : 1;
    return known[number] === 2;
  }

  refersBack(sentence: string): boolean {
    const [language = ''] = this.#language.toLowerCase().split('-');
    return REFERRING.get(language)?.test(sentence) === true;
  }

  get headings(): readonly TextHeading[] {
    this.#headings ??= textHeadings(this.text);
    return this.#headings;
  }

  findHits(terms: readonly string[]): readonly Hit[] {
    return this.#find(terms).hits;
  }

  /** Those of {@link findHits} that are in a part of the text. */
  findHitsWithin(terms: readonly string[], { start: from, end: to }: TextRange): TextRange[] {
    const occurrences = this.#indexed(terms);
    if (occurrences === undefined) return this.#search(terms).hits.filter(({ start, end }) => start >= from && end <= to);
    const { starts, ends } = occurrences;
    const within: number[] = [];
    const { hits } = occurrences.lists(terms);
    for (let list = 0; list < hits.length; list += 2) {
      for (let at = hits[list]; at < hits[list + 1]; at++) {
        const token = occurrences.tokensByTerm[at];
        if (starts[token] >= to) break;
        if (starts[token] >= from && ends[token] <= to) within.push(token);
      }
    }
    if (within.length > 1) within.sort((a, b) => a - b);
    const found: TextRange[] = [];
    for (let at = 0; at < within.length; at++)
      if (within[at] !== within[at - 1]) found.push({ start: starts[within[at]], end: ends[within[at]] });
    return found;
  }

  /** The occurrences of some terms in the units of the text, where readers see them. @param terms Distinct. @param maxLength Of a unit. */
  occurrencesInUnits(terms: readonly string[], maxLength: number): UnitOccurrences {
    const known = this.#unitsOf(maxLength);
    const occurrences = this.#indexed(terms);
    if (occurrences === undefined) {
      const of = this.#search(terms);
      if (this.#inUnits?.of !== of || this.#inUnits.units !== known.units)
        this.#inUnits = { of, units: known.units, found: this.#foundInUnits(terms.length, of, known.units) };
      return this.#inUnits.found;
    }
    const { starts, ends } = occurrences;
    known.ofTokens ??= this.#unitOfEach(starts, ends, known.units);
    return { units: known.ofTokens, starts, ends, tokens: occurrences.tokensByTerm, ...occurrences.lists(terms) };
  }

  #foundInUnits(terms: number, found: Occurrences, units: readonly PassageUnit[]): UnitOccurrences {
    const all = [...found.hits, ...found.related];
    const starts = Uint32Array.from(all, ({ start }) => start);
    const ends = Uint32Array.from(all, ({ end }) => end);
    const first = found.hits.length;
    const ofTokens = new Int32Array(all.length);
    ofTokens.set(this.#unitOfEach(starts.subarray(0, first), ends.subarray(0, first), units));
    ofTokens.set(this.#unitOfEach(starts.subarray(first), ends.subarray(first), units), first);
    const termOf = ({ term }: Hit): number => term;
    const own = tokensByNumber(found.hits.map(termOf), terms);
    const others = tokensByNumber(found.related.map(termOf), terms);
    const tokens = new Uint32Array(all.length);
    tokens.set(own.tokens);
    for (const [at, token] of others.tokens.entries()) tokens[first + at] = first + token;
    const hits: number[] = [];
    const related: number[] = [];
    for (let term = 0; term < terms; term++) {
      hits.push(own.firsts[term], own.firsts[term + 1]);
      const [start, end] = [others.firsts[term], others.firsts[term + 1]];
      if (end > start) related.push(term, first + start, first + end);
    }
    return { units: ofTokens, starts, ends, tokens, hits, related };
  }

  /** The unit of each token, ascending by start; -1 between units, and in link addresses, footnote keys, HTML tags and fence lines. */
  #unitOfEach(starts: Uint32Array, ends: Uint32Array, units: readonly PassageUnit[]): Int32Array {
    this.#visible ??= visibleRanges(this.text);
    const ranges = this.#visible;
    const found = new Int32Array(starts.length).fill(-1);
    let unit = 0;
    let range = 0;
    for (let token = 0; token < starts.length; token++) {
      const start = starts[token];
      while (unit < units.length && units[unit].end <= start) unit++;
      while (range < ranges.length && ranges[range].end <= start) range++;
      if (unit === units.length || range === ranges.length) break;
      if (start >= units[unit].start && start >= ranges[range].start && ends[token] <= ranges[range].end) found[token] = unit;
    }
    return found;
  }

  /** Some terms, each as often as readers see it. A name and its part with the same term at one position count once. */
  visibleTerms(terms: readonly string[], within?: 'heading'): string[] {
    this.#visible ??= visibleRanges(this.text);
    const ranges = this.#visible;
    const names = [...new Set(terms)];
    const lastStart = new Map<number, number>();
    let range = 0;
    return this.findHits(terms).flatMap(({ term, start, end }) => {
      while (range < ranges.length && ranges[range].end <= start) range++;
      if (range === ranges.length || lastStart.get(term) === start) return [];
      const { start: from, end: to, kind } = ranges[range];
      if (start < from || end > to || (within !== undefined && kind !== within)) return [];
      lastStart.set(term, start);
      return [names[term]];
    });
  }

  #find(terms: readonly string[]): Occurrences {
    const occurrences = this.#indexed(terms);
    return occurrences === undefined ? this.#search(terms) : occurrences.find([...new Set(terms)]);
  }

  #search(terms: readonly string[]): Occurrences {
    if (this.#found?.terms !== terms) {
      this.#found = { terms, ...findOccurrences(this.text, this.#language, terms) };
    }
    return this.#found;
  }

  /** The text analysed as a whole, once it was searched often enough. */
  #indexed(terms: readonly string[]): TextOccurrences | undefined {
    if (this.#occurrences === undefined && this.#found?.terms !== terms) {
      this.#searches += 1;
      if (this.#searches > SEARCHES_BEFORE_INDEXING) this.#occurrences = new TextOccurrences(this.text, this.#language);
    }
    return this.#occurrences;
  }
}
