import { STOP_WORDS } from '../stop-words.ts';
import { loadPeer } from './load-peer.ts';

/** The terms of a text in its order, of letters and digits only. */
export type Analyse = (text: string) => string[];

/** How a text becomes terms. */
export interface AnalyserOptions {
  /** Whether the parts of a name (`getUser_id2`: `get`, `User`, `id`, `2`) follow the whole, as terms of their own. */
  readonly identifiers: boolean;
}

const WORD = /[\p{L}\p{N}]+/gu;
const NAME = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;
const MARKS = /\p{M}+/gu;

/**
 * The analysis given to every peer that accepts one: NFKD without marks, runs of letters and digits, lower case, no stop
 * words, Porter's stemmer.
 */
export async function peerAnalyser({ identifiers }: AnalyserOptions): Promise<Analyse> {
  const { stemmer } = await loadPeer<{ stemmer: (word: string) => string }>('stemmer');
  return analyserWith(stemmer, { identifiers });
}

/** The analysis of {@link peerAnalyser} by a stemmer that is there already. */
export function analyserWith(stemmer: (word: string) => string, { identifiers }: AnalyserOptions): Analyse {
  const stems = new Map<string, string>();
  const stem = (word: string): string => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const made = stemmer(word);
    stems.set(word, made);
    return made;
  };
  return (text) => {
    const folded = text.normalize('NFKD').replace(MARKS, '');
    const words = identifiers ? (folded.match(NAME) ?? []).flatMap(wholeAndParts) : (folded.match(WORD) ?? []);
    return words
      .map((word) => word.toLowerCase())
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem);
  };
}

function wholeAndParts(name: string): string[] {
  const parts = name.match(PART) ?? [];
  return parts.length > 1 ? [name.replaceAll('_', ''), ...parts] : [name];
}
