import type { ErrorCode } from '../gateway/errors.ts';
import type { ShownRefusal } from '../http/on-demand-pages.ts';

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const LIST_FORMAT = new Intl.ListFormat('en-GB');
const NUMBER_FORMAT = new Intl.NumberFormat('en-US');

/** A calendar date for people: `21 November 2026`. */
export function formatDay(isoDate: string): string {
  return DAY_FORMAT.format(new Date(`${isoDate.slice(0, 10)}T00:00:00Z`));
}

/** A time for people: `22 November 2026 at 10:20 UTC`. */
export function formatMinute(isoDateTime: string): string {
  return `${MINUTE_FORMAT.format(new Date(isoDateTime))} UTC`;
}

/** The latest of the days on which things changed; `undefined` if there are none. */
export function latestDay(things: readonly { readonly updated: string }[]): string | undefined {
  return things
    .map(({ updated }) => updated)
    .sort()
    .at(-1);
}

/** A number with separators: `12,345`. */
export function formatNumber(value: number): string {
  return NUMBER_FORMAT.format(value);
}

const CURRENCY_NAMES = new Intl.DisplayNames('en', { type: 'currency' });

/** A currency for people, in the plural where that is usual: `US dollars`, `EUR (Euro)`. */
export function currencyName(code: string): string {
  return code === 'USD' ? 'US dollars' : `${code} (${CURRENCY_NAMES.of(code) ?? code})`;
}

/** Currencies of prices for people: `US dollars`, `EUR, USD and CHF`. */
export function currencyNames(codes: readonly string[]): string {
  return codes.length > 1 ? LIST_FORMAT.format(codes) : currencyName(codes[0] ?? 'USD');
}

/** A number with its noun: `1 source`, `12 sources`. */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}

/** An enumeration value in words: `source_code` becomes `source code`. */
export function inWords(value: string): string {
  return value.replaceAll('_', ' ');
}

/** An enumeration value as a label: `source_code` becomes `Source code`. */
export function asLabel(value: string): string {
  const words = inWords(value);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Id of a heading on a page without markdown. */
export function headingId(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z]+/g, '-');
}

/** Whether all lines are demonstrations, some, or none. */
export function demoShare(lines: readonly { readonly demo: boolean }[]): 'all' | 'part' | 'none' {
  const count = lines.filter(({ demo }) => demo).length;
  return count === 0 ? 'none' : count === lines.length ? 'all' : 'part';
}

/** Refusals that only software can resolve: a person cannot solve a challenge in a form. */
const CHALLENGES: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

const LIMIT_REACHED: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded'];

/** Why a form was refused, for the person who sent it. */
export function refusalText({ code, detail, retryAfterSeconds }: ShownRefusal): string {
  if (CHALLENGES.includes(code))
    return 'This form has reached its daily limit and reopens at midnight UTC. Write to the publisher, or try again tomorrow.';
  return LIMIT_REACHED.includes(code) && retryAfterSeconds !== undefined
    ? `${detail} Try again in ${durationText(retryAfterSeconds)}.`
    : detail;
}

/** A waiting time, rounded up: "40 seconds", "1 minute", "3 hours". */
function durationText(seconds: number): string {
  const [size, unit] = seconds < 60 ? [1, 'second'] : seconds < 3_600 ? [60, 'minute'] : [3_600, 'hour'];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
