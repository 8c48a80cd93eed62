import type { InvoiceRequestRecord } from '../gateway/orders/invoice-ports.ts';
import { type Order, refundStateOf } from '../gateway/orders/order.ts';
import { priceText } from '../gateway/orders/price-text.ts';
import type { Puzzles } from '../platform/d1/order-lists.ts';
import { terminalBlock, terminalLine } from './intake/terminal-text.ts';

/** What became of the money of an order, in a word or two. */
const REFUNDS = { none: '', part: '  partly refunded', all: '  refunded' } as const;

/** What is to be done about a message that could not be applied. */
const OUTCOMES: Readonly<Record<string, string>> = {
  no_session: 'was paid for no session of this service',
  already_paid: 'was paid for a session that was paid before: give it back at the processor',
  session_canceled: 'was paid for a session that was canceled: give it back at the processor',
  amount_differs: 'was paid with another amount than the session costs',
  waiting: 'was given back, and no order has this payment',
};

/** A moment to the minute, in UTC. */
export function moment(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** An order on one line. What buyers wrote is quoted: it is theirs. */
export function orderLine(order: Order): string {
  const { id, createdAtMs, totalMinor, channel, lines, buyer } = order;
  const what = lines.map(({ offerId, quantity }) => (quantity === 1 ? offerId : `${quantity} ${offerId}`)).join(', ');
  const who = buyer?.email === undefined ? '' : `  ${quoted(buyer.email)}`;
  return `${id}  ${moment(createdAtMs)}  ${priceText(totalMinor)}  ${channel}  ${what}${who}${REFUNDS[refundStateOf(order)]}${isDemo(order) ? '  demo' : ''}`;
}

/** Everything about an order. */
export function describeOrderFully(order: Order): string[] {
  const { buyer, notifyUrl, paymentReference } = order;
  return [
    order.id,
    `  receipt   ${order.receipt}`,
    `  session   ${order.sessionId}, by ${order.channel}, of ${terminalLine(order.owner)}`,
    `  made      ${moment(order.createdAtMs)}${order.updatedAtMs === order.createdAtMs ? '' : `, changed ${moment(order.updatedAtMs)}`}`,
    ...order.lines.map(
      ({ quantity, offerId, unitMinor, cadence, demo }) =>
        `  line      ${quantity} × ${offerId} at ${priceText(unitMinor)}, ${cadence}${demo ? ', a demonstration' : ''}`,
    ),
    `  total     ${priceText(order.totalMinor)}${order.refundedMinor === 0 ? '' : `, of which ${priceText(order.refundedMinor)} given back`}`,
    `  payment   ${paymentReference === undefined ? 'none' : terminalLine(paymentReference)}`,
    ...(buyer?.name === undefined ? [] : [`  name      ${quoted(buyer.name)}`]),
    ...(buyer?.email === undefined ? [] : [`  e-mail    ${quoted(buyer.email)}`]),
    ...(notifyUrl === undefined ? [] : [`  notices   ${quoted(notifyUrl)}`]),
  ];
}

/** A request for an invoice on one line. */
export function invoiceLine({ receipt, createdAtMs, totalMinor, state, items, email }: InvoiceRequestRecord): string {
  return `${receipt}  ${moment(createdAtMs)}  ${state.padEnd(8)}  ${priceText(totalMinor)}  ${items.map(({ offerId, quantity }) => `${quantity} ${offerId}`).join(', ')}  ${quoted(email)}`;
}

/** Everything about a request for an invoice. */
export function describeInvoice(request: InvoiceRequestRecord): string[] {
  const { name, email, company, taxId, address, note } = request;
  return [
    `${request.receipt}  ${request.state}`,
    `  made      ${moment(request.createdAtMs)}${request.updatedAtMs === request.createdAtMs ? '' : `, changed ${moment(request.updatedAtMs)}`}`,
    ...request.items.map(({ quantity, offerId, unitMinor }) => `  item      ${quantity} × ${offerId} at ${priceText(unitMinor)}`),
    `  total     ${priceText(request.totalMinor)}`,
    `  name      ${quoted(name)}`,
    `  e-mail    ${quoted(email)}`,
    ...(company === undefined ? [] : [`  company   ${quoted(company)}`]),
    ...(taxId === undefined ? [] : [`  tax       ${quoted(taxId)}`]),
    ...(address === undefined ? [] : ['  address', terminalBlock(address)]),
    ...(note === undefined ? [] : ['  note', terminalBlock(note)]),
  ];
}

/** What needs a look, under a heading; no lines if nothing does. */
export function puzzleLines({ events, charging, givenUp, newInvoiceRequests }: Puzzles): string[] {
  const lines = [
    ...events.map(
      ({ id, receivedAtMs, paymentReference, amountMinor, sessionId, outcome }) =>
        `  ${terminalLine(id)}  ${moment(receivedAtMs)}  ${amountMinor === undefined ? '' : `${priceText(amountMinor)} `}${OUTCOMES[outcome] ?? terminalLine(outcome)}${paymentReference === undefined ? '' : `  ${terminalLine(paymentReference)}`}${sessionId === undefined ? '' : `  ${terminalLine(sessionId)}`}`,
    ),
    ...charging.map(
      ({ id, total_minor, updated_at_ms }) =>
        `  ${id}  ${moment(updated_at_ms)}  ${priceText(total_minor)} has been under way since: look for it at the processor`,
    ),
    ...(givenUp === 0 ? [] : [`  ${givenUp} notices of orders were given up: npm run orders -- notices, then retry`]),
    ...(newInvoiceRequests === 0 ? [] : [`  ${newInvoiceRequests} requests for invoices wait: npm run orders -- invoices`]),
  ];
  return lines.length === 0 ? [] : ['', 'needs a look:', ...lines];
}

function isDemo({ lines }: Order): boolean {
  return lines.some(({ demo }) => demo);
}

/** A text of a stranger in quotation marks, on one line. */
function quoted(text: string): string {
  return terminalLine(JSON.stringify(text));
}
