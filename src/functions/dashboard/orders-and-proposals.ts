import { paymentEventLine } from '../../administration/describe-orders.ts';
import { orderNamed, paymentLine, showRecord, stuckLine } from '../../administration/orders.ts';
import { ageOf, proposalNamed, requestOf } from '../../administration/proposals.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/orders/complete-session.ts';
import { refundStateOf } from '../../gateway/commerce/orders/order-transitions.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { paymentIdOf } from '../../gateway/commerce/payments/settle-payment.ts';
import { capitalized, draftCommand, type InsightCount, insightTables, saleLines } from '../../gateway/insights.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { AdminCell, AdminEntry, AdminForm, AdminPage, AdminTable } from '../../http/on-demand-page-props.ts';
import type { Database } from '../../platform/d1/database.ts';
import { readInsights } from '../../platform/d1/insight-counts.ts';
import {
  type ListedOrder,
  newestInvoiceRequests,
  newestOrders,
  reviewIssues,
  type UndeliveredWebhook,
  undeliveredWebhooks,
} from '../../platform/d1/order-administration.ts';
import { unsettledPayments } from '../../platform/d1/payment-reservations.ts';
import { listProposals, type StoredProposal } from '../../platform/d1/proposal-store.ts';
import { creditText } from '../../schemas/commerce/capsule-price.ts';
import type { IntakeRequest } from '../../schemas/intake/proposals.ts';
import { PATHS } from '../../schemas/paths.ts';
import { dayOf } from '../../schemas/time.ts';
import { formatMoney } from '../../text/prices.ts';
import { minuteText, terminalLine, visibleLines } from '../../text/terminal-safe-text.ts';

export interface Asked {
  readonly database: Database;
  readonly deps: GatewayDependencies;
  readonly nowMs: number;
}

/** Makes a page, of the record with an id. @throws {ActionError} If there is no such record. */
export type View = (asked: Asked, id: string) => Promise<Omit<AdminPage, 'path' | 'session' | 'message'>>;

export const LIST_MAX = 100;

export const DAYS = 30;

const TABLE_MAX = 12;

/** A command for the database of this service: the one at Cloudflare, unless `npm start` serves it. */
function commandAt({ deployment }: GatewayDependencies, words: string): string {
  return `npm run ${words}${deployment.keyPrefix === 'akg_live_' ? ' --remote' : ''}`;
}

/** A form, with the command that does the same: the action `orders done` is `npm run orders -- done <subject>`. */
export function formOf(
  deps: GatewayDependencies,
  action: string,
  subject: string,
  { argument = '', ...form }: Omit<AdminForm, 'action' | 'subject' | 'command'> & { readonly argument?: string },
): AdminForm {
  const words = [action.replace(' ', ' -- '), terminalLine(subject), argument].filter((word) => word !== '');
  return { action, subject, ...form, command: commandAt(deps, words.join(' ')) };
}

function knownFacts(facts: Readonly<Record<string, string | undefined>>): [name: string, value: string][] {
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** Tables about a topic; beside a question stands the command that writes a draft of its answer. */
export function tablesOf(counts: readonly InsightCount[], topic: ReturnType<typeof insightTables>[number][2]): AdminTable[] {
  const isGap = topic === 'questions';
  return insightTables(counts).flatMap(([title, { columns, rows }, about]) => {
    const shown = [...rows].slice(0, TABLE_MAX);
    if (about !== topic || shown.length === 0) return [];
    const draft = (name: string): AdminCell[] => (isGap ? [{ command: draftCommand(name) }] : []);
    return [
      {
        columns: [title, ...columns.map(capitalized), ...(isGap ? ['Write a capsule'] : [])],
        rows: shown.map(([name, values]) => [terminalLine(name), ...values, ...draft(name)]),
        left: rows.size - shown.length,
      },
    ];
  });
}

export const orders: View = async ({ database, deps, nowMs }) => {
  const [list, { counts }, issues, payments, webhooks] = await Promise.all([
    newestOrders(database, LIST_MAX, nowMs),
    readInsights(database, DAYS, nowMs),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, LIST_MAX),
    unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, LIST_MAX),
    undeliveredWebhooks(database, LIST_MAX),
  ]);
  const toReview = (id: string, line: string, form: AdminForm): AdminEntry => ({
    ...recordEntry(id),
    facts: [['', line.trim().slice(terminalLine(id).length).trim().replaceAll('  ', '; ')]],
    forms: [form],
  });
  const done = (id: string, line: string): AdminEntry => toReview(id, line, formOf(deps, 'orders done', id, { label: 'Mark as done' }));
  const retry = formOf(deps, 'orders retry', '', { label: 'Retry' });
  return {
    title: 'Orders',
    lead: 'What was sold, and payments that match no order.',
    sections: [
      {
        heading: 'To review',
        note: 'The page of each says what to do first.',
        empty: 'No payment needs a review.',
        entries: [
          ...issues.events.shown.map((event) => done(event.id, paymentEventLine(event))),
          ...issues.charging.shown.map((session) => done(session.id, stuckLine(session))),
          ...payments.shown.map((payment) => {
            const id = paymentIdOf(payment);
            const inputs = [
              { name: 'transaction', label: 'Transaction that settled it; empty if it was not paid', isOptional: true as const },
            ];
            const form = formOf(deps, 'orders payment', id, { label: 'Record the outcome', inputs, argument: 'settled 0x…' });
            return toReview(id, paymentLine(payment), form);
          }),
        ],
      },
      {
        heading: 'Orders',
        empty: 'There are no orders.',
        tables:
          list.shown.length === 0
            ? []
            : [{ columns: ['Items', 'Created', 'Total', 'Refunded', 'Buyer', 'Order'], rows: list.shown.map(orderRow), left: list.left }],
      },
      {
        heading: 'Sales',
        note: [`The last ${DAYS} days.`, ...saleLines(counts)].join(' '),
        empty: 'Nothing was counted yet.',
        tables: tablesOf(counts, 'sales'),
      },
      {
        heading: 'Webhooks',
        empty: 'Every webhook was delivered.',
        entries: webhooks.shown.length === 0 ? [] : [...webhooks.shown.map(webhookEntry), { title: 'Try again now', forms: [retry] }],
      },
    ],
  };
};

function webhookEntry({ orderId, url, state, attempts, failure }: UndeliveredWebhook): AdminEntry {
  return {
    title: terminalLine(orderId),
    state: state === 'due' ? { status: 'open', label: 'Waiting' } : { status: 'failed', label: 'Given up' },
    facts: [[`${attempts} attempts`, terminalLine(`${url} ${failure ?? ''}`)]],
  };
}

function recordEntry(id: string): Pick<AdminEntry, 'title' | 'href'> {
  const title = terminalLine(id);
  return /^[\w-]{1,80}$/.test(id) ? { title, href: `${PATHS.admin}/orders/${id}` } : { title };
}

function orderRow(order: ListedOrder): AdminCell[] {
  const { id, createdAtMs, totalMinor, refundedMinor, currency, lines, buyer, creditLeftMinor } = order;
  const money = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const items = lines.map(({ offerId, quantity, demo }) => `${quantity === 1 ? '' : `${quantity} `}${offerId}${demo ? ' (demo)' : ''}`);
  const credit = creditLeftMinor === undefined ? '' : `, ${creditText(creditLeftMinor)} left`;
  return [
    { text: items.join(', ') + credit, href: `${PATHS.admin}/orders/${id}` },
    dayOf(createdAtMs),
    money(totalMinor),
    refundStateOf(order) === 'none' ? '' : money(refundedMinor),
    terminalLine(buyer?.email ?? ''),
    id,
  ];
}

const RECORD_NAMES: Readonly<Record<string, string>> = {
  ord: 'Order',
  cs: 'Checkout session',
  evt: 'Payment event',
  inv: 'Invoice request',
  msg: 'Message',
};

export const order: View = async ({ database, deps, nowMs }, id) => {
  const [first = id, ...lines] = await showRecord(id, database, nowMs);
  const isRefundable = id.startsWith('ord_') && (await orderNamed(id, database)).totalMinor > 0;
  const inputs = [{ name: 'amount', label: 'Total refunded so far; empty for the whole price', isOptional: true as const }];
  const refund = formOf(deps, 'orders refund', id, { label: 'Record a refund', isGrave: true, inputs });
  return {
    title: RECORD_NAMES[id.slice(0, id.indexOf('_'))] ?? 'Payment',
    lead: `As “npm run orders -- show” prints it.`,
    sections: [
      { heading: 'Record', entries: [{ title: terminalLine(first), text: lines.join('\n').replaceAll('\n  ', '\n').trim() }] },
      ...(isRefundable
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

export const messages: View = async ({ database, deps }) => {
  const { shown, left } = await newestInvoiceRequests(database, LIST_MAX);
  const entries = shown.map((request): AdminEntry => {
    const { receipt, createdAtMs, items, state, name, email, company, taxId, address, note, totalMinor, currency } = request;
    const states = { new: ['answered', 'closed'], answered: ['closed'], closed: [] }[state];
    return {
      title: items.length === 0 ? 'Message' : `Invoice request, ${formatMoney({ amountMinor: totalMinor, currency })}`,
      state: {
        new: { status: 'superseded', label: 'New' },
        answered: { status: 'passed', label: 'Answered' },
        closed: { status: 'open', label: 'Closed' },
      }[state] as NonNullable<AdminEntry['state']>,
      facts: knownFacts({
        From: terminalLine(`${name}, ${email}`),
        Received: minuteText(createdAtMs),
        Items: items.map(({ offerId, quantity }) => `${quantity} × ${offerId}`).join(', ') || undefined,
        Company: company && visibleLines(company),
        'Tax id': taxId && visibleLines(taxId),
        Address: address && visibleLines(address),
      }),
      ...(note === undefined ? {} : { text: visibleLines(note) }),
      forms: states.map((state) => {
        const label = state === 'closed' ? 'Close' : 'Mark as answered';
        return formOf(deps, 'orders invoice', receipt, { label, values: { state }, argument: state });
      }),
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
        ...(left > 0 ? { note: `And ${left} more: ${commandAt(deps, `orders -- invoices --limit ${shown.length + left}`)}` } : {}),
      },
    ],
  };
};

export const proposals: View = async ({ database, deps, nowMs }) => {
  const all = await listProposals(database, true);
  const entryOf = (proposal: StoredProposal): AdminEntry => ({
    title: `${proposal.number}: ${terminalLine(proposal.capsuleId)}`,
    href: `${PATHS.admin}/proposals/${proposal.number}`,
    state: stateOf(proposal),
    facts: [
      ['', `${capitalized(proposal.kind)}, ${ageOf(nowMs - proposal.receivedAtMs)} ago, by ${proposersOf(proposal)}`],
      ...(proposal.state === 'accepted' ? [['Write it', commandAt(deps, `intake -- accept ${proposal.number}`)] as const] : []),
    ],
  });
  const pending = all.filter(({ state }) => state === 'pending');
  const decided = all.filter(({ state }) => state !== 'pending').reverse();
  return {
    title: 'Proposals',
    lead: 'New capsules and corrections that agents propose.',
    sections: [
      { heading: 'To decide', empty: 'No proposal is waiting.', entries: pending.map(entryOf) },
      {
        heading: 'Decided',
        note: 'What is accepted here is written into content/ by the command beside it.',
        empty: 'Nothing was decided yet.',
        entries: decided.map(entryOf),
      },
    ],
  };
};

function stateOf({ state }: StoredProposal): NonNullable<AdminEntry['state']> {
  if (state === 'pending') return { status: 'open', label: 'Pending' };
  return state === 'accepted' ? { status: 'passed', label: 'Accepted' } : { status: 'failed', label: 'Rejected' };
}

function proposersOf({ proposers }: StoredProposal): string {
  return proposers.map(({ name, agent }) => (name === undefined ? `agt_${agent}` : `“${terminalLine(name)}” (agt_${agent})`)).join(', ');
}

export const proposal: View = async ({ database, deps }, id) => {
  const stored = await proposalNamed(database, id);
  const { number, state, kind, capsuleId, reason, proposers, body } = stored;
  const request = requestOf(stored);
  const form = (action: string, more: Parameters<typeof formOf>[3]) => formOf(deps, `intake ${action}`, `${number}`, more);
  const inputs = [{ name: 'reason', label: 'Why, in one line; the agent reads it' }];
  const rejecting = form('reject', { label: 'Reject', isGrave: true, inputs, argument: '--reason "…"' });
  const accepting = request === undefined ? [] : [form('accept', { label: 'Accept' })];
  const forms = { pending: [...accepting, rejecting], rejected: [form('reopen', { label: 'Reopen' })], accepted: [] }[state];
  const notes = proposers.flatMap(({ note }) => (note === undefined ? [] : [['Note', visibleLines(note)] as const]));
  return {
    title: `Proposal ${number}`,
    lead: `${kind === 'capsule' ? 'A new capsule' : 'A correction'}: ${terminalLine(capsuleId)}`,
    sections: [
      {
        heading: 'Decision',
        entries: [
          {
            title: proposersOf(stored),
            state: stateOf(stored),
            facts: [...knownFacts({ Reason: reason && terminalLine(reason) }), ...notes],
            forms,
          },
        ],
      },
      { heading: 'What it changes', entries: [changeEntry(body, request)] },
    ],
  };
};

function changeEntry(body: string, request: IntakeRequest | undefined): AdminEntry {
  if (request === undefined) return { title: 'As it was stored, in an older format', text: visibleLines(body) };
  if (request.kind === 'capsule') {
    const { title, summary, sources } = request.metadata;
    return {
      title: terminalLine(title),
      changes: [{ kind: 'added', text: visibleLines(request.markdown) }],
      facts: [['Claim', terminalLine(summary)], ...sources.map((source) => sourceFact('Source', source))],
    };
  }
  return {
    title: `Passage of version ${request.version}`,
    changes: wordChanges(request.quote, request.replacement).map(({ kind, text }) => ({ kind, text: visibleLines(text) })),
    facts: [['Because', visibleLines(request.reason)], ...request.sources.map((source) => sourceFact('New source', source))],
  };
}

function sourceFact(name: string, { title, url }: { readonly title: string; readonly url: string }): [string, string] {
  return [name, terminalLine(`${title}, ${url}`)];
}

function wordChanges(before: string, after: string): NonNullable<AdminEntry['changes']> {
  const wordsOf = (text: string): string[] => text.split(/(?<=\s)(?=\S)/);
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const text = (words: readonly string[], from: number, to: number): string => words.slice(from, to).join('');
  return [
    { kind: 'same', text: text(a, 0, start) },
    { kind: 'removed', text: text(a, start, a.length - end) },
    { kind: 'added', text: text(b, start, b.length - end) },
    { kind: 'same', text: text(a, a.length - end, a.length) },
  ];
}
