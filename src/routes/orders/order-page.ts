import { priceText } from '../../gateway/orders/price-text.ts';
import type { Result } from '../../gateway/result.ts';
import type { OrderAnswer } from '../../schemas/orders.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { FilledPage, GatewayDependencies } from '../define-route.ts';
import { html, type Markup, type Piece } from '../http/html.ts';
import { band, bill, blankPage, contactText, DEMONSTRATION, facts, moment } from './page-parts.ts';

const STATES: Readonly<Record<OrderAnswer['state'], readonly [word: string, lead: string]>> = {
  confirmed: ['confirmed', 'The order is confirmed.'],
  partly_refunded: ['partly refunded', 'A part of the payment was given back.'],
  refunded: ['refunded', 'The whole payment was given back.'],
  new: ['waits for an answer', 'The request has arrived. The answer comes by e-mail.'],
  answered: ['answered', 'The request was answered by e-mail.'],
  closed: ['closed', 'The request is closed.'],
};

/** The page of an order or of a request for an invoice. */
export function orderPage(order: OrderAnswer, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const isOrder = order.kind === 'order';
  const [word, lead] = STATES[order.state];
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
  const body = html`${band(isOrder ? 'What you ordered' : 'What it is over', html`${order.demo ? DEMONSTRATION : undefined}${bill(lines, sums)}`)}
  ${deliveries(order)}
  ${band('What happens next', nextSteps(order))}
  ${band('Facts', facts(factsOf(order, word)))}
  ${band('Questions', contactText(order.contact.email))}`;
  return blankPage({ title: isOrder ? 'Your order' : 'Your request for an invoice', lead, body }, 'secret', deps);
}

/** What can be taken at once. */
function deliveries(order: OrderAnswer): Piece {
  if (order.kind !== 'order' || order.deliveries.length === 0) return undefined;
  return band(
    'Yours to take',
    html`<ul class="plain-list">${order.deliveries.map(({ title, url }) => html`<li><a href="${url}" rel="nofollow">${title}</a></li>`)}</ul>`,
  );
}

function factsOf(order: OrderAnswer, word: string): [string, Piece][] {
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

function nextSteps(order: OrderAnswer): Markup {
  if (order.kind === 'order' && order.state === 'refunded')
    return html`<p>${priceText(order.refunded_minor)} goes back to the means of payment that was used; how long that takes is up to the bank.</p>`;
  const names = new Map(order.lines.map(({ offer_id, name }) => [offer_id, name]));
  const steps = order.next.map(
    ({ offer_id, delivery, refund }) =>
      html`<div><dt>${names.get(offer_id)}</dt><dd><p>${delivery}</p><p class="small soft">Refund: ${refund}</p></dd></div>`,
  );
  const first =
    order.kind === 'order'
      ? undefined
      : html`<p>The invoice comes by e-mail, or a question if something is missing; <a href="${PATHS.invoice}">Buying on invoice</a> says how it goes on. Nothing is owed until you accept it. Once it is paid:</p>`;
  return html`${first}${steps.length === 0 ? html`<p>The publisher writes to you by e-mail.</p>` : html`<dl class="facts">${steps}</dl>`}`;
}
