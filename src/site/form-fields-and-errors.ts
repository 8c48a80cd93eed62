import { contactForm, errors, offers, refusals, invoiceForm as strings } from 'virtual:strings';
import { QUANTITY_PREFIX } from '../gateway/commerce/cart/permalink.ts';
import type { ErrorCode } from '../gateway/errors.ts';
import { type FieldError, repeatable } from '../gateway/result.ts';
import type { PageProps, ShownRefusal, WrongItem } from '../http/on-demand-page-props.ts';
import { hasPrice, minorDigits } from '../schemas/commerce/currency-and-availability.ts';
import { LIMITS } from '../schemas/limits.ts';
import { isEnglish, text } from './format-strings.ts';

/**
 * Attributes that make a form a tool for an agent in the browser (WebMCP, declarative API): the browser derives the parameters from fields
 * and labels. Other browsers ignore them. In English, as the tools of `scripts/webmcp-tools.ts`, whose names they must not repeat.
 * `toolautosubmit` lets the agent submit the form. Forms that order something or send a message lack it: a person submits them.
 *
 * @see https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md
 */
export const FORM_TOOLS = {
  search: {
    toolname: 'show_search_results',
    tooldescription: 'Opens the page with the results of a search of this site.',
    toolautosubmit: '',
  },
  filterCapsules: {
    toolname: 'filter_capsules',
    tooldescription: 'Opens the list of the capsules that meet all chosen conditions.',
    toolautosubmit: '',
  },
  requestInvoice: {
    toolname: 'request_invoice',
    tooldescription: 'Fills in a request for an invoice for offers of this site. The person checks and sends it; nothing is paid here.',
  },
  fillCart: {
    toolname: 'fill_cart',
    tooldescription: 'Opens the page of a cart with these quantities of offers. Nothing is ordered there.',
    toolautosubmit: '',
  },
  sendMessage: {
    toolname: 'send_message',
    tooldescription: 'Fills in a message to the publisher of this site. The person checks and sends it.',
  },
} as const;

/** Descriptions of parameters for which the label of the field is too short. */
export const FORM_TOOL_PARAMETERS = {
  query: { toolparamdescription: 'Question or keywords.' },
  tag: { toolparamdescription: 'Subject of the capsules: a tag such as http-caching. Empty for any.' },
} as const;

type InvoiceProps = PageProps['invoice'];

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly autocomplete: 'name' | 'email' | 'organization' | 'street-address' | 'off';
  readonly maxLength: number;
  readonly isRequired?: true;
  readonly rows?: number;
}

export const BUYER_FIELDS: readonly FormField[] = [
  { name: 'name', label: strings.name, autocomplete: 'name', maxLength: LIMITS.shortTextMaxLength, isRequired: true },
  { name: 'email', label: strings.email, hint: strings.emailHint, autocomplete: 'email', maxLength: 254, isRequired: true },
  {
    name: 'company',
    label: strings.company,
    hint: strings.companyHint,
    autocomplete: 'organization',
    maxLength: LIMITS.shortTextMaxLength,
  },
  { name: 'address', label: strings.address, autocomplete: 'street-address', maxLength: LIMITS.invoiceAddressMaxLength, rows: 4 },
  { name: 'tax_id', label: strings.taxId, hint: strings.taxIdHint, autocomplete: 'off', maxLength: LIMITS.shortTextMaxLength },
  {
    name: 'note',
    label: strings.note,
    hint: strings.noteHint,
    autocomplete: 'off',
    maxLength: LIMITS.invoiceNoteMaxLength,
    rows: 4,
  },
];

export const CONTACT_FIELDS: readonly FormField[] = [
  { name: 'name', label: strings.name, autocomplete: 'name', maxLength: LIMITS.shortTextMaxLength, isRequired: true },
  { name: 'email', label: strings.email, hint: contactForm.emailHint, autocomplete: 'email', maxLength: 254, isRequired: true },
  {
    name: 'message',
    label: contactForm.message,
    hint: text(contactForm.messageHint, { max: LIMITS.invoiceNoteMaxLength }),
    autocomplete: 'off',
    maxLength: LIMITS.invoiceNoteMaxLength,
    isRequired: true,
    rows: 8,
  },
];

export const QUANTITY_FIELD = { type: 'number', inputmode: 'numeric', min: '0', max: LIMITS.quantityMax } as const;

/** Of a form with such fields, what its script (scripts/shop.ts) shows as their total. */
export const totalOfForm = (currency: string) => ({
  'data-currency': currency,
  'data-digits': minorDigits(currency),
  'data-free': offers.free,
  'data-invalid': text(strings.wholeNumbers, { max: LIMITS.quantityMax }),
});

export function describedBy(
  field: string,
  faults: ReadonlyMap<string, string>,
  hasHint = false,
): { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: 'true' } {
  const ids = [...(hasHint ? [`${field}-hint`] : []), ...(faults.has(field) ? [`${field}-fault`] : [])];
  if (ids.length === 0) return {};
  return { 'aria-describedby': ids.join(' '), ...(faults.has(field) && field !== 'items' ? { 'aria-invalid': 'true' } : {}) };
}

export function contactErrors(faults: readonly FieldError[], values: InvoiceProps['values']): ReadonlyMap<string, string> {
  return new Map(faults.map(({ pointer, message }) => fieldError(CONTACT_FIELDS, pointer.slice(1), message, values)));
}

interface QuantityField {
  readonly offer: InvoiceProps['offers'][number];
  readonly field: string;
}

/**
 * Offers that the form lists: those with a price, and those whose price is quoted. Free ones need no invoice by themselves, so they are
 * listed only if a quantity was filled in.
 */
export function quantityFields({ offers, values }: Pick<InvoiceProps, 'offers' | 'values'>): QuantityField[] {
  return offers
    .map((offer) => ({ offer, field: QUANTITY_PREFIX + offer.id }))
    .filter(({ offer, field }) => !hasPrice(offer) || offer.amountMinor > 0 || values[field] !== undefined);
}

/**
 * Error messages by field: in English those of the API. `faults` point into the request body; those of an offer that is not listed belong to
 * the field `items`, those of unknown fields to the empty name.
 */
export function errorsByField(
  faults: readonly FieldError[],
  values: InvoiceProps['values'],
  listed: readonly QuantityField[],
): ReadonlyMap<string, string> {
  const sent = Object.entries(values).filter(([name, value]) => name.startsWith(QUANTITY_PREFIX) && !/^0+$/.test(value.trim()));
  const errors = new Map<string, Set<string>>();
  for (const { pointer, message } of faults) {
    const [, member = '', index] = pointer.split('/');
    const quantityField = index === undefined ? undefined : sent[Number(index)]?.[0];
    const [field, sentence] =
      member !== 'items'
        ? fieldError(BUYER_FIELDS, member, message, values)
        : quantityField === undefined
          ? ['items', sent.length === 0 ? strings.chooseAnOffer : isEnglish() ? `${strings.items} ${message}.` : strings.checkItems]
          : itemError(quantityField, pointer.endsWith('/quantity'), message, listed);
    errors.set(field, (errors.get(field) ?? new Set()).add(sentence));
  }
  return new Map([...errors].map(([field, texts]) => [field, [...texts].join(' ')]));
}

export function wrongItemTexts(items: readonly WrongItem[]): string[] {
  return items.map(({ offer, quantity, refusal }) => {
    if (refusal !== undefined) return isEnglish() ? refusalText(refusal) : text(strings.unsoldOffer, { offer });
    if (quantity === undefined) return isPlainName(offer) ? text(strings.unknownOffer, { offer }) : strings.unnamedOffer;
    return text(strings.wrongQuantity, { offer, quantity, max: LIMITS.quantityMax });
  });
}

function fieldError(
  fields: readonly FormField[],
  name: string,
  message: string,
  values: InvoiceProps['values'],
): [field: string, text: string] {
  const field = fields.find((known) => known.name === name);
  if (field === undefined) {
    const quantities = fields === BUYER_FIELDS ? [`${QUANTITY_PREFIX}<offer>`] : [];
    const known = [...fields.map((each) => each.name), ...quantities].join(', ');
    return [
      '',
      isPlainName(name) ? text(strings.unknownField, { field: name, fields: known }) : text(strings.unnamedField, { fields: known }),
    ];
  }
  if (name === 'email') return [name, isEmpty(values, name) ? strings.enterEmail : strings.enterValidEmail];
  if (name === 'name' && isEmpty(values, name)) return [name, strings.enterName];
  if (name === 'message' && isEmpty(values, name)) return [name, contactForm.enterMessage];
  if (isEnglish()) return [name, `${field.label} ${message}.`];
  const isTooLong = (values[name] ?? '').length > field.maxLength;
  return [
    name,
    isTooLong ? text(strings.tooLong, { field: field.label, max: field.maxLength }) : text(strings.invalid, { field: field.label }),
  ];
}

function itemError(
  field: string,
  isAboutQuantity: boolean,
  message: string,
  listed: readonly QuantityField[],
): [field: string, text: string] {
  const offer = listed.find((listedOffer) => listedOffer.field === field)?.offer;
  const id = field.slice(QUANTITY_PREFIX.length);
  if (offer === undefined) return ['items', isPlainName(id) ? text(strings.unknownOffer, { offer: id }) : strings.unnamedOffer];
  return isAboutQuantity
    ? [field, text(strings.enterQuantity, { max: LIMITS.quantityMax, offer: offer.name })]
    : [field, isEnglish() ? `${offer.name} ${message}.` : text(strings.invalid, { field: offer.name })];
}

const isPlainName = (name: string): boolean => repeatable(name) === name;

function isEmpty(values: InvoiceProps['values'], name: string): boolean {
  return (values[name] ?? '').trim() === '';
}

/** Refusals that only software can resolve: a person cannot solve a challenge in a form. */
const CHALLENGES: readonly ErrorCode[] = ['challenge_required', 'challenge_invalid'];

const LIMIT_REACHED: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded'];

/** Refusals whose detail is for programs: names of limits, media types, and places in a body. */
const FOR_PROGRAMS: readonly ErrorCode[] = [
  ...LIMIT_REACHED,
  'payload_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'invalid_json',
];

/** Sentences of refusals in the language of the interface, one for every code. */
const REASONS: Readonly<Record<ErrorCode, string>> = errors;

/** Whether a limit is reached, which passes with time. */
export function isAtLimit({ code, retryAfterSeconds }: ShownRefusal): boolean {
  return CHALLENGES.includes(code) || (LIMIT_REACHED.includes(code) && retryAfterSeconds !== undefined);
}

export function refusalText({ code, detail, retryAfterSeconds }: ShownRefusal): string {
  if (CHALLENGES.includes(code)) return refusals.formAtItsLimit;
  const reason = isEnglish() && !FOR_PROGRAMS.includes(code) ? detail : REASONS[code];
  return LIMIT_REACHED.includes(code) && retryAfterSeconds !== undefined
    ? text(refusals.tryAgainIn, { reason, duration: durationText(retryAfterSeconds) })
    : reason;
}

function durationText(seconds: number): string {
  if (seconds < 60) return text(refusals.seconds, { count: seconds });
  if (seconds < 3_600) return text(refusals.minutes, { count: Math.ceil(seconds / 60) });
  return text(refusals.hours, { count: Math.ceil(seconds / 3_600) });
}
