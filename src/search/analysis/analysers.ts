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
import { stemmer } from 'stemmer';

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
 * The Snowball stemmers (snowballstem.org/algorithms) by analyser, without English, which has its own. German is ours as well, because the library
 * has the rules of Snowball 2, which divide `System` and `Systeme`. Excluded: Serbian, Tamil and Nepali for their size, and the four stemmers of
 * the library that are not Snowball (English, Bulgarian, Ukrainian, Sanskrit).
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

export const UNKNOWN_ANALYSER = 'und';

/** Tags with the analyser of another: both written forms of Norwegian, and the former code of Indonesian. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['in', 'id'],
]);

/** The analyser of a language (BCP 47): its primary subtag if it has rules, else {@link UNKNOWN_ANALYSER}. That of an analyser is itself. */
export function analyserFor(language: string): string {
  const primary = /^[a-z]{2}(?![^-_])/i.exec(language)?.[0].toLowerCase() ?? '';
  const analyser = ALIASES.get(primary) ?? primary;
  return analyser === 'en' || STEMMERS.has(analyser) ? analyser : UNKNOWN_ANALYSER;
}

/** The distinct analysers of documents in some languages, English first, the others ascending. */
export function analysersFor(languages: Iterable<string>): string[] {
  const analysers = new Set(Array.from(languages, analyserFor));
  const first = analysers.delete('en') ? ['en'] : [];
  return [...first, ...[...analysers].sort()];
}

/** Words that the rules apply to, lower-case; longer ones are data. */
const STEMMABLE = /^[a-z]{3,40}$/;

/**
 * Words that Porter's rules tear from their other forms or join with words of another meaning, by the term that they get. The rest of those
 * words are frequent in judged collections, where each change of their terms costs more than it gains: `matrices`, `experiment`, `general`.
 */
const IRREGULAR_FORMS: Readonly<Record<string, string>> = {
  // Singulars that end like plurals, or like past tenses.
  alias: 'alias',
  atlas: 'atlas',
  aws: 'aws',
  bias: 'bias',
  bus: 'bus buses busses',
  canvas: 'canvas',
  css: 'css',
  dns: 'dns',
  embed: 'embed embeds',
  exceed: 'exceed exceeds exceeded exceeding',
  gas: 'gas gases gasses',
  guru: 'gurus',
  haiku: 'haikus',
  ios: 'ios',
  lens: 'lens lenses',
  menu: 'menus',
  news: 'news',
  plus: 'plus pluses',
  proceed: 'proceed proceeds proceeded proceeding',
  redis: 'redis',
  succeed: 'succeed succeeds succeeded succeeding',
  // Plurals of Latin and Greek.
  appendix: 'appendices',
  axis: 'axis axes',
  criterion: 'criteria',
  index: 'indices',
  phenomenon: 'phenomena',
  vertex: 'vertices',
  // Words with a beginning in common and nothing else: "author", "even", "organ", "universe".
  authoriz: 'authorize authorizes authorized authorizing authorization authorizations',
  evening: 'evening evenings',
  organic: 'organic organics organically',
  organiz: 'organize organizes organized organizing organizer organizers organization organizations organizational',
  universiti: 'university universities',
};

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries(IRREGULAR_FORMS).flatMap(([stem, forms]) => forms.split(' ').map((form): [string, string] => [form, stem])),
);

/** The words that do not begin with their term except its last letter, each with its term. */
export const IRREGULAR_BEGINNINGS: readonly (readonly [form: string, stem: string])[] = [...IRREGULAR].filter(
  ([form, stem]) => !form.startsWith(stem.slice(0, -1)),
);

/** Singulars in `-us`, whose plurals in `-uses` Porter's rules bring to the same term: `status`, but neither `famous` nor `gpus`. */
const US = /[^o]us$/;
const VOWEL = /[aeiouy]/;

/** Singulars whose plural ends in `-ses`: `analysis`, `crisis`; not `basis`, because `bases` is the plural of `base` too. */
const SIS = /(?<=[aeiouy].*|^cri|^the)sis$/;

/** Forms of short verbs that end in two equal letters, which are no doubled ones: `adding`, `egged`. */
const SHORT_DOUBLE = /^([aeo]([^aeiouy])\2)(?:ed|ings?)$/;

/** The stem of a lower-case English word: Porter (1980) without the faults that its successor mended, and some more. Other words stay. */
export function stemEnglish(word: string): string {
  if (!STEMMABLE.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (US.test(word) && VOWEL.test(word.slice(0, -2))) return word;
  if (SIS.test(word) && word !== 'basis') return stemmer(word.replace(SIS, 'ses'));
  return SHORT_DOUBLE.exec(word)?.[1] ?? stemmer(word);
}

const TO_REGION = /^.*?[aeiouyäöü][^aeiouyäöü]/;

/** Letters that every first region begins after. */
const REGION_MIN_START = 3;

/**
 * The stem of a lower-case German word by Snowball's rules (3.1, snowballstem.org/algorithms/german), without umlauts and `ß`: `ae`, `oe`, `ue`
 * are umlauts, and `Systeme`, `Systems` are forms of `System`.
 */
function stemGerman(word: string): string {
  let stem = word
    // `u` and `y` between vowels are consonants.
    .replace(/(?<=[aeiouyäöü])[uy](?=[aeiouyäöü])/g, (letter) => letter.toUpperCase())
    .replace(/ß|ae|oe|ue|qu/g, (letters) => UMLAUTS[letters] ?? letters);
  const toFirst = TO_REGION.exec(stem)?.[0].length ?? stem.length;
  const first = Math.max(toFirst, Math.min(REGION_MIN_START, stem.length));
  const second = toFirst + (TO_REGION.exec(stem.slice(toFirst))?.[0].length ?? stem.length);
  stem = withoutInflection(stem, first);
  stem = withoutComparison(stem, first);
  stem = withoutDerivation(stem, first, second);
  return stem.toLowerCase().replace(/[äöü]/g, (letter) => PLAIN[letter] ?? letter);
}

const UMLAUTS: Readonly<Record<string, string>> = { ß: 'ss', ae: 'ä', oe: 'ö', ue: 'ü' };
const PLAIN: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u' };

function withoutInflection(word: string, first: number): string {
  const suffix = /(?:erinnen|erin|ern|em|er|en|es|e|lns|ln|s)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < first) return word;
  const bare = word.slice(0, -suffix.length);
  if (suffix === 'em') return bare.endsWith('syst') ? word : bare;
  if (suffix === 's') return /[bdfghklmnrt]$/.test(bare) ? bare : word;
  if (suffix.startsWith('ln')) return `${bare}l`;
  return /^(?:e|en|es)$/.test(suffix) && bare.endsWith('niss') ? bare.slice(0, -1) : bare;
}

function withoutComparison(word: string, first: number): string {
  const suffix = /(?:est|en|er|st|et)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < first) return word;
  const bare = word.slice(0, -suffix.length);
  if (suffix === 'st') return /...[bdfghklmnt]$/.test(bare) ? bare : word;
  if (suffix === 'et') return /[dfgklmnrstUzä]$/.test(bare) && !/(?:geordn|intern|plan|tick|tr)$/.test(bare) ? bare : word;
  return bare;
}

function withoutDerivation(word: string, first: number, second: number): string {
  const suffix = /(?:end|ung|isch|ig|ik|lich|heit|keit)$/.exec(word)?.[0];
  if (suffix === undefined || word.length - suffix.length < second) return word;
  const bare = word.slice(0, -suffix.length);
  switch (suffix) {
    case 'end':
    case 'ung':
      return /(?<!e)ig$/.test(bare) ? cutFrom(bare, 2, second) : bare;
    case 'lich':
    case 'heit':
      return /e[rn]$/.test(bare) ? cutFrom(bare, 2, first) : bare;
    case 'keit':
      return cutFrom(bare, /(?:lich|ig)$/.exec(bare)?.[0].length ?? 0, second);
    default:
      return bare.endsWith('e') ? word : bare;
  }
}

function cutFrom(word: string, letters: number, region: number): string {
  return word.length - letters >= region ? word.slice(0, word.length - letters) : word;
}
