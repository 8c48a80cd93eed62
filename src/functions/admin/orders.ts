import { paymentEventLine } from '../../administration/describe-orders.ts';
import { amountOf, showRecord } from '../../administration/orders.ts';
import type { Order } from '../../gateway/commerce/cart/checkout-ports.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/orders/complete-session.ts';
import { refundStateOf } from '../../gateway/commerce/orders/order-transitions.ts';
import { paymentIdOf } from '../../gateway/commerce/payments/pay-for-resource.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import type { AdminCell, AdminEntry, AdminForm } from '../../http/page-props.ts';
import { newestInvoiceRequests, newestOrders, reviewIssues, undeliveredWebhooks } from '../../platform/d1/order-administration.ts';
import { unsettledPayments } from '../../platform/d1/payment-reservations.ts';
import { PATHS } from '../../schemas/paths.ts';
import { formatMoney } from '../../text/prices.ts';
import { minuteText, terminalLine, visibleLines } from '../../text/visible-text.ts';
import { LIST_MAX, type View } from './view.ts';

export const orders: View = async ({ database, nowMs }) => {
  const [list, issues, payments, webhooks] = await Promise.all([
    newestOrders(database, LIST_MAX),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, LIST_MAX),
    unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, LIST_MAX),
    undeliveredWebhooks(database, LIST_MAX),
  ]);
  const done = (subject: string): AdminForm => ({
    action: 'orders done',
    subject,
    label: 'Mark as done',
    command: `npm run orders -- done ${terminalLine(subject)} --remote`,
  });
  return {
    title: 'Orders',
    lead: 'What was sold, and payments that match no order.',
    sections: [
      {
        heading: 'To review',
        note: 'The page of each says what to do first.',
        empty: 'No payment needs a review.',
        entries: [
          ...issues.events.shown.map((event) => ({
            ...recordEntry(event.id),
            facts: [['', paymentEventLine(event).trim().slice(terminalLine(event.id).length).trim()] as const],
            forms: [done(event.id)],
          })),
          ...issues.charging.shown.map(({ id, totalMinor, currency, updatedAtMs }) => ({
            ...recordEntry(id),
            facts: [
              [
                '',
                `A payment of ${formatMoney({ amountMinor: totalMinor, currency })} began ${minuteText(updatedAtMs)}; its outcome is unknown.`,
              ] as const,
            ],
            forms: [done(id)],
          })),
          ...payments.shown.map((payment) => {
            const id = paymentIdOf(payment);
            return {
              ...recordEntry(id),
              facts: [
                [
                  '',
                  `${amountOf(payment)} for ${terminalLine(payment.capsuleId)} may have been paid by ${terminalLine(payment.payer)}.`,
                ] as const,
              ],
              forms: [
                {
                  action: 'orders payment',
                  subject: id,
                  label: 'Record the outcome',
                  inputs: [
                    { name: 'transaction', label: 'Transaction that settled it; empty if it was not paid', isOptional: true as const },
                  ],
                  command: `npm run orders -- payment ${id} settled 0x… --remote`,
                },
              ],
            };
          }),
        ],
      },
      {
        heading: 'Orders',
        empty: 'There are no orders.',
        tables:
          list.shown.length === 0
            ? []
            : [{ columns: ['Order', 'Created', 'Total', 'Items', 'Buyer', 'Refunded'], rows: list.shown.map(orderRow), left: list.left }],
      },
      {
        heading: 'Webhooks',
        empty: 'Every webhook was delivered.',
        entries:
          webhooks.shown.length === 0
            ? []
            : [
                ...webhooks.shown.map(({ orderId, url, state, attempts, failure }) => ({
                  title: terminalLine(orderId),
                  state:
                    state === 'due' ? ({ status: 'open', label: 'Waiting' } as const) : ({ status: 'failed', label: 'Given up' } as const),
                  facts: [[`${attempts} attempts`, terminalLine(`${url} ${failure ?? ''}`)] as const],
                })),
                {
                  title: 'Try again now',
                  forms: [{ action: 'orders retry', subject: '', label: 'Retry', command: 'npm run orders -- retry --remote' }],
                },
              ],
      },
    ],
  };
};

function recordEntry(id: string): Pick<AdminEntry, 'title' | 'href'> {
  const title = terminalLine(id);
  return /^[\w-]{1,80}$/.test(id) ? { title, href: `${PATHS.admin}/orders/${id}` } : { title };
}

function orderRow(order: Order): AdminCell[] {
  const { id, createdAtMs, totalMinor, refundedMinor, currency, lines, buyer } = order;
  const money = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  return [
    { text: id, href: `${PATHS.admin}/orders/${id}` },
    minuteText(createdAtMs),
    money(totalMinor),
    lines.map(({ offerId, quantity, demo }) => `${quantity === 1 ? '' : `${quantity} `}${offerId}${demo ? ' (demo)' : ''}`).join(', '),
    terminalLine(buyer?.email ?? ''),
    refundStateOf(order) === 'none' ? '' : money(refundedMinor),
  ];
}

const RECORD_NAMES: Readonly<Record<string, string>> = {
  ord: 'Order',
  rct: 'Order',
  cs: 'Checkout session',
  evt: 'Payment event',
  inv: 'Invoice request',
  msg: 'Message',
};

export const order: View = async ({ database, nowMs }, id) => {
  const [first = id, ...lines] = await showRecord(id, database, nowMs);
  const refund: AdminForm = {
    action: 'orders refund',
    subject: id,
    label: 'Record a refund',
    isGrave: true,
    inputs: [{ name: 'amount', label: 'Total refunded so far; empty for the whole price', isOptional: true }],
    command: `npm run orders -- refund ${id} --remote`,
  };
  return {
    title: RECORD_NAMES[id.slice(0, id.indexOf('_'))] ?? 'Payment',
    lead: `As “npm run orders -- show” prints it.`,
    sections: [
      { heading: 'Record', entries: [{ title: terminalLine(first), text: lines.join('\n').replaceAll('\n  ', '\n').trim() }] },
      ...(id.startsWith('ord_')
        ? [
            {
              heading: 'Refund',
              note: 'Make the refund itself at the payment processor. Here it is recorded, as its webhook would do it.',
              entries: [{ title: 'What was refunded', forms: [refund] }],
            },
          ]
        : []),
    ],
  };
};

export const messages: View = async ({ database }) => {
  const { shown, left } = await newestInvoiceRequests(database, LIST_MAX);
  const entries = shown.map((request): AdminEntry => {
    const { receipt, createdAtMs, items, state, name, email, company, taxId, address, note, totalMinor, currency } = request;
    const states = { new: ['answered', 'closed'], answered: ['closed'], closed: [] }[state];
    const named = (label: string, value: string | undefined): (readonly [string, string])[] =>
      value === undefined ? [] : [[label, visibleLines(value)]];
    return {
      title: items.length === 0 ? 'Message' : `Invoice request, ${formatMoney({ amountMinor: totalMinor, currency })}`,
      state: {
        new: { status: 'superseded', label: 'New' },
        answered: { status: 'passed', label: 'Answered' },
        closed: { status: 'open', label: 'Closed' },
      }[state] as NonNullable<AdminEntry['state']>,
      facts: [
        ['From', terminalLine(`${name}, ${email}`)],
        ['Received', minuteText(createdAtMs)],
        ...(items.length === 0 ? [] : [['Items', items.map(({ offerId, quantity }) => `${quantity} × ${offerId}`).join(', ')] as const]),
        ...named('Company', company),
        ...named('Tax id', taxId),
        ...named('Address', address),
      ],
      ...(note === undefined ? {} : { text: visibleLines(note) }),
      forms: states.map((next) => ({
        action: 'orders invoice',
        subject: receipt,
        label: next === 'closed' ? 'Close' : 'Mark as answered',
        values: { state: next },
        command: `npm run orders -- invoice ${receipt} ${next} --remote`,
      })),
    };
  });
  return {
    title: 'Messages',
    lead: 'Invoice requests, and messages of the contact form. Answer them by mail.',
    sections: [
      { heading: 'Open', empty: 'No message is waiting.', entries: entries.filter((_, at) => shown[at]?.state === 'new') },
      {
        heading: 'Earlier',
        empty: 'There are none.',
        entries: entries.filter((_, at) => shown[at]?.state !== 'new'),
        ...(left > 0 ? { note: `And ${left} more: npm run orders -- invoices --limit ${shown.length + left} --remote` } : {}),
      },
    ],
  };
};
