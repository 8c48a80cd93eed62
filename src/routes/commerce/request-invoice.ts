import * as z from 'zod';
import { describeInvoiceRequest } from '../../gateway/commerce/orders/describe-order.ts';
import { requestInvoice } from '../../gateway/commerce/orders/request-invoice.ts';
import { ANYBODY } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonResponse, pageResponse } from '../../http/define-route.ts';
import { CHALLENGE_SOLUTION, idempotencyKey } from '../../http/route-headers.ts';
import { InvoiceRequest, InvoiceRequestBody } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { INVOICE_REQUESTS_PATH, orderPath, PATHS } from '../../schemas/paths.ts';
import { ItemsText, itemsOnce } from './checkout-page.ts';
import { invoicePage, readInvoiceForm, refusedInvoicePage } from './invoice-page.ts';

const InvoiceFormParameters = z.looseObject({
  items: ItemsText.optional().describe('Offers to fill in, as in a cart: "<offer id>:<quantity>", separated by commas.'),
});

export const openInvoiceFormRoute = defineRoute({
  id: 'openInvoiceForm',
  feature: 'shop',
  method: 'GET',
  path: PATHS.invoice,
  summary: 'View the invoice form',
  description: 'The page about buying on invoice, with a form that works without JavaScript; "items" fills it in.',
  capability: 'commerce',
  access: 'open',
  queryParameters: InvoiceFormParameters,
  forwardsParameters: true,
  responses: [pageResponse()],
  rateLimit: 'network',
  refusalPage: (refusal, request, deps) =>
    refusal.code === 'invalid_request' ? invoicePage(PATHS.invoice, request.query, deps) : refusedInvoicePage(refusal, request, deps),
  handle: async ({ rawQuery }, deps) => {
    const once = itemsOnce(rawQuery);
    return once.ok ? ok({ kind: 'page', ...invoicePage(PATHS.invoice, rawQuery, deps) }) : once;
  },
});

export const requestInvoiceRoute = defineRoute({
  id: 'requestInvoice',
  feature: 'shop',
  method: 'POST',
  path: INVOICE_REQUESTS_PATH,
  summary: 'Request an invoice',
  description:
    'Requests an invoice for offers at catalog prices; the publisher replies by e-mail. The same request within a day, or with the same Idempotency-Key, takes effect once and has one receipt. A form names quantities as "quantity.<offer id>" and is redirected with 303 to the page of the receipt; browsers get the form back with its errors.',
  capability: 'commerce',
  access: 'open',
  headers: [
    CHALLENGE_SOLUTION,
    idempotencyKey(
      `Text of at least ${LIMITS.idempotencyKeyMinLength} characters, such as a UUID, that distinguishes this request from another with the same content.`,
    ),
  ],
  keyScope: () => ({ caller: ANYBODY, endpoint: 'requestInvoice' }),
  body: InvoiceRequestBody,
  bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
  readForm: readInvoiceForm,
  responses: [
    jsonResponse('The request is stored.', InvoiceRequest, 201),
    { status: 303, description: 'The page of the receipt, after a form.' },
  ],
  needs: ['secrets', 'orders', 'quotas'],
  errors: ['offer_not_found', 'cart_refused', 'idempotency_conflict', 'quota_exceeded', 'state_unavailable'],
  rateLimit: 'invoice',
  refusalPage: refusedInvoicePage,
  handle: async ({ body, idempotencyKey: key, network, bindKey, isForm }, deps) => {
    const { commerce, deployment, secrets, quotas, clock } = deps;
    const stored = await requestInvoice(
      body,
      { network, idempotencyKey: key, bindKey },
      { deployment, invoices: commerce.invoices, secrets, quotas, clock },
    );
    if (!stored.ok) return stored;
    const described = describeInvoiceRequest(stored.value, deployment);
    if (isForm) return ok({ kind: 'redirect', status: 303, location: described.url });
    return ok({ kind: 'json', status: 201, value: described, headers: { Location: deployment.baseUrl + orderPath(stored.value.receipt) } });
  },
});
