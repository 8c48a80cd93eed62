import { type Order, refundStateOf } from '../../gateway/commerce/orders/order.ts';
import type { InvoiceRequestRecord } from '../../gateway/commerce/orders/request-invoice.ts';
import { nameOf } from '../../gateway/commerce/sessions/session.ts';
import type { TruncatedList } from '../../platform/d1/database.ts';
import type { LoggedStep } from '../../platform/d1/order-administration.ts';
import { formatMoney } from '../../publication/offers/money.ts';
import { minuteText, terminalBlock, terminalLine } from '../terminal-text.ts';

/** Most lines of a list. */
export const LIST_LINES_MAX = 10_000;

/** Suffix of an order's line. */
const REFUNDS = { none: '', part: '  partly refunded', all: '  refunded' } as const;

/**
 * The end of a truncated list: how many more there are, and how to list them.
 *
 * @param task The subcommand that prints the list.
 */
export function moreLines({ shown, left }: TruncatedList<unknown>, task: string, indentation = ''): string[] {
  if (left === 0) return [];
  const limit = shown.length + left <= 1_000 ? 1_000 : LIST_LINES_MAX;
  const how = shown.length < LIST_LINES_MAX ? `: npm run orders -- ${task} --limit ${limit}` : '';
  return [`${indentation}and ${left} more${how}`];
}

/** An entry of the log of a session. */
export function stepLine({ kind, atMs, detail }: LoggedStep): string {
  return `  ${minuteText(atMs)}  ${kind}  ${terminalLine(detail)}`;
}

/** An order on one line. Text of the buyer is quoted. */
export function orderLine(order: Order): string {
  const { id, createdAtMs, totalMinor, currency, channel, lines, buyer } = order;
  const items = lines.map(({ offerId, quantity }) => (quantity === 1 ? offerId : `${quantity} ${offerId}`)).join(', ');
  const email = buyer?.email === undefined ? '' : `  ${quoted(buyer.email)}`;
  return `${id}  ${minuteText(createdAtMs)}  ${formatMoney({ amountMinor: totalMinor, currency })}  ${channel}  ${items}${email}${REFUNDS[refundStateOf(order)]}${isDemo(order) ? '  demo' : ''}`;
}

/** Everything about an order. */
export function describeOrder(order: Order): string[] {
  const { buyer, notifyUrl, paymentReference } = order;
  const money = moneyIn(order);
  const name = buyer && nameOf(buyer);
  return [
    order.id,
    `  receipt   ${order.receipt}`,
    `  session   ${order.sessionId}, by ${order.channel}, of ${terminalLine(order.owner)}`,
    `  created   ${minuteText(order.createdAtMs)}${order.updatedAtMs === order.createdAtMs ? '' : `, changed ${minuteText(order.updatedAtMs)}`}`,
    ...order.lines.map(
      ({ quantity, offerId, unitMinor, cadence, demo }) =>
        `  line      ${quantity} × ${offerId} at ${money(unitMinor)}, ${cadence}${demo ? ', a demo' : ''}`,
    ),
    `  total     ${money(order.totalMinor)}${order.refundedMinor === 0 ? '' : `, of which ${money(order.refundedMinor)} refunded`}`,
    `  payment   ${paymentReference === undefined ? 'none' : terminalLine(paymentReference)}`,
    ...(name === undefined ? [] : [`  name      ${quoted(name)}`]),
    ...(buyer?.email === undefined ? [] : [`  e-mail    ${quoted(buyer.email)}`]),
    ...(buyer?.phone_number === undefined ? [] : [`  telephone ${quoted(buyer.phone_number)}`]),
    ...(notifyUrl === undefined ? [] : [`  webhooks  ${quoted(notifyUrl)}`]),
  ];
}

/** An invoice request on one line. */
export function invoiceLine({ receipt, createdAtMs, totalMinor, currency, state, items, email }: InvoiceRequestRecord): string {
  return `${receipt}  ${minuteText(createdAtMs)}  ${state.padEnd(8)}  ${formatMoney({ amountMinor: totalMinor, currency })}  ${items.map(({ offerId, quantity }) => `${quantity} ${offerId}`).join(', ')}  ${quoted(email)}`;
}

/** Everything about an invoice request. */
export function describeInvoice(request: InvoiceRequestRecord): string[] {
  const { name, email, company, taxId, address, note } = request;
  const money = moneyIn(request);
  return [
    `${request.receipt}  ${request.state}`,
    `  created   ${minuteText(request.createdAtMs)}${request.updatedAtMs === request.createdAtMs ? '' : `, changed ${minuteText(request.updatedAtMs)}`}`,
    ...request.items.map(
      ({ quantity, offerId, unitMinor }) =>
        `  item      ${quantity} × ${offerId} at ${unitMinor === undefined ? 'a price to quote' : money(unitMinor)}`,
    ),
    `  total     ${money(request.totalMinor)}`,
    `  name      ${quoted(name)}`,
    `  e-mail    ${quoted(email)}`,
    ...(company === undefined ? [] : [`  company   ${quoted(company)}`]),
    ...(taxId === undefined ? [] : [`  tax       ${quoted(taxId)}`]),
    ...(address === undefined ? [] : ['  address', terminalBlock(address)]),
    ...(note === undefined ? [] : ['  note', terminalBlock(note)]),
  ];
}

/** Formats amounts in the currency of an order or request. */
function moneyIn({ currency }: Pick<Order, 'currency'>): (amountMinor: number) => string {
  return (amountMinor) => formatMoney({ amountMinor, currency });
}

function isDemo({ lines }: Order): boolean {
  return lines.some(({ demo }) => demo);
}

/** Untrusted text in quotation marks, on one line. */
function quoted(text: string): string {
  return terminalLine(JSON.stringify(text));
}
