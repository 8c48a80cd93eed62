import { CORRECTED_TERM_MIN_LENGTH, TWO_EDITS_MIN_LENGTH } from './constants.ts';
import { editDistance } from './edit-distance.ts';
import { documentFrequency } from './postings.ts';
import type { SearchIndex } from './types.ts';

/** Names, versions and digests differ by one character on purpose: only words of letters are corrected. */
const LETTERS = /^[\p{L}\p{M}]+$/u;

const letterMasksOfIndex = new WeakMap<SearchIndex, Uint32Array>();

/**
 * The term of the index that an unknown term was probably meant to be: fewest edits (1, or 2 from 8 letters), then in
 * most documents, then first in order.
 *
 * @returns A term number, or -1 if nothing is near enough.
 */
export function correctTerm(index: SearchIndex, unknown: string): number {
  if (unknown.length < CORRECTED_TERM_MIN_LENGTH || !LETTERS.test(unknown)) return -1;
  const masks = letterMasks(index);
  const mask = letterMask(unknown);
  let limit = unknown.length >= TWO_EDITS_MIN_LENGTH ? 2 : 1;
  let best = -1;
  let bestFrequency = 0;
  for (let number = 0; number < masks.length; number++) {
    if (bitCount((masks[number] as number) ^ mask) > 2 * limit) continue;
    const candidate = index.terms[number] as string;
    const edits = editDistance(unknown, candidate, limit);
    if (edits > limit || !LETTERS.test(candidate)) continue;
    const frequency = documentFrequency(index, number);
    if (edits < limit || best === -1 || frequency > bestFrequency) {
      best = number;
      bestFrequency = frequency;
      limit = edits;
    }
  }
  return best;
}

// One edit changes at most two of these bits, which rules out nearly all terms before any distance is computed.
function letterMasks(index: SearchIndex): Uint32Array {
  let masks = letterMasksOfIndex.get(index);
  if (masks === undefined) {
    masks = Uint32Array.from(index.terms, letterMask);
    letterMasksOfIndex.set(index, masks);
  }
  return masks;
}

function letterMask(term: string): number {
  let mask = 0;
  for (let at = 0; at < term.length; at++) mask |= 1 << (term.charCodeAt(at) & 31);
  return mask;
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return (((count + (count >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
