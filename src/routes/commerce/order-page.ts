import { priceText } from '../../gateway/commerce/sessions/price-cart.ts';
import type { Result } from '../../gateway/result.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import type { OrderResponse } from '../../schemas/commerce/orders.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { FilledPage } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { html, type Markup, type Piece } from '../../http/html.ts';
import { band, bill, blankPage, contactText, demonstration, demoShare, facts, moment } from './page-parts.ts';

const STATES: Readonly<Record<OrderResponse['state'], readonly [word: string, lead: string]>> = {
  confirmed: ['confirmed', 'The order is confirmed.'],
  partly_refunded: ['partly refunded', 'A part of the payment was given back.'],
  refunded: ['refunded', 'The whole payment was given back.'],
  new: ['waits for an answer', 'The request has arrived. The answer comes by e-mail.'],
  answered: ['answered', 'The request was answered by e-mail.'],
  closed: ['closed', 'The request is closed.'],
};

/** What is said otherwise of a demonstration, for which no money moves and no invoice is made. */
const DEMO_STATES: Partial<typeof STATES> = {
  partly_refunded: ['partly refunded', 'A part of the order is marked as given back.'],
  refunded: ['refunded', 'The whole order is marked as given back.'],
  new: ['stored', 'The request is stored. No invoice is made, because everything in it is a demonstration.'],
};

/** The page of an order or of a request for an invoice. */
export function orderPage(order: OrderResponse, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const isOrder = order.kind === 'order';
  const demos = demosOf(order, deps.deployment.offers);
  const isDemo = demoShare(demos) === 'all';
  const [word, lead] = (isDemo ? DEMO_STATES[order.state] : undefined) ?? STATES[order.state];
  const lines = order.lines.map((line) => ({
    offerId: line.offer_id,
    name: line.name,
    unitMinor: line.unit_minor,
    quantity: line.quantity,
    ...('cadence' in line ? { cadence: line.cadence } : {}),
  }));
  const refunded = isOrder ? order.refunded_minor : 0;
  const sums: [string, number][] = [
    [isOrder ? 'Total' : 'Total at list price', order.total_minor],
    ...(refunded > 0 ? ([['Given back', refunded]] as [string, number][]) : []),
  ];
  const body = html`${band(isOrder ? 'What you ordered' : 'What it is over', html`${demonstration(demos)}${bill(lines, sums)}`)}
  ${deliveries(order)}
  ${band('What happens next', nextSteps(order, isDemo))}
  ${band('Facts', facts(factsOf(order, word)))}
  ${band('Questions', contactText(order.contact.email))}`;
  return blankPage({ title: isOrder ? 'Your order' : 'Your request for an invoice', lead, body }, 'secret', deps);
}

/** Which lines are demonstrations. An order says so of itself; of its lines the catalog of today knows more, as far as it still has them. */
function demosOf(order: OrderResponse, offers: readonly Offer[]): { readonly demo: boolean }[] {
  const isSold = ({ offer_id: id }: { readonly offer_id: string }): boolean => offers.some((offer) => offer.id === id && !offer.demo);
  const areAll = order.lines.every(isSold);
  return order.lines.map((line) => ({ demo: order.demo && (areAll || !isSold(line)) }));
}

/** What can be taken at once. */
function deliveries(order: OrderResponse): Piece {
  if (order.kind !== 'order' || order.deliveries.length === 0) return undefined;
  return band(
    'Yours to take',
    html`<ul class="plain-list">${order.deliveries.map(({ title, url }) => html`<li><a href="${url}" rel="nofollow">${title}</a></li>`)}</ul>`,
  );
}

function factsOf(order: OrderResponse, word: string): [string, Piece][] {
  return [
    ['State', word],
    ...(order.kind === 'order' ? ([['Order', html`<code>${order.id}</code>`]] as [string, Piece][]) : []),
    ['Made', moment(order.created_at)],
    ...(order.updated_at === order.created_at ? [] : ([['Last changed', moment(order.updated_at)]] as [string, Piece][])),
    [
      'This address',
      html`<span class="address"><code>${order.url}</code></span><br /><span class="small soft">Keep it, and show it to nobody else: it is the key to this page.</span>`,
    ],
  ];
}

function nextSteps(order: OrderResponse, isDemo: boolean): Markup {
  if (order.kind === 'order' && order.state === 'refunded')
    return isDemo
      ? html`<p>Nothing: in a demonstration no money moves. Otherwise ${priceText(order.refunded_minor)} would go back to the means of payment that was used.</p>`
      : html`<p>${priceText(order.refunded_minor)} goes back to the means of payment that was used; how long that takes is up to the bank.</p>`;
  const names = new Map(order.lines.map(({ offer_id, name }) => [offer_id, name]));
  const steps = order.next.map(
    ({ offer_id, delivery, refund }) =>
      html`<div><dt>${names.get(offer_id)}</dt><dd><p>${delivery}</p><p class="small soft">Refund: ${refund}</p></dd></div>`,
  );
  return html`${beforeSteps(order, isDemo)}${steps.length === 0 ? undefined : html`<dl class="facts more">${steps}</dl>`}`;
}

/** What comes before the steps that the offers describe, or all that comes where none of them is sold any more. */
function beforeSteps(order: OrderResponse, isDemo: boolean): Markup {
  const hasSteps = order.next.length > 0;
  const following = hasSteps
    ? order.kind === 'order'
      ? ' If it were none, this would follow:'
      : ' Once one is paid, this follows:'
    : undefined;
  const way = html`<a href="${PATHS.invoice}">Buying on invoice</a> says how it goes on`;
  if (order.kind === 'order')
    return isDemo
      ? html`<p>Nobody works for a demonstration.${following}</p>`
      : html`${hasSteps ? undefined : html`<p>The publisher writes to you by e-mail.</p>`}`;
  return isDemo
    ? html`<p>No invoice comes for a demonstration. ${way} with offers that are sold.${following}</p>`
    : html`<p>The invoice comes by e-mail, or a question if something is missing; ${way}. Nothing is owed until you accept it.${hasSteps ? ' Once it is paid:' : undefined}</p>`;
}
