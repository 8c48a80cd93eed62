import { STEMMERS } from './stemmers.ts';

/** The reading of a text in a language that nobody knows here: it is folded and has no stop words. */
export const UNKNOWN_READING = 'und';

/** Tags under which a known language goes as well: both written forms of Norwegian, and the code Indonesian had before 1989. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['in', 'id'],
]);

/**
 * The way in which texts in a language are analysed: the primary subtag if there are rules for it, else
 * {@link UNKNOWN_READING}. A reading is a language tag itself, and is read as it says.
 *
 * @param language BCP 47 tag; anything else is unknown.
 */
export function readingOf(language: string): string {
  const primary = /^[a-z]{2}(?![^-_])/i.exec(language)?.[0].toLowerCase() ?? '';
  const reading = ALIASES.get(primary) ?? primary;
  return reading === 'en' || STEMMERS.has(reading) ? reading : UNKNOWN_READING;
}

/** The distinct readings of documents in some languages, English first, the others ascending. */
export function readingLanguages(languages: Iterable<string>): string[] {
  const readings = new Set<string>();
  for (const language of languages) readings.add(readingOf(language));
  const english = readings.delete('en');
  const others = [...readings].sort();
  return english ? ['en', ...others] : others;
}
