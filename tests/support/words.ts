/** A list of words that white space separates, with backslashes as they stand: for long lists of addresses, names and values. */
export function words(strings: TemplateStringsArray, ...values: readonly unknown[]): string[] {
  return String.raw(strings, ...values)
    .trim()
    .split(/\s+/);
}
