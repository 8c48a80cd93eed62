import { priceText, formatBillingInterval } from '../../gateway/commerce/sessions/price-cart.ts';
import type { Fault } from '../../gateway/list-faults.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { html, type Markup, type Piece } from '../../http/html.ts';

/** Fields of the form with what stands in them, as text. */
export type TypedFields = Readonly<Record<string, string>>;

/** Name of the field with the quantity of an offer begins so; the id of the offer follows. */
const QUANTITY_PREFIX = 'quantity.';

interface Field {
  readonly name: 'name' | 'email' | 'company' | 'address' | 'tax_id' | 'note';
  readonly label: string;
  readonly hint?: string;
  readonly autocomplete: string;
  readonly maxLength: number;
  readonly isRequired?: true;
  /** Lines of a field for longer text. */
  readonly rows?: number;
}

const FIELDS: readonly Field[] = [
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
  { name: 'tax_id', label: 'Tax number', hint: 'Where one applies.', autocomplete: 'off', maxLength: LIMITS.shortTextMaxLength },
  {
    name: 'note',
    label: 'Note',
    hint: 'For instance a purchase order number, or the day a subscription shall start.',
    autocomplete: 'off',
    maxLength: LIMITS.invoiceNoteMaxLength,
    rows: 4,
  },
];

/** What a quantity of the form has to be: unlike one of the body, it may be none, which leaves its offer out. */
const QUANTITY = `must be a whole number from 1 to ${LIMITS.quantityMax}; 0 or nothing leaves the offer out`;

/** Members of the body that the fields of the form stand for. What is no number stays as it was typed, to be refused. */
export function readInvoiceForm(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { items, rest } = split(fields);
  return { ...rest, items: items.map(({ id, typed }) => ({ id, quantity: /^\d{1,6}$/.test(typed) ? Number(typed) : typed })) };
}

function split(fields: Readonly<Record<string, unknown>>): { items: { id: string; typed: string }[]; rest: Record<string, unknown> } {
  const items: { id: string; typed: string }[] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith(QUANTITY_PREFIX)) rest.push([name, value]);
    else if (!/^0+$/.test(String(value).trim())) items.push({ id: name.slice(QUANTITY_PREFIX.length), typed: String(value).trim() });
  }
  return { items, rest: Object.fromEntries(rest) };
}

/** What stands in the fields of a form that was sent. */
export function typedFields(fields: Readonly<Record<string, unknown>>): TypedFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/** Fields with items filled in. */
export function prefilled(items: readonly { readonly id: string; readonly quantity: number }[], offers: readonly Offer[]): TypedFields {
  const quantities = new Map<string, number>();
  for (const { id, quantity } of items) {
    const offer = offers.find((one) => one.id === id || one.aliases.includes(id));
    if (offer) quantities.set(offer.id, (quantities.get(offer.id) ?? 0) + quantity);
  }
  return Object.fromEntries([...quantities].map(([id, quantity]) => [QUANTITY_PREFIX + id, String(quantity)]));
}

/**
 * The form, with what was typed and what is wrong with it beside the fields.
 *
 * @param faults As a refusal lists them: pointers into the body that {@link readInvoiceForm} made of the fields.
 */
export function invoiceForm(offers: readonly Offer[], action: string, typed: TypedFields = {}, faults: readonly Fault[] = []): Markup {
  // What is free needs no invoice by itself, and stands on one that the address or the sender named it for.
  const shown = offers.filter(({ id, amountMinor }) => amountMinor > 0 || typed[QUANTITY_PREFIX + id] !== undefined);
  const { items } = split(typed);
  const problems = new Map<string, string[]>();
  for (const { pointer, message } of faults) {
    const place = placeOf(
      pointer,
      items.map(({ id }) => id),
      shown,
    );
    problems.set(place, [...(problems.get(place) ?? []), /^\/items\/\d+\/quantity$/.test(pointer) ? QUANTITY : message]);
  }
  return html`${summary(problems, shown)}
  <form class="form" method="post" action="${action}" accept-charset="utf-8">
    <fieldset id="items" tabindex="-1" ${described('items', problems.has('items') ? ['items-fault'] : [])}>
      <legend>What the invoice is over</legend>
      ${fault('items', 'Items', problems)}
      <ul class="prices quantities">${shown.map((offer) => quantityField(offer, typed, problems))}</ul>
      <p class="small soft">Leave empty what is not to be on the invoice. The <a href="${PATHS.pricing}">prices</a> say what each offer includes.</p>
    </fieldset>
    <fieldset>
      <legend>Who asks for it</legend>
      ${FIELDS.map((field) => textField(field, typed, problems))}
    </fieldset>
    ${shown.every(({ demo }) => demo) ? html`<p class="small"><strong>Demonstration.</strong> The request is stored and gets a page of its own. No invoice is made.</p>` : undefined}
    <p class="small soft">Sending this form buys nothing: nothing is owed until an invoice is accepted.</p>
    <p><button class="button" type="submit">Ask for the invoice</button></p>
  </form>`;
}

/** The field that a fault belongs to. What is wrong with an offer that the form does not show stands above the list. */
function placeOf(pointer: string, ids: readonly string[], shown: readonly Offer[]): string {
  const [, member = '', index] = pointer.split('/');
  if (member !== 'items') return member;
  const id = index === undefined ? undefined : ids[Number(index)];
  return shown.some((offer) => offer.id === id) ? QUANTITY_PREFIX + id : 'items';
}

/** Every fault with a link to its field. */
function summary(problems: ReadonlyMap<string, readonly string[]>, shown: readonly Offer[]): Piece {
  if (problems.size === 0) return undefined;
  const entries = [...problems].map(([place, messages]) => {
    const label = labelOf(place, shown);
    return label === undefined
      ? html`<li>A field that the form does not have ${messages.join('; ')}.</li>`
      : html`<li><a href="#${place}">${label}</a> ${messages.join('; ')}.</li>`;
  });
  return html`<div class="banner retracted" role="alert"><p><strong>The request was not sent.</strong> <span>What you typed is still here.</span></p><ul class="plain-list">${entries}</ul></div>`;
}

function labelOf(place: string, shown: readonly Offer[]): string | undefined {
  if (place === 'items') return 'Items';
  return FIELDS.find(({ name }) => name === place)?.label ?? quantityLabel(shown.find(({ id }) => QUANTITY_PREFIX + id === place));
}

function quantityLabel(offer: Offer | undefined): string | undefined {
  return offer && `Quantity of ${offer.name}`;
}

function quantityField(
  { id, name, amountMinor, cadence }: Offer,
  typed: TypedFields,
  problems: ReadonlyMap<string, readonly string[]>,
): Markup {
  const field = QUANTITY_PREFIX + id;
  return html`<li>
    <p class="price-line"><span><label for="${field}"><span class="unseen">Quantity of </span>${name}</label></span>
    <span class="price"><b>${amountMinor === 0 ? 'Free' : priceText(amountMinor)}</b>${formatBillingInterval(cadence)} <span aria-hidden="true">×</span> <input id="${field}" name="${field}" type="number" inputmode="numeric" min="0" max="${LIMITS.quantityMax}" step="1" value="${typed[field] ?? ''}" ${described(field, problems.has(field) ? [`${field}-fault`] : [])} /></span></p>
    ${fault(field, `Quantity of ${name}`, problems)}
  </li>`;
}

function textField(field: Field, typed: TypedFields, problems: ReadonlyMap<string, readonly string[]>): Markup {
  const { name, label, hint, autocomplete, maxLength, isRequired, rows } = field;
  const notes = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problems.has(name) ? [`${name}-fault`] : [])];
  const rest = html`id="${name}" name="${name}" maxlength="${maxLength}" autocomplete="${autocomplete}" ${isRequired ? html`required` : undefined} ${described(name, notes)}`;
  const value = typed[name] ?? '';
  return html`<div class="field">
    <label for="${name}">${label}${isRequired ? undefined : html` <span class="soft">(optional)</span>`}</label>
    ${hint === undefined ? undefined : html`<p id="${name}-hint" class="small soft">${hint}</p>`}
    ${fault(name, label, problems)}
    ${
      rows === undefined
        ? html`<input type="${name === 'email' ? 'email' : 'text'}" value="${value}" ${rest} />`
        : html`<textarea rows="${rows}" ${rest}>
${value}</textarea>`
    }
  </div>`;
}

/** What describes a field, and whether something is wrong with it. */
function described(place: string, notes: readonly string[]): Piece {
  if (notes.length === 0) return undefined;
  const invalid = notes.includes(`${place}-fault`) && place !== 'items' ? html`aria-invalid="true"` : undefined;
  return html`aria-describedby="${notes.join(' ')}" ${invalid}`;
}

function fault(place: string, label: string, problems: ReadonlyMap<string, readonly string[]>): Piece {
  const messages = problems.get(place);
  return messages === undefined ? undefined : html`<p id="${place}-fault" class="fault">${label} ${messages.join('; ')}.</p>`;
}
