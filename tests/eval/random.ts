export type Random = () => number;

/** The same numbers for the same seed on every machine (mulberry32); not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed from a text (FNV-1a over its UTF-16 code units). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A uniform integer from 0 to `bound - 1`. */
export const below = (random: Random, bound: number): number => Math.floor(random() * bound);

/** Hexadecimal digits. */
export function hexDigits(random: Random, length: number): string {
  return Array.from({ length }, () => below(random, 16).toString(16)).join('');
}

/** One of some values, each as likely. */
export function oneOf<T>(random: Random, values: readonly T[]): T {
  if (values.length === 0) throw new TypeError('there is nothing to choose from');
  return values[below(random, values.length)] as T;
}

export const chance = (random: Random, share: number): boolean => random() < share;

export function weighted<T>(random: Random, makers: readonly (readonly [weight: number, make: () => T])[]): T {
  let left = random() * makers.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of makers) {
    left -= weight;
    if (left < 0) return make();
  }
  throw new TypeError('there is nothing to choose from');
}
