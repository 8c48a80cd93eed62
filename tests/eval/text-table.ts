/** Rows of equal length as a text table: the first column left-aligned, the others right-aligned, two spaces between. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A score with four decimals and without the leading zero, as in retrieval papers: `.4213`. */
export const score = (value: number): string => value.toFixed(4).replace(/^(-?)0\./, '$1.');

export function signed(value: number): string {
  const text = score(value);
  return value > 0 ? `+${text}` : text;
}

/** A p value with three decimals, likewise: `.042`, and 1 for no difference at all. */
export const probability = (p: number): string => (p < 0.001 ? '<.001' : p.toFixed(3).replace(/^0/, ''));
