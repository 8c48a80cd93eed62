import { analyse } from '../analysis/analyse.ts';
import { matchingRuns } from './matching-runs.ts';
import { type PassageRegion, passageRegions } from './passage-regions.ts';
import { type ShownRange, shownRanges } from './shown-ranges.ts';
import { TextOccurrences } from './text-occurrences.ts';
import type { TextRange } from '../search-document.ts';

/** An occurrence in a text of a term that a query asks for. */
export interface Hit extends TextRange {
  /** Place of its term among the different ones that were asked for. */
  readonly term: number;
  /** The word that the hit is, or is a part of: a passage holds all of it or none. */
  readonly wordStart: number;
  readonly wordEnd: number;
}

/**
 * Lists of terms that are looked for by their letters before all of a text is analysed. That takes as long as some ten such lists: a
 * text that is asked for once in the life of an isolate is not made to pay for it, nor are all texts of one answer at once.
 */
const LOOKED_FOR_MAX = 6;

/** A markdown text that is looked at for any number of queries; what they share is found out once. */
export class AnalysedText {
  readonly text: string;
  readonly #language: string;
  #regions: readonly PassageRegion[] | undefined;
  #found: { readonly wanted: readonly string[]; readonly hits: readonly Hit[] } | undefined;
  #shown: readonly ShownRange[] | undefined;
  #lookedFor = 0;
  #occurrences: TextOccurrences | undefined;

  /** @param language BCP 47 tag. */
  constructor(text: string, language: string) {
    this.text = text;
    this.#language = language;
  }

  /** Stretches of the text that no passage leaves. */
  get regions(): readonly PassageRegion[] {
    this.#regions ??= passageRegions(this.text);
    return this.#regions;
  }

  /** The occurrences of some terms, in the order of {@link analyse}; found once for a list that is asked for again. */
  findHits(wanted: readonly string[]): readonly Hit[] {
    if (this.#found?.wanted !== wanted) this.#found = { wanted, hits: this.#lookFor(wanted) };
    return this.#found.hits;
  }

  #lookFor(wanted: readonly string[]): Hit[] {
    const numbers = new Map<string, number>();
    for (const term of wanted) if (!numbers.has(term)) numbers.set(term, numbers.size);
    const hits: Hit[] = [];
    if (numbers.size === 0) return hits;
    const { text } = this;
    this.#lookedFor += 1;
    if (this.#lookedFor > LOOKED_FOR_MAX) {
      this.#occurrences ??= new TextOccurrences(text, this.#language);
      return this.#occurrences.hits(numbers.keys());
    }
    for (const run of matchingRuns(text, this.#language, numbers.keys()) ?? [{ start: 0, end: text.length }]) {
      let wordStart = run.start;
      let wordEnd = run.start;
      for (const token of analyse(text.slice(run.start, run.end), this.#language)) {
        const start = run.start + token.start;
        const end = run.start + token.end;
        if (end > wordEnd) [wordStart, wordEnd] = [start, end];
        const term = numbers.get(token.term);
        if (term !== undefined) hits.push({ term, start, end, wordStart, wordEnd });
      }
    }
    return hits;
  }

  /**
   * Some terms, each as often as it stands in what the text shows: not in addresses of links, footnote keys, tags of HTML or
   * fence lines. A name and its part that have one term at one place stand there once.
   *
   * @param within Headings alone, or everything.
   */
  shownTerms(wanted: readonly string[], within?: 'heading'): string[] {
    this.#shown ??= shownRanges(this.text);
    const ranges = this.#shown.filter(({ kind }) => within === undefined || kind === within);
    const names = [...new Set(wanted)];
    const shown: string[] = [];
    const last = new Map<number, number>();
    let range = 0;
    for (const { term, start, end } of this.findHits(wanted)) {
      while (range < ranges.length && ranges[range].end <= start) range++;
      const here = ranges[range];
      if (here === undefined || here.start > start || here.end < end || last.get(term) === start) continue;
      last.set(term, start);
      shown.push(names[term] ?? '');
    }
    return shown;
  }
}
