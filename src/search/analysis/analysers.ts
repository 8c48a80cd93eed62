import { STEMMERS } from './stemmers.ts';

/** The analyser of texts in languages without rules: it folds words and has no stop words. */
export const UNKNOWN_ANALYSER = 'und';

/** Tags that share the analyser of another: both written forms of Norwegian, and the code Indonesian had before 1989. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['in', 'id'],
]);

/**
 * The analyser of texts in a language: the primary subtag if there are rules for it, else {@link UNKNOWN_ANALYSER}. An analyser is itself
 * a language tag, whose analyser it is.
 *
 * @param language BCP 47 tag; anything else is unknown.
 */
export function analyserFor(language: string): string {
  const primary = /^[a-z]{2}(?![^-_])/i.exec(language)?.[0].toLowerCase() ?? '';
  const analyser = ALIASES.get(primary) ?? primary;
  return analyser === 'en' || STEMMERS.has(analyser) ? analyser : UNKNOWN_ANALYSER;
}

/** The distinct analysers of documents in some languages, English first, the others ascending. */
export function analysersFor(languages: Iterable<string>): string[] {
  const analysers = new Set<string>();
  for (const language of languages) analysers.add(analyserFor(language));
  const hasEnglish = analysers.delete('en');
  const others = [...analysers].sort();
  return hasEnglish ? ['en', ...others] : others;
}
