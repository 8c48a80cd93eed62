/** Rows of the distance table, reused for every pair of words: a correction compares thousands. */
let rows = [new Uint16Array(64), new Uint16Array(64), new Uint16Array(64)] as const;

/** Optimal string alignment distance in UTF-16 code units, counting swaps of neighbours as one edit; `limit + 1` if it is more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  if (b.length >= rows[0].length) rows = [new Uint16Array(b.length * 2), new Uint16Array(b.length * 2), new Uint16Array(b.length * 2)];
  let [before, above, current] = rows;
  for (let column = 0; column <= b.length; column++) above[column] = column;
  for (let row = 1; row <= a.length; row++) {
    const letter = a.charCodeAt(row - 1);
    current[0] = row;
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const other = b.charCodeAt(column - 1);
      let cost = above[column - 1] + (letter === other ? 0 : 1);
      const deleted = above[column] + 1;
      const inserted = current[column - 1] + 1;
      if (deleted < cost) cost = deleted;
      if (inserted < cost) cost = inserted;
      if (row > 1 && column > 1 && letter === b.charCodeAt(column - 2) && other === a.charCodeAt(row - 2)) {
        const swapped = before[column - 2] + 1;
        if (swapped < cost) cost = swapped;
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    [before, above, current] = [above, current, before];
  }
  return Math.min(above[b.length], limit + 1);
}
