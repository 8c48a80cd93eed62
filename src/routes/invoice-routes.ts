import * as z from 'zod';
import { QUANTITY_PREFIX, readCart, type SentCart } from '../gateway/commerce/cart/permalink.ts';
import { hasId, namedOffer, refuseUnsold, refuseUnsoldItems } from '../gateway/commerce/catalog/find-offer.ts';
import { describeInvoiceRequest } from '../gateway/commerce/orders/describe-order.ts';
import { requestInvoice } from '../gateway/commerce/orders/request-invoice.ts';
import { ANYBODY } from '../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Refusal, type Result } from '../gateway/result.ts';
import {
  CHALLENGE_SOLUTION,
  defineRoute,
  FORM_BODY_LIMITS,
  idempotencyKey,
  jsonResponse,
  type Outcome,
  pageResponse,
  type RefusedRequest,
} from '../http/define-route.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import { type OnDemandPage, type PageProps, refusedForm, type WrongItem } from '../http/on-demand-page-props.ts';
import { isSoldOn } from '../schemas/commerce/currency-and-availability.ts';
import type { Offer, QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import { InvoiceRequest, InvoiceRequestBody } from '../schemas/commerce/orders.ts';
import { LIMITS } from '../schemas/limits.ts';
import { INVOICE_REQUESTS_PATH, orderPath, PATHS } from '../schemas/paths.ts';
import { dayOf } from '../schemas/time.ts';
import { SHOP_ROUTE } from './order-routes.ts';

export const ItemsText = z
  .string()
  .max(LIMITS.cartTextMaxLength)
  .describe(`Offers with quantities from 1 to ${LIMITS.quantityMax}: "<offer id>:<quantity>", separated by commas.`);

/** What an address names that cannot be in a cart: a quantity out of bounds, no offer, or one that cannot be bought today. */
export function wrongItemsOf({ items, wrong }: SentCart, { deployment, clock }: GatewayDependencies, mayBeQuoted: boolean): WrongItem[] {
  const today = dayOf(clock.nowMs());
  return [
    ...wrong.map(({ id, value }) => {
      const offer = namedOffer(id, deployment)?.name;
      return offer === undefined ? { offer: id } : { offer, quantity: value };
    }),
    ...items.flatMap(({ id }): WrongItem | [] => {
      const offer = namedOffer(id, deployment);
      if (offer === undefined) return { offer: id };
      const refusal = refuseUnsold(offer, today, mayBeQuoted);
      return refusal === undefined ? [] : { offer: offer.name, refusal: { code: refusal.code, detail: refusal.detail } };
    }),
  ];
}

const InvoiceFormParameters = z.looseObject({
  items: ItemsText.optional().describe('Offers to fill in, as in a cart: "<offer id>:<quantity>", separated by commas.'),
});

export const openInvoiceFormRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'openInvoiceForm',
  path: PATHS.invoice,
  summary: 'View the invoice form',
  description:
    'The page about buying on invoice, with a form that works without JavaScript; "items" fills it in. Where an item is not sold or its quantity is wrong, browsers get the form with what is wrong above it, and the status of the error.',
  queryParameters: InvoiceFormParameters,
  forwardsParameters: true,
  responses: [pageResponse()],
  errors: ['offer_not_found'],
  refusalPage: refusedInvoicePage,
  handle: async ({ rawQuery }, deps) => openInvoicePage(PATHS.invoice, rawQuery, deps),
});

type InvoicePath = PageProps['invoice']['path'];

export function openInvoicePage(path: InvoicePath, query: URLSearchParams, deps: GatewayDependencies): Result<Outcome> {
  const { items, refusal } = readCart(query);
  if (refusal !== undefined) return { ok: false, refusal };
  return (
    refuseUnsoldItems(items, deps.deployment, dayOf(deps.clock.nowMs()), true) ?? ok({ kind: 'page', ...invoicePage(path, query, deps) })
  );
}

export const requestInvoiceRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'requestInvoice',
  method: 'POST',
  path: INVOICE_REQUESTS_PATH,
  formPath: PATHS.invoice,
  summary: 'Request an invoice',
  description:
    'Requests an invoice for offers at catalog prices; the publisher replies by e-mail. The same request within a day, or with the same Idempotency-Key, takes effect once and has one receipt. A form names quantities as "quantity.<offer id>" and is redirected with 303 to the page of the receipt; browsers get the form back with its errors.',
  headers: [
    CHALLENGE_SOLUTION,
    idempotencyKey(
      `Text of at least ${LIMITS.idempotencyKeyMinLength} characters, such as a UUID, that distinguishes this request from another with the same content.`,
    ),
  ],
  keyScope: () => ({ caller: ANYBODY, endpoint: 'requestInvoice' }),
  body: InvoiceRequestBody,
  bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
  bodyLimits: FORM_BODY_LIMITS,
  readForm: readInvoiceForm,
  responses: [
    jsonResponse('The request is stored.', InvoiceRequest, 201),
    { status: 303, description: 'The page of the receipt, after a form.' },
  ],
  needs: ['secrets', 'orders', 'quotas'],
  errors: ['offer_not_found', 'cart_refused', 'idempotency_conflict', 'quota_exceeded', 'state_unavailable'],
  rateLimit: 'invoice',
  refusalPage: refusedInvoicePage,
  handle: async ({ body, idempotencyKey, network, bindKey, isForm }, deps) => {
    const { commerce, deployment } = deps;
    const stored = await requestInvoice(body, { network, idempotencyKey, bindKey }, { ...deps, invoices: commerce.invoices });
    if (!stored.ok) return stored;
    const described = describeInvoiceRequest(stored.value, deployment);
    if (isForm) return ok({ kind: 'redirect', status: 303, location: described.url });
    return ok({ kind: 'json', status: 201, value: described, headers: { Location: deployment.baseUrl + orderPath(stored.value.receipt) } });
  },
});

function invoicePage(path: InvoicePath, query: URLSearchParams, deps: GatewayDependencies, itemsRefusal?: Refusal): OnDemandPage {
  const offers = currentOffers(deps);
  const cart = readCart(query);
  const known = cart.items.filter(({ id }) => offers.some((offer) => hasId(offer, id)));
  const wrongItems = wrongItemsOf(cart, deps, true);
  return {
    page: 'invoice',
    props: { path, offers, values: quantityFields(known, offers), wrongItems, ...(itemsRefusal ? { itemsRefusal } : {}) },
    ...(cart.items.length === 0 && itemsRefusal === undefined && !query.has('items') ? {} : { visibility: 'unlisted' }),
  };
}

export function refusedInvoicePage(refusal: Refusal, request: RefusedRequest, deps: GatewayDependencies): OnDemandPage {
  const { method, query, fields } = request;
  const path = request.path === PATHS.buyInvoice ? PATHS.buyInvoice : PATHS.invoice;
  if (method !== 'POST' && ['invalid_request', 'offer_not_found'].includes(refusal.code)) return invoicePage(path, query, deps, refusal);
  return {
    page: 'invoice',
    props: { path, offers: currentOffers(deps), ...refusedForm(refusal, fields) },
    visibility: 'unlisted',
  };
}

/** The members of the body for the fields of the form. A quantity that is not a number stays as typed, and is refused. */
export function readInvoiceForm(fields: Readonly<Record<string, unknown>>): {
  items: { id: string; quantity: unknown }[];
  [field: string]: unknown;
} {
  const isQuantity = ([name]: [string, unknown]): boolean => name.startsWith(QUANTITY_PREFIX);
  const entries = Object.entries(fields);
  const items = entries.filter(isQuantity).flatMap(([name, value]) => {
    const typed = String(value).trim();
    const quantity = /^\d{1,6}$/.test(typed) ? Number(typed) : typed;
    return /^0+$/.test(typed) ? [] : [{ id: name.slice(QUANTITY_PREFIX.length), quantity }];
  });
  return { ...Object.fromEntries(entries.filter((entry) => !isQuantity(entry))), items };
}

function quantityFields(items: readonly { readonly id: string; readonly quantity: number }[], offers: readonly InvoicedOffer[]) {
  const quantities = new Map<string, number>();
  for (const { id, quantity } of items) {
    const name = QUANTITY_PREFIX + (offers.find((offer) => hasId(offer, id))?.id ?? id);
    quantities.set(name, (quantities.get(name) ?? 0) + quantity);
  }
  return Object.fromEntries([...quantities].map(([name, quantity]) => [name, String(quantity)]));
}

type InvoicedOffer = Offer | QuoteOnlyOffer;

function currentOffers({ deployment: { offers, quoteOnlyOffers = [] }, clock }: GatewayDependencies): readonly InvoicedOffer[] {
  const today = dayOf(clock.nowMs());
  return [...offers, ...quoteOnlyOffers].filter((offer) => isSoldOn(offer, today));
}
