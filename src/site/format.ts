const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const NUMBER_FORMAT = new Intl.NumberFormat('en-US');

/** A calendar date for people: `21 November 2026`. */
export function formatDay(isoDate: string): string {
  return DAY_FORMAT.format(new Date(`${isoDate.slice(0, 10)}T00:00:00Z`));
}

const MINUTE_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** A moment for people: `22 November 2026 at 10:20 UTC`. */
export function formatMinute(isoDateTime: string): string {
  return `${MINUTE_FORMAT.format(new Date(isoDateTime))} UTC`;
}

/** A number with separators: `12,345`. */
export function formatNumber(value: number): string {
  return NUMBER_FORMAT.format(value);
}

/** A number with its noun: `1 source`, `12 sources`. */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}

/** An enumeration value in words: `source_code` becomes `source code`. */
export function inWords(value: string): string {
  return value.replaceAll('_', ' ');
}

/** The same with a capital, for labels. */
export function asLabel(value: string): string {
  const words = inWords(value);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether all, a part or nothing of some lines is a demonstration. */
export function demoShare(lines: readonly { readonly demo: boolean }[]): 'all' | 'part' | 'none' {
  const count = lines.filter(({ demo }) => demo).length;
  return count === 0 ? 'none' : count === lines.length ? 'all' : 'part';
}
