import { readItems } from '../../gateway/commerce/catalog/permalink.ts';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import type { Refusal } from '../../gateway/result.ts';
import type { RefusedRequest } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { INVOICE_QUANTITY_PREFIX, type OnDemandPage, type PageProps } from '../../http/on-demand-pages.ts';
import { isSoldOn, type Offer, type QuoteOnlyOffer } from '../../schemas/commerce/offers.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

/** The page about invoices with its form, filled in with the valid items of the address. */
export function invoicePage(path: PageProps['invoice']['path'], query: URLSearchParams, deps: GatewayDependencies): OnDemandPage {
  const [text, ...further] = query.getAll('items');
  const isRepeated = further.length > 0;
  const items = text === undefined || isRepeated ? undefined : readItems(text);
  const offers = currentOffers(deps);
  const known = items?.ok ? items.value.filter(({ id, quantity }) => quantity <= LIMITS.quantityMax && findByName(offers, id)) : [];
  const isWhole = items === undefined || (items.ok && known.length === items.value.length);
  const itemsProblem = isRepeated ? 'repeated' : isWhole ? undefined : 'unknown';
  return {
    page: 'invoice',
    props: { path, offers, values: quantityFields(known, offers), ...(itemsProblem ? { itemsProblem } : {}) },
    ...(text === undefined ? {} : { visibility: 'unlisted' }),
  };
}

/** The page of a refused request, with everything that was typed. */
export function refusedInvoicePage(refusal: Refusal, { fields }: RefusedRequest, deps: GatewayDependencies): OnDemandPage {
  const { code, detail, errors: faults, retryAfterSeconds } = refusal;
  const values = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  return {
    page: 'invoice',
    props: {
      path: PATHS.invoice,
      offers: currentOffers(deps),
      values,
      refusal: { code, detail, ...(faults ? { faults } : {}), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
    },
    visibility: 'unlisted',
  };
}

/** The members of the body for the fields of the form. A quantity that is not a number stays as typed, and is refused. */
export function readInvoiceForm(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const items: { id: string; quantity: unknown }[] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith(INVOICE_QUANTITY_PREFIX)) rest.push([name, value]);
    else {
      const typed = String(value).trim();
      const isZero = /^0+$/.test(typed);
      if (!isZero)
        items.push({ id: name.slice(INVOICE_QUANTITY_PREFIX.length), quantity: /^\d{1,6}$/.test(typed) ? Number(typed) : typed });
    }
  }
  return { ...Object.fromEntries(rest), items };
}

/** Fields of the form with quantities filled in. */
function quantityFields(items: readonly { readonly id: string; readonly quantity: number }[], offers: readonly InvoicedOffer[]) {
  const quantities = new Map<string, number>();
  for (const { id, quantity } of items) {
    const name = INVOICE_QUANTITY_PREFIX + (findByName(offers, id)?.id ?? id);
    quantities.set(name, (quantities.get(name) ?? 0) + quantity);
  }
  return Object.fromEntries([...quantities].map(([name, quantity]) => [name, String(quantity)]));
}

function findByName(offers: readonly InvoicedOffer[], name: string): InvoicedOffer | undefined {
  return offers.find(({ id, aliases }) => id === name || aliases.includes(name));
}

type InvoicedOffer = Offer | QuoteOnlyOffer;

function currentOffers({ deployment: { offers, quoteOnlyOffers = [] }, clock }: GatewayDependencies): readonly InvoicedOffer[] {
  const today = dayOf(clock.nowMs());
  return [...offers, ...quoteOnlyOffers].filter((offer) => isSoldOn(offer, today));
}
