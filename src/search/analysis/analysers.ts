import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemGerman } from './german.ts';

interface Stemmer {
  /** Pure: the stem of a word in lower case and composed form. */
  readonly stem: (word: string) => string;
  /** The words that the rules apply to; numbers, names in other scripts and data are not stemmed. */
  readonly stemmable: RegExp;
}

const LATIN = /^\p{Script=Latin}{3,40}$/u;

function latin(stem: (word: string) => string): Stemmer {
  return { stem, stemmable: LATIN };
}

/**
 * The Snowball stemmers by analyser, without English, which has its own. German is ours as well, because the library has the rules of Snowball 2,
 * which divide `System` and `Systeme`. Excluded: Serbian, Tamil and Nepali for their size, and the four stemmers of the library that are not
 * Snowball (English, Bulgarian, Ukrainian, Sanskrit).
 *
 * @see {@link https://snowballstem.org/algorithms/ Snowball, Algorithms}
 */
export const STEMMERS: ReadonlyMap<string, Stemmer> = new Map([
  ['ar', { stem: arabic, stemmable: /^[\p{Script=Arabic}\p{M}]{3,40}$/u }],
  ['da', latin(danish)],
  ['de', latin(stemGerman)],
  ['el', { stem: greek, stemmable: /^\p{Script=Greek}{3,40}$/u }],
  ['es', latin(spanish)],
  ['fi', latin(finnish)],
  ['fr', latin(french)],
  ['ga', latin(irish)],
  ['hi', { stem: hindi, stemmable: /^[\p{Script=Devanagari}\p{M}]{3,40}$/u }],
  ['hu', latin(hungarian)],
  ['hy', { stem: armenian, stemmable: /^\p{Script=Armenian}{3,40}$/u }],
  ['id', latin(indonesian)],
  ['it', latin(italian)],
  ['lt', latin(lithuanian)],
  ['nl', latin(dutch)],
  ['no', latin(norwegian)],
  ['pt', latin(portuguese)],
  ['ro', latin(romanian)],
  ['ru', { stem: russian, stemmable: /^\p{Script=Cyrillic}{3,40}$/u }],
  ['sv', latin(swedish)],
  ['tr', latin(turkish)],
]);

/** The analyser of languages without rules: it only folds words. */
export const UNKNOWN_ANALYSER = 'und';

/** Tags with the analyser of another: both written forms of Norwegian, and the former code of Indonesian. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['in', 'id'],
]);

/**
 * The analyser of a language: its primary subtag if it has rules, else {@link UNKNOWN_ANALYSER}. The analyser of an analyser is itself.
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
