import type { Fault } from '../gateway/result.ts';
import { INVOICE_QUANTITY_PREFIX, type PageProps } from '../http/on-demand-pages.ts';
import { LIMITS } from '../schemas/limits.ts';

type InvoiceProps = PageProps['invoice'];

/** A field about the buyer. */
interface BuyerField {
  readonly name: 'name' | 'email' | 'company' | 'address' | 'tax_id' | 'note';
  readonly label: string;
  readonly hint?: string;
  readonly autocomplete: 'name' | 'email' | 'organization' | 'street-address' | 'off';
  readonly maxLength: number;
  readonly isRequired?: true;
  /** Rows of a multi-line field. */
  readonly rows?: number;
}

export const BUYER_FIELDS: readonly BuyerField[] = [
  { name: 'name', label: 'Your name', autocomplete: 'name', maxLength: LIMITS.shortTextMaxLength, isRequired: true },
  { name: 'email', label: 'E-mail', hint: 'The invoice goes to this address.', autocomplete: 'email', maxLength: 254, isRequired: true },
  {
    name: 'company',
    label: 'Company',
    hint: 'Legal name of the buyer.',
    autocomplete: 'organization',
    maxLength: LIMITS.shortTextMaxLength,
  },
  { name: 'address', label: 'Postal address', autocomplete: 'street-address', maxLength: LIMITS.invoiceAddressMaxLength, rows: 4 },
  { name: 'tax_id', label: 'Tax number', hint: 'If you have one.', autocomplete: 'off', maxLength: LIMITS.shortTextMaxLength },
  {
    name: 'note',
    label: 'Note',
    hint: 'For example a purchase order number, or the start date of a subscription.',
    autocomplete: 'off',
    maxLength: LIMITS.invoiceNoteMaxLength,
    rows: 4,
  },
];

/** In the form, unlike in the request body, a quantity may be 0. */
const QUANTITY_FAULT = `must be a whole number from 1 to ${LIMITS.quantityMax}; 0 or nothing leaves the offer out`;

/** An offer of the form, with the name and the label of its quantity field. */
type QuantityField = InvoiceProps['offers'][number] & { readonly field: string; readonly label: string };

/** Offers that the form lists. Free ones need no invoice by themselves, so they are listed only if a quantity was filled in. */
export function quantityFields({ offers, values }: Pick<InvoiceProps, 'offers' | 'values'>): QuantityField[] {
  return offers
    .map((offer) => ({ ...offer, field: INVOICE_QUANTITY_PREFIX + offer.id, label: `Quantity of ${offer.name}` }))
    .filter(({ amountMinor, field }) => amountMinor > 0 || values[field] !== undefined);
}

/** Error messages by field. `faults` point into the request body; those of an offer that is not listed belong to the field `items`. */
export function faultsByField(
  faults: readonly Fault[],
  values: InvoiceProps['values'],
  listed: readonly QuantityField[],
): ReadonlyMap<string, string> {
  const sent = Object.entries(values).filter(([name, value]) => name.startsWith(INVOICE_QUANTITY_PREFIX) && !/^0+$/.test(value.trim()));
  const messages = new Map<string, string[]>();
  for (const { pointer, message } of faults) {
    const [, member = '', index] = pointer.split('/');
    const quantity = index === undefined ? undefined : sent[Number(index)]?.[0];
    const field = member !== 'items' ? member : (listed.find(({ field: name }) => name === quantity)?.field ?? 'items');
    const text = /^\/items\/\d+\/quantity$/.test(pointer) ? QUANTITY_FAULT : message;
    messages.set(field, [...(messages.get(field) ?? []), text]);
  }
  return new Map([...messages].map(([field, texts]) => [field, texts.join('; ')]));
}

/** Label of a field; `undefined` if the form does not have it. */
export function labelOf(field: string, listed: readonly QuantityField[]): string | undefined {
  if (field === 'items') return 'Items';
  return BUYER_FIELDS.find(({ name }) => name === field)?.label ?? listed.find((offer) => offer.field === field)?.label;
}
