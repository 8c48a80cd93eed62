import { deliveredPass } from '../gateway/commerce/cart/access-passes.ts';
import type { Order, Pass } from '../gateway/commerce/cart/checkout-ports.ts';
import type { InvoiceRequestRecord } from '../gateway/commerce/orders/order-ports.ts';
import { refundStateOf } from '../gateway/commerce/orders/order-transitions.ts';
import type { TruncatedList } from '../platform/d1/database.ts';
import type { ListedOrder, LoggedStep, StoredPaymentEvent } from '../platform/d1/order-administration.ts';
import { CAPSULE } from '../schemas/commerce/access-passes.ts';
import { creditText } from '../schemas/commerce/capsule-price.ts';
import type { Buyer } from '../schemas/commerce/orders.ts';
import { formatMoney } from '../text/prices.ts';
import { minuteText, terminalBlock, terminalLine } from '../text/terminal-safe-text.ts';

export const LIST_LINES_MAX = 10_000;

const REFUNDS = { none: '', part: '  partly refunded', all: '  refunded' } as const;

/** The end of a truncated list: how many more there are, and how to list them. @param task The subcommand that prints the list. */
export function moreLines({ shown, left }: TruncatedList<unknown>, task: string, indentation = ''): string[] {
  if (left === 0) return [];
  const limit = shown.length + left <= 1_000 ? 1_000 : LIST_LINES_MAX;
  const how = shown.length < LIST_LINES_MAX ? `: npm run orders -- ${task} --limit ${limit}` : '';
  return [`${indentation}and ${left} more${how}`];
}

export function stepLine({ kind, atMs, detail }: LoggedStep): string {
  return `  ${minuteText(atMs)}  ${kind}  ${terminalLine(detail)}`;
}

export function orderLine(order: ListedOrder): string {
  const { id, createdAtMs, totalMinor, currency, channel, lines, buyer, creditLeftMinor } = order;
  const items = lines.map(({ offerId, quantity }) => (quantity === 1 ? offerId : `${quantity} ${offerId}`)).join(', ');
  const email = buyer?.email === undefined ? '' : `  ${quoted(buyer.email)}`;
  const credit = creditLeftMinor === undefined ? '' : `  ${creditText(creditLeftMinor)} of the credit left`;
  return `${id}  ${minuteText(createdAtMs)}  ${formatMoney({ amountMinor: totalMinor, currency })}  ${channel}  ${items}${email}${credit}${REFUNDS[refundStateOf(order)]}${lines.some(({ demo }) => demo) ? '  demo' : ''}`;
}

export function describeOrder(order: Order): string[] {
  const { buyer, notifyUrl, paymentReference } = order;
  const money = moneyIn(order);
  const name = buyer && nameOf(buyer);
  return [
    order.id,
    `  receipt   ${order.receipt}`,
    `  session   ${order.sessionId}, opened ${openedBy(order)}`,
    `  created   ${minuteText(order.createdAtMs)}${order.updatedAtMs === order.createdAtMs ? '' : `, changed ${minuteText(order.updatedAtMs)}`}`,
    ...order.lines.map(
      ({ quantity, offerId, unitMinor, cadence, demo }) =>
        `  line      ${quantity} × ${offerId} at ${money(unitMinor)}, ${cadence}${demo ? ', a demo: nothing is charged for it' : ''}`,
    ),
    `  total     ${money(order.totalMinor)}${order.refundedMinor === 0 ? '' : `, of which ${money(order.refundedMinor)} refunded`}`,
    `  payment   ${terminalLine(paymentReference ?? (order.totalMinor === 0 ? 'none was due' : 'none'))}`,
    ...(order.withdrawnAtMs === undefined ? [] : [`  withdrawn ${minuteText(order.withdrawnAtMs)}: it delivers nothing`]),
    ...(name === undefined ? [] : [`  name      ${quoted(name)}`]),
    ...(buyer?.email === undefined ? [] : [`  e-mail    ${quoted(buyer.email)}`]),
    ...(buyer?.phone_number === undefined ? [] : [`  telephone ${quoted(buyer.phone_number)}`]),
    ...(notifyUrl === undefined ? [] : [`  webhooks  ${quoted(notifyUrl)}`]),
  ];
}

/** Who opened a session, and where. */
export function openedBy({ channel, owner }: Pick<Order, 'channel' | 'owner'>): string {
  return channel === 'page' ? 'on the site' : `by ${terminalLine(owner)} over ${channel.toUpperCase()}`;
}

/** A pass of an order, or a text that was bought with its credit. */
export function passLine(pass: Pass): string {
  const { opens, creditMinor, paidAtMs } = pass;
  const what = deliveredPass(pass)?.title ?? opens.slice(CAPSULE.length);
  const bought = paidAtMs === undefined ? '' : ` for ${creditText(-(creditMinor ?? 0))} of the credit, ${minuteText(paidAtMs)}`;
  return `  opens     ${terminalLine(what)}${bought}`;
}

export function invoiceLine({ receipt, createdAtMs, totalMinor, currency, state, items, email }: InvoiceRequestRecord): string {
  const what =
    items.length === 0
      ? 'a message'
      : `${formatMoney({ amountMinor: totalMinor, currency })}  ${items.map(({ offerId, quantity }) => `${quantity} ${offerId}`).join(', ')}`;
  return `${receipt}  ${minuteText(createdAtMs)}  ${state.padEnd(8)}  ${what}  ${quoted(email)}`;
}

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
    ...(request.items.length === 0 ? [] : [`  total     ${money(request.totalMinor)}`]),
    ...fieldLines({ name: quoted(name), 'e-mail': quoted(email), company: company && quoted(company), tax: taxId && quoted(taxId) }),
    ...(address === undefined ? [] : ['  address', terminalBlock(address)]),
    ...(note === undefined ? [] : [request.items.length === 0 ? '  message' : '  note', terminalBlock(note)]),
  ];
}

/** Fields of a record in a column, without those that are unknown. */
export function fieldLines(fields: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(10)}${value}`]));
}

function moneyIn({ currency }: Pick<Order, 'currency'>): (amountMinor: number) => string {
  return (amountMinor) => formatMoney({ amountMinor, currency });
}

function quoted(text: string): string {
  return terminalLine(JSON.stringify(text));
}

/** Words after the amount of an event that was not applied, and the next step. */
type Reason = Readonly<Record<'why' | 'todo', string>>;

const REASONS: Readonly<Record<string, Reason>> = {
  no_session: { why: 'was paid for no session of this service', todo: 'deliver what was bought, or refund it; Stripe knows who paid' },
  already_paid: { why: 'was paid for a session that is already paid', todo: 'refund it at Stripe' },
  session_canceled: { why: 'was paid for a session that was canceled', todo: 'refund it at Stripe' },
  amount_differs: {
    why: 'was paid, which differs from the amount or currency of the session',
    todo: 'deliver what was bought, or refund it at Stripe',
  },
  waiting: {
    why: 'was refunded, and no order has this payment',
    todo: 'if it belongs to an order, such as a refund of a subscription, record it there with npm run orders -- refund; if it is from another business of the account, do nothing',
  },
  currency_differs: {
    why: 'was refunded, not in the currency of the order, so it is not counted',
    todo: 'record the amount in the currency of the order: npm run orders -- refund',
  },
};

const REFUND_OF_NOTHING: Reason = {
  why: 'was refunded, and the event names no payment',
  todo: 'find its order at Stripe, and record it there with npm run orders -- refund',
};

const SETTLED: Readonly<Record<string, string>> = {
  applied: 'it was applied',
  ignored: 'it changed nothing',
  duplicate: 'it is a duplicate',
};

export function paymentEventLine(event: StoredPaymentEvent): string {
  const refunded = refundedOf(event);
  return `  ${terminalLine(event.id)}  ${minuteText(event.receivedAtMs)}  ${amountOf(event)} ${reasonOf(event).why}${refunded === undefined ? '' : `; ${refunded}`}${named(event.paymentReference)}${named(event.sessionId)}`;
}

export function describePaymentEvent(event: StoredPaymentEvent): string[] {
  const { why, todo } = reasonOf(event);
  const { kind, receivedAtMs, amountMinor, isRefund, paymentReference, sessionId, needsReview } = event;
  const id = terminalLine(event.id);
  return [
    id,
    ...fieldLines({
      received: `${minuteText(receivedAtMs)}, as ${terminalLine(kind)}`,
      amount: amountMinor === undefined ? undefined : `${amountOf(event)}, ${isRefund ? 'refunded in total so far' : 'paid'}`,
      payment: paymentReference && terminalLine(paymentReference),
      session: sessionId && terminalLine(sessionId),
      refunded: refundedOf(event),
      state: needsReview ? undefined : paymentEventState(event),
    }),
    ...(needsReview ? [`  problem   ${amountOf(event)} ${why}`, `  to do     ${todo}`, `  then      npm run orders -- done ${id}`] : []),
  ];
}

export function paymentEventState(event: StoredPaymentEvent): string {
  const { outcome, isRefund, reviewedAtMs, counterparts } = event;
  if (reviewedAtMs !== undefined) return `reviewed ${minuteText(reviewedAtMs)}`;
  if (counterparts.length === 0) return SETTLED[outcome] ?? 'its order accounts for it';
  return isRefund
    ? `it refunds a payment that never became an order (${idsOf(event)}); nothing to do`
    : 'all of it was refunded; nothing to do';
}

function reasonOf(event: StoredPaymentEvent): Reason {
  const { outcome, isRefund, counterparts, orderId } = event;
  if (isRefund && outcome === 'no_session') return REFUND_OF_NOTHING;
  if (isRefund && counterparts.length > 0) return refundOfNoOrder(event);
  const reason = REASONS[outcome] ?? { why: `has the unknown outcome ${terminalLine(outcome)}`, todo: 'check it at Stripe' };
  if (isRefund) return reason;
  if (orderId !== undefined)
    return {
      why: `${reason.why}; the same payment made ${orderId}`,
      todo: `check at Stripe what was charged, and refund only what exceeds the price of ${orderId}`,
    };
  return isFullyRefunded(event) ? { ...reason, todo: 'nothing more: all of it was refunded' } : reason;
}

function refundOfNoOrder(event: StoredPaymentEvent): Reason {
  return {
    why: `was refunded, of a payment that never became an order (${idsOf(event)})`,
    todo: isFullyRefunded(event)
      ? `nothing more: the whole payment was refunded, and no order records it; then also ${commands(event, 'done')}`
      : `no order records it; ${commands(event, 'show')} says what to do with the rest of the payment`,
  };
}

function isFullyRefunded(event: StoredPaymentEvent): boolean {
  const { amountMinor = 0, isRefund } = event;
  return sumsOf(event).some((sum) => (isRefund ? amountMinor >= sum : sum >= amountMinor));
}

function refundedOf(event: StoredPaymentEvent): string | undefined {
  const sums = sumsOf(event);
  if (event.isRefund || sums.length === 0) return undefined;
  return `${amountOf({ ...event, amountMinor: Math.max(...sums) })} of it was refunded so far (${idsOf(event)})`;
}

function sumsOf({ counterparts, currency }: StoredPaymentEvent): number[] {
  return counterparts.flatMap((other) =>
    other.amountMinor !== null && (other.currency ?? undefined) === currency ? [other.amountMinor] : [],
  );
}

function idsOf({ counterparts }: StoredPaymentEvent): string {
  return counterparts.map(({ id }) => terminalLine(id)).join(', ');
}

function commands({ counterparts }: StoredPaymentEvent, task: string): string {
  return counterparts.map(({ id }) => `npm run orders -- ${task} ${terminalLine(id)}`).join(', ');
}

/** The amount of an event. Old events have no currency; theirs is shown in hundredths. */
function amountOf({ amountMinor, currency }: Pick<StoredPaymentEvent, 'amountMinor' | 'currency'>): string {
  if (amountMinor === undefined) return 'an unknown amount';
  return currency === undefined ? `${(amountMinor / 100).toFixed(2)} of an unknown currency` : formatMoney({ amountMinor, currency });
}

function named(reference: string | undefined): string {
  return reference === undefined ? '' : `  ${terminalLine(reference)}`;
}

export function nameOf({ full_name, first_name, last_name }: Buyer): string | undefined {
  const fullName = full_name?.trim() || [first_name, last_name].join(' ').trim();
  return fullName === '' ? undefined : fullName;
}
