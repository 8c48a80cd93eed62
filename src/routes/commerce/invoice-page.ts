import { readItems } from '../../gateway/commerce/catalog/permalink.ts';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import type { Refusal, Result } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { FilledPage, RefusedRequest } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { fillPage } from '../../http/fill-page.ts';
import { html } from '../../http/html.ts';
import { invoiceForm, prefilled, typedFields } from './invoice-form.ts';
import { contactText, reasonForPeople } from './page-parts.ts';

/** Where the form is sent to. */
export const INVOICE_REQUESTS = `${PATHS.commerceApi}/invoice-requests`;

/** The page about invoices with its form, filled in with the items that its address names as far as they can be read. */
export function invoicePage(path: string, query: URLSearchParams, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const [asked, ...further] = query.getAll('items');
  const isTwice = further.length > 0;
  const items = asked === undefined || isTwice ? undefined : readItems(asked);
  const offers = offersOf(deps);
  const known = items?.ok
    ? items.value.filter(
        ({ id, quantity }) => quantity <= LIMITS.quantityMax && offers.some((offer) => offer.id === id || offer.aliases.includes(id)),
      )
    : [];
  const isWhole = items === undefined ? !isTwice : items.ok && known.length === items.value.length;
  const fault = isTwice ? 'The address names its items twice.' : 'The address names something that is not sold here, or not so often.';
  const form = html`${isWhole ? undefined : html`<p class="banner superseded"><strong>${fault}</strong> <span>Choose from the list, at most ${LIMITS.quantityMax} pieces of an offer.</span></p>`}
  ${invoiceForm(offers, INVOICE_REQUESTS, prefilled(known, offers))}`;
  return fillPage(path, { slots: { form }, formTargets: ["'self'"], ...(asked === undefined ? {} : { kind: 'passing' as const }) }, deps);
}

/** The page of a request that was refused, with everything that was typed. */
export function refusedInvoicePage(refusal: Refusal, { fields }: RefusedRequest, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const isAboutFields = refusal.errors !== undefined;
  const form = html`${isAboutFields ? undefined : html`<div class="banner retracted" role="alert"><p><strong>The request was not sent.</strong></p><p>${reasonForPeople(refusal)} What you typed is still here, or one step back in your browser.</p>${contactText(deps.deployment.contactEmail)}</div>`}
  ${invoiceForm(offersOf(deps), INVOICE_REQUESTS, typedFields(fields), refusal.errors)}`;
  return fillPage(PATHS.invoice, { title: 'The request was not sent', slots: { form }, formTargets: ["'self'"], kind: 'passing' }, deps);
}

function offersOf({ deployment, clock }: GatewayDependencies) {
  const today = dayOf(clock.nowMs());
  return deployment.offers.filter(({ validUntil }) => today <= validUntil);
}
