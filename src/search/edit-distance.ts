/**
 * The fewest insertions, deletions, substitutions and swaps of neighbours that turn one word into the other, or
 * `limit + 1` when it takes more than `limit`. In UTF-16 code units (optimal string alignment distance).
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && isSwap(a, b, row, column)) {
        cost = Math.min(cost, (before[column - 2] as number) + 1);
      }
      current.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    before = above;
    above = current;
  }
  return Math.min(above[b.length] as number, limit + 1);
}

function isSwap(a: string, b: string, row: number, column: number): boolean {
  return a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
}
