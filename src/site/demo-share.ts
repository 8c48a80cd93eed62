/** Whether all, a part or nothing of some lines is a demonstration. */
export function demoShare(lines: readonly { readonly demo: boolean }[]): 'all' | 'part' | 'none' {
  const count = lines.filter(({ demo }) => demo).length;
  return count === 0 ? 'none' : count === lines.length ? 'all' : 'part';
}
