import { analyse, type Token } from '../analysis/analyse.ts';
import { STEMMERS, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { normaliseSpelling } from '../analysis/fold-word.ts';
import { stopWordsOf } from '../analysis/stop-words.ts';
import { tokenise } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';

/** Most analysers of one query: each costs an analysis and look-ups in the index. */
const ANALYSERS_MAX = 6;

/** Words of a query from which its analysers are chosen. */
const EVIDENCE_WORDS_MAX = 64;

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
export function analyseQuery(query: string, analysers: readonly string[]): Token[][] {
  const analysed = chooseAnalysers(query, analysers).map((analyser) => analyse(query, analyser));
  const least = Math.min(...analysed.map(({ length }) => length));
  const content = new Set(analysed.find(({ length }) => length === least)?.map(rangeKey));
  if (content.size === 0) return analysed;
  return analysed.map((tokens) => tokens.filter((token) => content.has(rangeKey(token))));
}

/** Identifies a range of a query, for tokens of any analyser. */
export function rangeKey({ start, end }: TextRange): string {
  return `${start} ${end}`;
}

/**
 * At most six of some analysers, in their order: English and the unknown, then the languages with the most stop words in the query, then
 * those in its script, then the first.
 */
export function chooseAnalysers(query: string, analysers: readonly string[]): readonly string[] {
  if (analysers.length <= ANALYSERS_MAX) return analysers;
  const words = tokenise(query)
    .slice(0, EVIDENCE_WORDS_MAX)
    .map(({ start, end }) => query.slice(start, end));
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
