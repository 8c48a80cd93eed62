import { stemmer } from 'stemmer';

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

/**
 * The stem of a lower-case English word: that of Porter (1980), but without the faults that its successor mended, and some more. Other words
 * stay as they are.
 *
 * @see {@link https://snowballstem.org/algorithms/english/stemmer.html English (Porter2) stemming algorithm}
 */
export function stemEnglish(word: string): string {
  if (!STEMMABLE.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (US.test(word) && VOWEL.test(word.slice(0, -2))) return word;
  if (SIS.test(word) && word !== 'basis') return stemmer(word.replace(SIS, 'ses'));
  return SHORT_DOUBLE.exec(word)?.[1] ?? stemmer(word);
}
