import { stopwords as armenian } from '@orama/stopwords/armenian';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as indonesian } from '@orama/stopwords/indonesian';
import { stopwords as irish } from '@orama/stopwords/irish';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { CONTENT_WORDS } from './content-words.ts';
import { normaliseSpelling } from './tokenise.ts';

/**
 * English function words: articles, pronouns, prepositions, conjunctions, auxiliaries, negations, question words, and the parts of
 * contractions (`don` and `t` of "don't"). Nouns and verbs of software, such as "use" or "file", are not stop words; "get", "know" and
 * "tell" are, because they are frequent in questions.
 */
const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below between
  both but by can could couldn did didn do does doesn doing don down during each either else etc few for from further
  get gets got had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is
  isn it its itself just let ll may me might more most much must my myself no nor not of off on once one only or other
  our ours ourselves out over own per please re s same shall she should shouldn so some such t than that the their
  theirs them themselves then there these they this those through thus to too under until up upon us ve very was wasn
  we were weren what when where whether which while who whom whose why will with within without won would wouldn you
  your yours yourself yourselves know knows known still tell tells like look looks`.split(/\s+/),
);

/** The lists of the library by analyser. Those of Arabic, Hindi and Lithuanian contain months and houses, or wrongly decoded bytes. */
const LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['da', danish],
  ['de', german],
  ['el', greek],
  ['es', spanish],
  ['fi', finnish],
  // "where", which the library lacks.
  ['fr', [...french, 'où']],
  ['ga', irish],
  ['hu', hungarian],
  ['hy', armenian],
  ['id', indonesian],
  ['it', italian],
  ['nl', dutch],
  ['no', norwegian],
  ['pt', portuguese],
  ['ro', romanian],
  ['ru', russian],
  ['sv', swedish],
  ['tr', turkish],
]);

const NONE: ReadonlySet<string> = new Set();

const loaded = new Map<string, ReadonlySet<string>>([['en', ENGLISH_STOP_WORDS]]);

/** The stop words of an analyser in the spelling of `normaliseSpelling`. */
export function stopWordsOf(analyser: string): ReadonlySet<string> {
  const list = LISTS.get(analyser);
  let words = loaded.get(analyser);
  if (words !== undefined || list === undefined) return words ?? NONE;
  const contentWords = CONTENT_WORDS[analyser]?.split(/\s+/) ?? [];
  words = new Set(list.filter((word) => !contentWords.includes(word)).map((word) => normaliseSpelling(word, analyser)));
  loaded.set(analyser, words);
  return words;
}
