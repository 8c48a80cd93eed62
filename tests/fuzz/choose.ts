import { below, type Random } from '../eval/random.ts';

export function oneOf<T>(random: Random, values: readonly [T, ...T[]] | readonly T[]): T {
  const value = values[below(random, values.length)];
  if (value === undefined && values.length === 0) throw new TypeError('there is nothing to choose from');
  return value as T;
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
