/** Optimal string alignment distance by its recursive definition. */
export function naiveDistance(a: string, b: string): number {
  const known = new Map<string, number>();
  const distance = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const done = known.get(key);
    if (done !== undefined) return done;
    const ways = [distance(i - 1, j) + 1, distance(i, j - 1) + 1];
    ways.push(distance(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(distance(i - 2, j - 2) + 1);
    known.set(key, Math.min(...ways));
    return Math.min(...ways);
  };
  return distance(a.length, b.length);
}

/** The word that a misspelt one was meant to be: fewest edits, most documents, first in order. */
export function naiveNearest(misspelt: string, words: ReadonlyMap<string, number>, edits?: number): string | undefined {
  const limit = edits ?? (misspelt.length >= 8 ? 2 : 1);
  return [...words]
    .map(([word, documents]) => ({ word, documents, distance: naiveDistance(misspelt, word) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || b.documents - a.documents || (a.word < b.word ? -1 : 1))[0]?.word;
}
