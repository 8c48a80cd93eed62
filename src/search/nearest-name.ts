import { editDistance } from './format/spelling.ts';

/** The known name that a misspelt one most likely means; `undefined` if none is near. Letter case does not count. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  return nearestNames(name, known, 1)[0];
}

/** The known names that a misspelt one may mean, nearest first, then in ascending order. */
export function nearestNames(name: string, known: readonly string[], max: number): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}
