import { STOP_WORDS } from '../stop-words.ts';
import { loadPeer } from './load-peer.ts';

/** The terms of a text in order, of letters and digits only. */
export type Analyse = (text: string) => string[];

const NAME = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;
const MARKS = /\p{M}+/gu;

/**
 * The analysis of every peer that accepts one: NFKD without marks, names with their parts (`getUser_id2`, then `get`, `User`, `id`, `2`),
 * lower case, no stop words, Porter's stemmer.
 */
export async function peerAnalyser(): Promise<Analyse> {
  return analyserWith((await loadPeer<{ stemmer: (word: string) => string }>('stemmer')).stemmer);
}

/** {@link peerAnalyser} with a stemmer that is loaded already. */
export function analyserWith(stemmer: (word: string) => string): Analyse {
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
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem);
}

function wholeAndParts(name: string): string[] {
  const parts = name.match(PART) ?? [];
  return parts.length > 1 ? [name.replaceAll('_', ''), ...parts] : [name];
}
