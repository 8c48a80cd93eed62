import { errorEntry } from '../../gateway/errors.ts';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { findOffer } from '../../gateway/commerce/sessions/price-cart.ts';
import { readItems } from '../../gateway/commerce/catalog/permalink.ts';
import type { Refusal, Result } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { FilledPage } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { html } from '../../http/html.ts';
import { band, blankPage, contactText, reasonForPeople } from './page-parts.ts';

/**
 * The page of a cart that was refused: what is wrong with it, item by item, or that the service cannot answer now.
 *
 * @param items Items as the request named them, `review:2,digest:1`; empty where it named none in that form.
 */
export function refusedCartPage(refusal: Refusal, items: string, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const wanted = readItems(items);
  const today = dayOf(deps.clock.nowMs());
  const unknown = wanted.ok ? wanted.value.filter(({ id }) => findOffer(deps.deployment.offers, id, today) === undefined) : [];
  const faults =
    unknown.length > 0
      ? html`<ul class="plain-list">${unknown.map(({ id }) => html`<li><code>${id}</code> is no offer that is sold here.</li>`)}</ul>`
      : html`<p>${reasonForPeople(refusal)}</p>`;
  const isLater = errorEntry(refusal.code).retry === 'later' || reasonForPeople(refusal) !== refusal.detail;
  const body = html`${band('What is wrong', faults)}
  ${band('Where to go on', html`<p>Choose from the <a href="${PATHS.buy}">price list</a>, or ask for <a href="${PATHS.invoice}">an invoice</a>.</p>`)}
  ${band('Questions', contactText(deps.deployment.contactEmail))}`;
  return blankPage(
    { title: isLater ? 'This cannot be opened now' : 'This cart cannot be bought', lead: 'Nothing was charged.', body },
    'passing',
    deps,
  );
}
