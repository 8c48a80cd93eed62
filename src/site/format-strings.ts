import { language, offers, orders, capsules as sentences, terms } from 'virtual:strings';
import { statedTitle, stateReason, stateWords } from '../gateway/knowledge/capsule-status-sentences.ts';
import { pricesOf, type TextPrices } from '../schemas/commerce/capsule-price.ts';
import { minorDigits } from '../schemas/commerce/currency-and-availability.ts';
import { type AnnouncedDelivery, announcedDelivery, type StoredDelivery } from '../schemas/commerce/offers.ts';
import type { CapsuleState, CapsuleSummary } from '../schemas/knowledge/capsule.ts';
import { capsulePath } from '../schemas/paths.ts';
import type { Cadence } from '../schemas/primitives.ts';
import { formatMoney, type Money } from '../text/prices.ts';
import {
  dateLocale,
  formatMarkup,
  formatMessage,
  type Message,
  type MessageElement,
  numberLocale,
  type PlaceholderOf,
  type TagOf,
  textDirection,
} from '../text/strings/message-format.ts';

type ValuesOf<M extends Message> = Readonly<Record<PlaceholderOf<M>, string | number>>;

/** The text of a message with its values, in the language of the interface. Messages without values are texts themselves. */
export function text<const M extends Message>(message: M, values: ValuesOf<M>): string {
  return formatMessage(message, values, language);
}

/** The HTML of a message whose tags become elements, for `set:html`. Words and values are escaped. */
export function markup<const M extends Message>(
  message: M,
  values: ValuesOf<M>,
  elements: Readonly<Record<TagOf<M>, MessageElement>>,
): string {
  return formatMarkup(message, values, elements, language);
}

/** The element of words in a message that only screen readers need. */
export const UNSEEN = { hidden: { element: 'span', attributes: { class: 'unseen' } } } as const;

/** Attributes of an element whose text is in another language than the interface; none if it is the same. */
export function languageAttributes(ofText: string): { lang?: string; dir?: 'ltr' | 'rtl' } {
  if (ofText === language) return {};
  const direction = textDirection(ofText);
  return { lang: ofText, ...(direction === textDirection(language) ? {} : { dir: direction }) };
}

export function rootAttributes(): { lang: string; dir?: 'rtl' } {
  return { lang: language, ...(textDirection(language) === 'rtl' ? { dir: 'rtl' } : {}) };
}

/** Whether the interface is in English, as the API is: only then may a page repeat a sentence of the API. */
export function isEnglish(): boolean {
  return /^en(-|$)/.test(language);
}

const DATES = dateLocale(language);
const DAY_FORMAT = new Intl.DateTimeFormat(DATES, { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE_FORMAT = new Intl.DateTimeFormat(DATES, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const LIST_FORMAT = new Intl.ListFormat(DATES);

/** A calendar date for people: `21 November 2026`, `21. November 2026`. */
export function formatDay(isoDate: string): string {
  return DAY_FORMAT.format(new Date(`${isoDate.slice(0, 10)}T00:00:00Z`));
}

/** A time for people: `22 November 2026 at 10:20 UTC`. */
export function formatMinute(isoDateTime: string): string {
  return `${MINUTE_FORMAT.format(new Date(isoDateTime))} UTC`;
}

export function linkTo(href: string, attributes: MessageElement['attributes'] = {}): MessageElement {
  return { attributes: { href, ...attributes } };
}

export function timeElement(isoDate: string): MessageElement {
  return { element: 'time', attributes: { datetime: isoDate } };
}

/** Writes numbers with separators: `12,345`. */
export const formatNumber: (value: number) => string = new Intl.NumberFormat(numberLocale(language)).format;

export function formatList(texts: readonly string[]): string {
  return LIST_FORMAT.format(texts);
}

export function formatPrice(money: Money): string {
  return formatMoney(money, numberLocale(language));
}

/** The prices of a text for people, that in the preferred currency first: `4,50 € oder 5 $`. */
export function formatPrices(capsule: TextPrices, preferredCurrency: string): string {
  const [first = '', ...others] = [...pricesOf(capsule)]
    .sort((a, b) => Number(b.currency === preferredCurrency) - Number(a.currency === preferredCurrency))
    .map(({ amount, currency }) => formatPrice({ amountMinor: Number(amount) * 10 ** minorDigits(currency), currency }));
  return others.length === 0 ? first : `${first} ${text(offers.orPrices, { prices: others.join(', ') })}`;
}

/** What an order of an offer delivers, with how long it opens; the engine's own words for it are in English at the API. */
export function promisedTitle(delivery: StoredDelivery): string {
  const title = deliveryTitle(announcedDelivery(delivery));
  if (isEnglish() || !('days' in delivery || delivery.kind === 'pass' || delivery.kind === 'credit')) return title;
  return delivery.days === undefined ? text(orders.forGood, { title }) : text(orders.forDays, { title, count: delivery.days });
}

export function deliveryTitle({ kind, name, title, cents = 0 }: AnnouncedDelivery): string {
  if (kind === 'capsule') return text(orders.downloadCapsule, { capsule: name });
  if (kind === 'pass' && !isEnglish()) return name === 'pass' ? orders.passAll : text(orders.passTag, { tag: name });
  if (kind === 'credit' && !isEnglish()) return text(orders.credit, { amount: formatPrice({ amountMinor: cents, currency: 'USD' }) });
  return kind === 'limit' && !isEnglish() ? orders.downloadKey : title;
}

/** How often a price is paid. Each sentence is named, here and below, because functions have no others. */
export const CADENCES = { one_time: offers.cadence_one_time, monthly: offers.cadence_monthly, annual: offers.cadence_annual } as const;

export function billingInterval(cadence: Cadence): string {
  return cadence === 'monthly' || cadence === 'annual' ? ` ${CADENCES[cadence]}` : '';
}

/** A currency for people, in the plural: `US dollars`, `euros`, `Schweizer Franken`. */
export function currencyName(code: string): string {
  if (code === 'USD') return offers.usDollars;
  const format = new Intl.NumberFormat(numberLocale(language), { style: 'currency', currency: code, currencyDisplay: 'name' });
  return format.formatToParts(2).find(({ type }) => type === 'currency')?.value ?? code;
}

/** Currencies of prices for people: `US dollars`, `EUR, USD and CHF`. */
export function currencyNames(codes: readonly string[]): string {
  return codes.length > 1 ? formatList(codes) : currencyName(codes[0] ?? 'USD');
}

/** The latest of the days on which things changed; `undefined` if there are none. */
export function latestDay(things: readonly { readonly updated: string }[]): string | undefined {
  return things
    .map(({ updated }) => updated)
    .sort()
    .at(-1);
}

/** An enumeration value as a label: `source_code` becomes `Source code`. */
export function asLabel(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function demoShare(lines: readonly { readonly demo: boolean }[]): 'all' | 'part' | 'none' {
  const count = lines.filter(({ demo }) => demo).length;
  return count === 0 ? 'none' : count === lines.length ? 'all' : 'part';
}

export const STATE_WORDS = stateWords(
  language,
  {
    retractedTitle: sentences.retractedTitle,
    supersededTitle: sentences.supersededTitle,
    retractedOn: sentences.retractedOn,
    supersededOn: sentences.supersededOn,
    replacedBy: sentences.replacedBy,
  },
  terms,
);

/** The HTML of {@link stateReason}, with a link to the replacement if there is one. */
export function stateMarkup(state: CapsuleState, replacement?: Pick<CapsuleSummary, 'title' | 'status' | 'language'>): string {
  const { superseded_by: id } = state;
  const reason = markup('{reason}', { reason: stateReason(state, STATE_WORDS) }, {});
  if (id === undefined) return reason;
  const link = linkTo(capsulePath(id), replacement && languageAttributes(replacement.language));
  return `${reason} ${markup(sentences.readInstead, { title: replacement ? statedTitle(replacement, STATE_WORDS) : id }, { capsule: link })}`;
}

/** The HTML of the title of a capsule, for `set:html`: after its state unless it is current, each in its language. */
export function statedHeading({ title, status, language: ofTitle }: Pick<CapsuleSummary, 'title' | 'status' | 'language'>): string {
  if (status === 'current') return markup('{title}', { title }, {});
  return markup(
    { retracted: sentences.retractedTitle, superseded: sentences.supersededTitle }[status],
    { title },
    { title: { element: 'span', attributes: languageAttributes(ofTitle) } },
  );
}
