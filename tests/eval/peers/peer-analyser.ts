import { STOP_WORDS } from '../stop-words.ts';

/** The terms of a text in order, of letters and digits only. */
export type Analyse = (text: string) => string[];

const NAME = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;
const MARKS = /\p{M}+/gu;

/** Languages that are written without spaces, whose words the segmenter of the platform finds, as Orama's own tokenizers do. */
const UNSPACED = new Set(['ja', 'th', 'zh']);

/**
 * The analysis of every peer that accepts one. English: NFKD without marks, names with their parts (`getUser_id2`, then `get`, `User`, `id`,
 * `2`), lower case, no stop words, Porter's stemmer. Other languages: the same with their own stop words and stemmer of Orama's packages, or
 * the words of `Intl.Segmenter`.
 */
export async function peerAnalyser(language: string): Promise<Analyse> {
  if (language === 'en') return analyserWith((await loadPeer<{ stemmer: (word: string) => string }>('stemmer')).stemmer);
  const stopWords = await stopWordsOf(language);
  if (UNSPACED.has(language)) {
    const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    return (text) =>
      Array.from(segmenter.segment(text.normalize('NFKC').toLowerCase()))
        .flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []))
        .filter((word) => !stopWords.has(word));
  }
  const { stemmer } = (await import(`@orama/stemmers/${nameOf(language)}`)) as { readonly stemmer: (word: string) => string };
  return analyserWith(stemmer, stopWords);
}

export async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  if (language === 'en') return STOP_WORDS;
  const name = language === 'zh' ? 'mandarin' : nameOf(language);
  const { stopwords } = (await import(`@orama/stopwords/${name}`)) as { readonly stopwords: readonly string[] };
  return new Set(stopwords);
}

function nameOf(language: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(language)?.toLowerCase() ?? language;
}

/** {@link peerAnalyser} with a stemmer that is loaded already. */
export function analyserWith(stemmer: (word: string) => string, stopWords = STOP_WORDS): Analyse {
  const stems = new Map<string, string>();
  const stem = (word: string): string => {
    const known = stems.get(word) ?? stemmer(word);
    stems.set(word, known);
    return known;
  };
  return (text) =>
    (text.normalize('NFKD').replace(MARKS, '').match(NAME) ?? [])
      .flatMap(wholeAndParts)
      .map((word) => word.toLowerCase())
      .filter((word) => !stopWords.has(word))
      .map(stem);
}

function wholeAndParts(name: string): string[] {
  const parts = name.match(PART) ?? [];
  return parts.length > 1 ? [name.replaceAll('_', ''), ...parts] : [name];
}

/**
 * A package of tests/eval/peers, as its default export if it has one. Each caller declares the types that it uses, so that types are checked
 * without the packages.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  const loaded: { readonly default?: T } & T = await import(name);
  return loaded.default ?? loaded;
}
